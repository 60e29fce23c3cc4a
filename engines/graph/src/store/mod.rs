//! A store in a folder: opened, read by snapshots, written by transactions.
//!
//! | file | what |
//! |---|---|
//! | record.rs | a commit as a frame of the log |
//! | replay.rs | the log, read |
//! | synced.rs | how far the log was synced, which refutes one that was cut |
//! | open.rs | the log of a store that is opened for writing |
//! | group.rs | commits that are synced together |
//! | shared.rs | what handles, transactions and threads share |
//! | transaction.rs | changes that become visible at once |
//! | publish.rs | a generation, put and made the current one |
//! | bulk.rs | a generation made elsewhere: of an empty store filled at once, or of one written from scratch |
//! | pins.rs | generations that are kept under names |
//! | named.rs | a list of them |
//! | merge.rs | commits, merged into a new generation |
//! | counted.rs | statistics of a new generation |
//! | folder.rs | lock and folders of a store, and reading while they change |
//! | read.rs | a store read beside its writer |
//! | backup.rs | a copy in another folder |
//!
//! Callers: sparql, load, faces/manicule

mod backup;
mod bulk;
mod counted;
mod folder;
mod group;
mod merge;
mod named;
mod open;
mod pins;
mod publish;
mod read;
mod record;
mod replay;
mod shared;
mod synced;
mod transaction;

use std::path::Path;
use std::sync::Arc;

use manicule_core::bytes::mix;
use manicule_core::watch::Watch;
use manicule_store::SharedFiles;
use manicule_store::publish::Lock;

use crate::base::LeafSizes;
use crate::error::{GraphError, LostCommits};
use crate::snapshot::Snapshot;
use crate::snapshot::generation::Generation;
pub use backup::{BackedUp, back_up};
pub use bulk::Bulk;
use bulk::rewritten;
pub use counted::current_statistics;
pub use folder::LOG_FOLDER;
use folder::{lock, look_for, make_folders, take_empty};
use merge::{drop_snapshot, is_over, merge, name_snapshot};
pub use named::{NamedSnapshot, named_snapshots};
pub use open::WhenLost;
use open::{FIRST_LOG, begin_first_log, open_log};
pub use publish::NewFile;
use publish::{NewGeneration, sweep_others};
use read::read;
pub use read::{read_snapshot, read_store, read_store_again};
use shared::Shared;
pub(crate) use synced::synced_file;
pub use transaction::{Committed, Transaction};

/// What opening needs to know.
#[derive(Clone, Debug)]
pub struct StoreOptions {
    /// File system that is written through.
    pub files: SharedFiles,
    /// A random number that nobody else knows: hashes of terms depend on it.
    pub random: u64,
    /// Sizes of the leaves that merges make. Any process may write a store with any of them.
    pub leaves: LeafSizes,
    /// What becomes of commits that a damaged log has lost.
    pub lost: WhenLost,
}

/// A store that is open for reading and writing. One process has it at a time.
#[derive(Clone, Debug)]
pub struct Store {
    handle: Arc<Handle>,
}

/// What all handles of a store share. Dropped, it stops a merge in the background.
#[derive(Debug)]
struct Handle {
    shared: Arc<Shared>,
    forgotten: Option<LostCommits>,
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.shared.close();
    }
}

impl Store {
    /// Makes an empty store in a folder that isn't there or is empty.
    pub fn create(folder: &Path, options: &StoreOptions) -> Result<Store, GraphError> {
        let lock = take_empty(folder, &options.files)?;
        let [high, low] = [1, 2].map(|part| mix(options.random, part).to_le_bytes());
        let store_id = [high, low].concat().try_into().expect("sixteen bytes");
        let before = Generation::empty(store_id);
        let mut first = NewGeneration::after(&options.files, folder, before.manifest());
        begin_first_log(&options.files, folder)?;
        first.manifest().log = FIRST_LOG;
        first.put_manifest()?;
        first.make_current()?;
        Self::open_locked(folder, options, lock)
    }

    /// Opens a store for reading and writing.
    pub fn open(folder: &Path, options: &StoreOptions) -> Result<Store, GraphError> {
        look_for(folder)?;
        let lock = lock(folder, &options.files)?;
        make_folders(folder, &options.files)?;
        Self::open_locked(folder, options, lock)
    }

    fn open_locked(folder: &Path, options: &StoreOptions, lock: Lock) -> Result<Store, GraphError> {
        let (state, replayed) = read(folder, options.random)?;
        let files = &options.files;
        let (written, forgotten) = open_log(files, folder, &state, replayed, options.lost)?;
        sweep_others(files, folder, state.base.manifest())?;
        let kept = state.base.manifest().log;
        let failed = |source| GraphError::Io { file: folder.join(LOG_FOLDER), source };
        written.log.remove_before(kept).map_err(failed)?;
        let shared = Shared::new(
            files.clone(),
            folder.to_owned(),
            options.leaves,
            Arc::new(state),
            written,
            lock,
        );
        Ok(Store { handle: Arc::new(Handle { shared: Arc::new(shared), forgotten }) })
    }

    /// The commits that were lost, and given up when the store was opened.
    pub fn forgotten(&self) -> Option<&LostCommits> {
        self.handle.forgotten.as_ref()
    }

    /// The store as it is now: all that is durable.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot::new(self.handle.shared.group().visible())
    }

    /// Begins a transaction, after the end of the one that another thread may have. Where far more has been committed than merged, a
    /// merge comes first.
    pub fn begin(&self) -> Result<Transaction, GraphError> {
        let shared = &self.handle.shared;
        if is_over(&shared.group().visible()) {
            merge(shared, &Watch::none())?;
        }
        Ok(Transaction::new(shared.clone(), shared.begin_writing()?))
    }

    /// Begins to fill the store with leaves and dictionaries; none if anything was ever committed.
    pub fn begin_bulk(&self) -> Result<Option<Bulk>, GraphError> {
        Bulk::begin(&self.handle.shared)
    }

    /// Has `write` publish a generation in place of all that is committed, whose ids may be others. Readers go on meanwhile with what they
    /// have; who writes waits.
    pub fn rewrite<T>(
        &self,
        write: impl FnOnce(Bulk) -> Result<T, GraphError>,
    ) -> Result<T, GraphError> {
        rewritten(&self.handle.shared, write)
    }

    /// Merges all that is committed into leaves and dictionaries. Readers and writers go on meanwhile; without it, merges are made in
    /// the background, each when there is enough for it. Returns whether there was anything.
    pub fn merge(&self) -> Result<bool, GraphError> {
        merge(&self.handle.shared, &Watch::none())
    }

    /// Keeps the store as it is now under a name, which an older snapshot loses. What is committed is merged first; nothing is copied.
    pub fn name_snapshot(&self, name: &str) -> Result<(), GraphError> {
        name_snapshot(&self.handle.shared, name)
    }

    /// Forgets a named snapshot. Returns whether there was one.
    pub fn drop_snapshot(&self, name: &str) -> Result<bool, GraphError> {
        drop_snapshot(&self.handle.shared, name)
    }

    /// Waits until no merge is being made in the background.
    ///
    /// # Errors
    /// That of the last one, once. What it was to merge stays in the log, and is merged by the next one.
    pub fn wait_for_merge(&self) -> Result<(), GraphError> {
        self.handle.shared.join_worker();
        self.handle.shared.take_merge_error().map_or(Ok(()), Err)
    }
}
