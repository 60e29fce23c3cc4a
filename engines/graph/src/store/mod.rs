//! A store in a folder: opened, read by snapshots, written by transactions.
//!
//! | file | what |
//! |---|---|
//! | record.rs | a commit as a frame of the log |
//! | replay.rs | the log, read |
//! | group.rs | commits that are synced together |
//! | shared.rs | what handles, transactions and threads share |
//! | transaction.rs | changes that become visible at once |
//!
//! Callers: sparql, load, faces/manicule

mod group;
mod record;
mod replay;
mod shared;
mod transaction;

use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use manicule_core::sorted::HashKeys;
use manicule_store::SharedFiles;
use manicule_store::log::Log;
use manicule_store::publish::{Attempt, Lock};

use crate::error::GraphError;
use crate::snapshot::{Snapshot, State};
use replay::{Replayed, replay};
use shared::Shared;
pub use transaction::{Committed, Transaction};

const LOG_FOLDER: &str = "log";
const LOCK: &str = "lock";
/// Number of the first commit.
const FIRST_COMMIT: u64 = 1;

/// What opening needs to know.
#[derive(Clone, Debug)]
pub struct StoreOptions {
    /// File system that is written through.
    pub files: SharedFiles,
    /// A random number that nobody else knows: hashes of terms depend on it.
    pub random: u64,
}

/// A store that is open for reading and writing. One process has it at a time.
#[derive(Clone, Debug)]
pub struct Store {
    shared: Arc<Shared>,
}

impl Store {
    /// Makes an empty store in a folder that isn't there or is empty.
    pub fn create(folder: &Path, options: &StoreOptions) -> Result<Store, GraphError> {
        let failed = |source| GraphError::Io { file: folder.to_owned(), source };
        fs::create_dir_all(folder).map_err(failed)?;
        let others = |name: &io::Result<fs::DirEntry>| {
            name.as_ref().is_ok_and(|one| one.file_name() != LOCK)
        };
        if fs::read_dir(folder).map_err(failed)?.any(|name| others(&name)) {
            return Err(failed(io::Error::new(
                io::ErrorKind::AlreadyExists,
                "the folder isn't empty",
            )));
        }
        let lock = lock(folder, options)?;
        options.files.create_folder(&folder.join(LOG_FOLDER)).map_err(failed)?;
        options.files.sync_folder(folder).map_err(failed)?;
        Self::open_locked(folder, options, lock)
    }

    /// Opens a store for reading and writing.
    pub fn open(folder: &Path, options: &StoreOptions) -> Result<Store, GraphError> {
        look_for(folder)?;
        Self::open_locked(folder, options, lock(folder, options)?)
    }

    fn open_locked(folder: &Path, options: &StoreOptions, lock: Lock) -> Result<Store, GraphError> {
        let logs = folder.join(LOG_FOLDER);
        let failed = |source| GraphError::Io { file: logs.clone(), source };
        let mut state = State::empty(HashKeys::new(options.random));
        let Replayed { last } = replay(&logs, &mut state)?;
        let log = match last {
            Some((segment, len)) => Log::resume(&options.files, &segment, len),
            None => Log::begin(&options.files, &logs, state.commit + FIRST_COMMIT),
        };
        let log = log.map_err(failed)?;
        Ok(Store { shared: Arc::new(Shared::new(folder.to_owned(), Arc::new(state), log, lock)) })
    }

    /// The store as it is now: all that is durable.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot::new(self.shared.group().visible())
    }

    /// Begins a transaction, after the end of the one that another thread may have.
    pub fn begin(&self) -> Result<Transaction, GraphError> {
        let before = self.shared.group().begin_writing();
        let before = before.map_err(|stopped| self.shared.stopped(stopped))?;
        Ok(Transaction::new(self.shared.clone(), before))
    }
}

/// Opens a store for reading, beside the process that may be writing it: all commits that are in its log now.
pub fn read_store(folder: &Path, random: u64) -> Result<Snapshot, GraphError> {
    look_for(folder)?;
    let mut state = State::empty(HashKeys::new(random));
    replay(&folder.join(LOG_FOLDER), &mut state)?;
    Ok(Snapshot::new(Arc::new(state)))
}

fn look_for(folder: &Path) -> Result<(), GraphError> {
    if folder.join(LOG_FOLDER).is_dir() {
        return Ok(());
    }
    let why = "there is no graph store here; `manicule graph load` makes one".to_owned();
    Err(GraphError::Missing { place: folder.to_owned(), why })
}

fn lock(folder: &Path, options: &StoreOptions) -> Result<Lock, GraphError> {
    let file = folder.join(LOCK);
    match Lock::take(&*options.files, &file) {
        Ok(Attempt::Taken(lock)) => Ok(lock),
        Ok(Attempt::Busy | Attempt::Lost) => Err(GraphError::Busy { store: folder.to_owned() }),
        Err(source) => Err(GraphError::Io { file, source }),
    }
}
