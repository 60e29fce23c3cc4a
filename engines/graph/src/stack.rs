//! Work that needs a stack of some size, since it calls itself once for each level of what it is
//! given.

use std::io;

use memmap2::MmapOptions;

/// Runs `work` on the thread that calls, with at least `len` bytes of stack: its own if it has as
/// much left, else one that is made for it. Of that only the pages that are used take memory.
///
/// # Errors
/// If so many addresses aren't to be had; nothing has been run then.
pub(crate) fn with_stack<R>(len: usize, work: impl FnOnce() -> R) -> io::Result<R> {
    if stacker::remaining_stack().is_some_and(|left| left >= len) {
        return Ok(work());
    }
    // What makes the stack panics where it can't: the same is asked before, and given back.
    drop(MmapOptions::new().len(len).map_anon()?);
    Ok(stacker::grow(len, work))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn depth(levels: usize) -> usize {
        let frame = std::hint::black_box([levels; 64]);
        if levels == 0 { 0 } else { depth(levels - 1) + frame.len() / 64 }
    }

    #[test]
    fn what_exceeds_a_thread_fits() {
        // Half a kilobyte a level and more: 50 MB and more, where a thread has 2 MB.
        let deep = || with_stack(1 << 30, || depth(100_000)).expect("a stack");
        assert_eq!(std::thread::spawn(deep).join().expect("no overflow"), 100_000);
    }

    #[test]
    fn a_stack_that_is_not_to_be_had_is_an_error() {
        assert!(with_stack(1 << 60, || ()).is_err());
    }
}
