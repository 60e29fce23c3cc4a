//! Calls of a library that panics at some of what it reads.
//!
//! The `parquet` library trusts numbers that a file repeats to agree with each other, and panics
//! where they don't: a slice that ends before it begins, a dictionary that never came. For whoever
//! reads such a file that is damage like any other, so it becomes an answer like any other; in a
//! program whose panics abort, its last one. Only the library's own calls belong in here: a panic
//! of ours is a mistake of ours, and has to be seen.

use std::any::Any;
use std::cell::RefCell;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::path::{Path, PathBuf};
use std::sync::Once;

thread_local! {
    /// The file that this thread reads inside of [`caught`].
    static FILE: RefCell<Option<PathBuf>> = const { RefCell::new(None) };
}

/// Exit code of a program that can't read what it was given.
const FAILED: i32 = 2;

/// The result of a call, or what its panic says, in one line.
///
/// What the call borrows mustn't be used after a panic, only dropped. Where panics abort
/// (`panic = "abort"`), nothing can be dropped and nobody answered: the program says it on standard
/// error, and ends with 2.
pub(super) fn caught<T>(file: &Path, call: impl FnOnce() -> T) -> Result<T, String> {
    static HOOKED: Once = Once::new();
    HOOKED.call_once(hook);
    let outer = FILE.replace(Some(file.to_owned()));
    let result = catch_unwind(AssertUnwindSafe(call));
    FILE.set(outer);
    result.map_err(|panic| message(&*panic))
}

/// Puts a hook before the program's own, which is called for all panics but those that are caught
/// here: they are reported as errors, and needn't be on standard error as well. A hook that is set
/// later replaces both, and costs no more than silence.
fn hook() {
    let others = take_hook();
    set_hook(Box::new(move |panic| {
        match FILE.try_with(|file| file.try_borrow().ok().and_then(|file| file.clone())) {
            Ok(Some(file)) if cfg!(panic = "abort") => {
                let line = format!("manicule: {}: {}\n", file.display(), message(panic.payload()));
                let _ = std::io::stderr().lock().write_all(line.as_bytes());
                std::process::exit(FAILED);
            }
            Ok(Some(_)) => {}
            Ok(None) | Err(_) => others(panic),
        }
    }));
}

/// What a panic says; `assert_eq!` says it in three lines.
fn message(panic: &(dyn Any + Send)) -> String {
    let said = panic.downcast_ref::<&str>().copied();
    let said = said.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    let said = said.unwrap_or("it panicked").split_whitespace().collect::<Vec<_>>().join(" ");
    format!("the Parquet library can't read it: {said}")
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

    use super::*;

    fn call<T>(call: impl FnOnce() -> T) -> Result<T, String> {
        caught(Path::new("file"), call)
    }

    #[test]
    fn a_panic_is_its_message_in_one_line() {
        #[track_caller]
        fn check(got: Result<i32, String>, want: &str) {
            assert_eq!(got, Err(format!("the Parquet library can't read it: {want}")));
        }
        assert_eq!(call(|| 5), Ok(5));
        check(call(|| panic!("a text")), "a text");
        check(call(|| panic!("{} of 3", 2)), "2 of 3");
        let differ = || -> i32 {
            assert_eq!(1, 2);
            0
        };
        check(call(differ), "assertion `left == right` failed left: 1 right: 2");
        check(call(|| std::panic::panic_any(7)), "it panicked");
    }

    #[test]
    fn hooks_see_the_panics_that_are_not_caught_here() {
        static SEEN: AtomicUsize = AtomicUsize::new(0);
        // Before the hook of the program is replaced by the test's, so that this is the outer one.
        call(|| ()).unwrap();
        let ours = take_hook();
        set_hook(Box::new(|panic| {
            let said = panic.payload().downcast_ref::<&str>().copied();
            SEEN.fetch_add(usize::from(said == Some("mine")), SeqCst);
        }));
        hook();
        let mine = || -> usize { panic!("mine") };
        assert!(call(mine).is_err() && SEEN.load(SeqCst) == 0);
        assert!(catch_unwind(mine).is_err() && SEEN.load(SeqCst) == 1);
        // One inside of another: the outer call is caught to its end.
        let both = || (call(mine).is_err(), mine());
        assert!(call(both).is_err() && SEEN.load(SeqCst) == 1);
        set_hook(ours);
    }
}
