//! Calls of a library that panics at some of what it reads.
//!
//! The `parquet` library trusts numbers that a file repeats to agree with each other, and panics
//! where they don't: a slice that ends before it begins, a dictionary that never came. For whoever
//! reads such a file that is damage like any other, so it becomes an error like any other. Where
//! panics abort, the program's hook has the last word: [`library_panic`] tells it what to say.
//! Only the library's own calls belong in here: a panic of ours is a mistake of ours, and has to be
//! seen.

use std::any::Any;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

thread_local! {
    /// The file that this thread reads inside of [`caught`].
    static FILE: RefCell<Option<PathBuf>> = const { RefCell::new(None) };
}

/// The result of a call, or what its panic says, in one line.
///
/// What the call borrows mustn't be used after a panic, only dropped.
pub(super) fn caught<T>(file: &Path, call: impl FnOnce() -> T) -> Result<T, String> {
    let outer = FILE.replace(Some(file.to_owned()));
    let result = catch_unwind(AssertUnwindSafe(call));
    FILE.set(outer);
    result.map_err(|panic| message(&*panic))
}

/// The error that a panic becomes, if this thread is within a call of the library.
pub(crate) fn library_panic(panic: &(dyn Any + Send)) -> Option<String> {
    let file = FILE.try_with(|file| file.try_borrow().ok().and_then(|file| file.clone()));
    file.ok()?.map(|file| format!("{}: {}", file.display(), message(panic)))
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
    use std::panic::{set_hook, take_hook};

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
    fn a_hook_is_told_what_is_caught_here() {
        thread_local! {
            static SAID: RefCell<Vec<Option<String>>> = const { RefCell::new(Vec::new()) };
        }
        let others = take_hook();
        set_hook(Box::new(|panic| {
            SAID.with_borrow_mut(|all| all.push(library_panic(panic.payload())))
        }));
        let mine = || -> usize { panic!("mine") };
        assert!(call(mine).is_err() && catch_unwind(mine).is_err());
        // One inside of another: the outer call is the library's still.
        let both = || (call(mine).is_err(), mine());
        assert!(call(both).is_err());
        set_hook(others);
        let want = || Some("file: the Parquet library can't read it: mine".to_owned());
        assert_eq!(SAID.take(), [want(), None, want(), want()]);
    }
}
