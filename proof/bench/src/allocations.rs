//! What a piece of work asks the allocator for: how often, and how many bytes.
//!
//! The bench's allocator is the system's with counters in front, which stand still unless
//! somebody counts: one flag is read then, and nothing measured elsewhere notices.
//!
//! Callers: code/postings, series/*

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering::Relaxed};

use serde::Serialize;

/// What was asked for, while somebody counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Asked {
    /// How often: new memory, or more of it.
    pub count: u64,
    /// How many bytes: of new memory its length, of memory that grows its new length.
    pub len: u64,
    /// The most bytes held at a time, above those held before.
    pub peak: u64,
    /// The bytes still held at the end, above those held before.
    pub kept: u64,
}

static COUNTS: AtomicBool = AtomicBool::new(false);
static COUNT: AtomicU64 = AtomicU64::new(0);
static LEN: AtomicU64 = AtomicU64::new(0);
/// Bytes held above those held before; fewer, where memory from before was given back.
static HELD: AtomicI64 = AtomicI64::new(0);
static PEAK: AtomicI64 = AtomicI64::new(0);

/// Does the work, and says what all threads asked for meanwhile.
pub(crate) fn counted<R>(work: impl FnOnce() -> R) -> (R, Asked) {
    COUNT.store(0, Relaxed);
    LEN.store(0, Relaxed);
    HELD.store(0, Relaxed);
    PEAK.store(0, Relaxed);
    COUNTS.store(true, Relaxed);
    let result = work();
    COUNTS.store(false, Relaxed);
    let [peak, kept] = [&PEAK, &HELD].map(|bytes| bytes.load(Relaxed).max(0) as u64);
    (result, Asked { count: COUNT.load(Relaxed), len: LEN.load(Relaxed), peak, kept })
}

/// Notes memory of `len` bytes, which was one of `before` bytes.
fn note(before: usize, len: usize) {
    if COUNTS.load(Relaxed) {
        COUNT.fetch_add(1, Relaxed);
        LEN.fetch_add(len as u64, Relaxed);
        let more = len as i64 - before as i64;
        let held = HELD.fetch_add(more, Relaxed) + more;
        PEAK.fetch_max(held, Relaxed);
    }
}

/// Notes memory given back.
fn note_return(len: usize) {
    if COUNTS.load(Relaxed) {
        HELD.fetch_sub(len as i64, Relaxed);
    }
}

/// The system's allocator, with the counters.
struct Counting;

// SAFETY: every call goes to the system's allocator as it came; counting touches no memory of it.
unsafe impl GlobalAlloc for Counting {
    // SAFETY: the caller's promises are those of `System::alloc`.
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(0, layout.size());
        // SAFETY: passed on as promised.
        unsafe { System.alloc(layout) }
    }

    // SAFETY: the caller's promises are those of `System::alloc_zeroed`.
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        note(0, layout.size());
        // SAFETY: passed on as promised.
        unsafe { System.alloc_zeroed(layout) }
    }

    // SAFETY: the caller's promises are those of `System::realloc`.
    unsafe fn realloc(&self, at: *mut u8, layout: Layout, len: usize) -> *mut u8 {
        note(layout.size(), len);
        // SAFETY: passed on as promised.
        unsafe { System.realloc(at, layout, len) }
    }

    // SAFETY: the caller's promises are those of `System::dealloc`.
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        note_return(layout.size());
        // SAFETY: passed on as promised.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_is_counted() {
        // Other tests may run meanwhile: at least this much.
        let (kept, asked) = counted(|| vec![1u8; 1 << 20]);
        assert!(asked.count >= 1 && asked.len >= kept.len() as u64, "{asked:?}");
        let ((), asked) = counted(|| {
            (0..3).for_each(|_| drop(std::hint::black_box(vec![1u8; 1 << 20])));
        });
        assert!(asked.len >= 3 << 20 && asked.peak >= 1 << 20 && asked.peak < 3 << 20, "{asked:?}");
    }
}
