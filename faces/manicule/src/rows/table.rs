//! A table that is open: its reading verbs are methods, of any number of threads at once.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use manicule_rows::table::{Ahead, LeftOut, Listed, Sstable, TableOptions};
use manicule_store::pages::Reading;

use super::error::Error;
use super::listing::Listing;
use super::open::{OpenCall, reading_within, reads, several};

/// The SSTables of a folder, or one of them, open to be read beside the server that writes them.
///
/// It shows the moment at which it was opened, or last [looked again](Table::look_again). From call
/// to call it keeps what is dear: SSTables stay open that a verb has opened, and all share a cache.
/// Opening lists the folder; a verb opens what it needs.
///
/// A server merges SSTables and removes them while they are read: a verb that meets one that is
/// gone looks again by itself, and begins once more.
///
/// ```
/// use manicule::rows::{OpenCall, Table};
///
/// let folder = tempfile::tempdir()?;
/// let error = Table::open(&OpenCall::new(folder.path().to_owned())).unwrap_err();
/// assert_eq!(error.class(), manicule::ErrorClass::Missing);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Table {
    path: PathBuf,
    memory: u64,
    ahead: Ahead,
    pub(super) reads: TableOptions,
    seen: RwLock<Arc<Listing>>,
    /// Held by who lists the folder: what is seen never goes back.
    looking: Mutex<()>,
}

/// All SSTables of a table, open.
#[derive(Clone, Debug)]
pub struct Sstables {
    /// The SSTables, by version and generation.
    pub list: Vec<Sstable>,
    /// Files that are no finished SSTable.
    pub left_out: Vec<LeftOut>,
}

impl Table {
    /// Opens the table of a path as it is now.
    ///
    /// # Errors
    /// A path without a finished SSTable.
    pub fn open(call: &OpenCall) -> Result<Self, Error> {
        let OpenCall { path, memory, ahead } = call;
        Ok(Table {
            path: path.clone(),
            memory: *memory,
            ahead: *ahead,
            reads: reads()?,
            seen: RwLock::new(Arc::new(Listing::of(path, *ahead, None)?)),
            looking: Mutex::new(()),
        })
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Shows the table as it is now from here on. Calls that have begun go on with what they have.
    /// Costs a listing, and a look at each file of the SSTables that are open; those that are still
    /// the same stay so.
    pub fn look_again(&self) -> Result<(), Error> {
        self.list_again().map(|_| ())
    }

    /// Its SSTables, each opened if it isn't yet.
    pub fn sstables(&self) -> Result<Sstables, Error> {
        let (list, listing) = self.opened()?;
        Ok(Sstables { list, left_out: listing.left_out.clone() })
    }

    /// Its SSTables, and the list that they are of.
    pub(super) fn opened(&self) -> Result<(Vec<Sstable>, Arc<Listing>), Error> {
        self.with_listing(|listing| {
            self.reading(|reading| Ok(listing.sstables(&self.reads, reading)?))
        })
    }

    /// The only SSTable, and its files.
    pub(super) fn only(&self) -> Result<(Sstable, Listed), Error> {
        let (mut sstables, listing) = self.opened()?;
        match &listing.listed[..] {
            [listed] => Ok((sstables.remove(0), listed.clone())),
            listed => Err(several(&self.path, listed)),
        }
    }

    /// Does a job with the list: again, once, with a new one, where a file of an SSTable has
    /// vanished since it was made.
    pub(super) fn with_listing<T>(
        &self,
        mut job: impl FnMut(&Listing) -> Result<T, Error>,
    ) -> Result<(T, Arc<Listing>), Error> {
        let listing = self.listing();
        match job(&listing) {
            Err(Error::Rows(error)) if error.is_vanished() => {
                let listing = self.list_again()?;
                Ok((job(&listing)?, listing))
            }
            done => Ok((done?, listing)),
        }
    }

    /// Does a job within the memory of a query.
    pub(super) fn reading<T>(&self, job: impl FnOnce(&mut Reading<'_>) -> T) -> T {
        reading_within(self.memory, job)
    }

    pub(super) fn memory(&self) -> u64 {
        self.memory
    }

    fn listing(&self) -> Arc<Listing> {
        Arc::clone(&self.seen.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn list_again(&self) -> Result<Arc<Listing>, Error> {
        let _looking = self.looking.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Arc::new(Listing::of(&self.path, self.ahead, Some(&self.listing()))?);
        *self.seen.write().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&now);
        Ok(now)
    }
}
