//! What a call has listed at an address, for who opens it next.
//!
//! To recognise what lies at an address is a listing of it, and most of what is opened begins with
//! the same one. Who has recognised it lends the listing to who opens it, on the same thread.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use manicule_store::store::Listed;

thread_local! {
    /// The listings that are lent.
    static LENT: RefCell<Vec<Listing>> = const { RefCell::new(Vec::new()) };
}

/// What lies directly below an address, as it was listed a moment ago.
#[derive(Clone, Debug)]
pub(crate) struct Listing {
    pub(crate) path: PathBuf,
    pub(crate) listed: Vec<Listed>,
}

impl Listing {
    /// Lends listings to a job that opens their addresses: the first to ask for one has it.
    pub(crate) fn lend<R>(listings: Vec<Listing>, job: impl FnOnce() -> R) -> R {
        /// Takes back those that nobody has asked for, also where the job panics.
        struct End;

        impl Drop for End {
            fn drop(&mut self) {
                LENT.set(Vec::new());
            }
        }

        let _end = End;
        LENT.set(listings);
        job()
    }

    /// The entries of an address, if they are lent.
    pub(super) fn take(path: &Path) -> Option<Vec<Listed>> {
        LENT.with_borrow_mut(|lent| {
            let place = lent.iter().position(|own| own.path == path)?;
            Some(lent.swap_remove(place).listed)
        })
    }
}
