//! A store in a folder: opened, read by snapshots, written by transactions.
//!
//! | file | what |
//! |---|---|
//! | record.rs | a commit as a frame of the log |
//! | replay.rs | the log, read |
//! | synced.rs | how far the log was synced, which refutes one that was cut |
//! | options.rs | what opening for writing needs to know |
//! | open.rs | the log of a store that is opened for writing |
//! | group.rs | commits that are synced together |
//! | shared.rs | what handles, transactions and threads share |
//! | transaction.rs | changes that become visible at once |
//! | publish.rs | a generation, put and made the current one |
//! | bulk.rs | a generation made elsewhere: of an empty store filled at once, or of one written from scratch |
//! | pins.rs | generations that are kept under names |
//! | named.rs | a list of them |
//! | merge.rs | commits, merged into a new generation |
//! | beside.rs | the same, beside processes that write |
//! | counted.rs | statistics of a new generation |
//! | folder.rs | lock and folders of a store, and reading while they change |
//! | read.rs | a store read beside its writer |
//! | backup.rs | a copy in another folder |

mod backup;
mod beside;
mod bulk;
mod counted;
mod folder;
mod group;
mod merge;
mod named;
mod open;
mod options;
mod pins;
mod publish;
mod read;
mod record;
mod replay;
mod shared;
mod synced;
mod transaction;
mod vacant;

use std::path::Path;
use std::sync::Arc;

use manicule_core::bytes::mix;
use manicule_core::watch::Watch;
use manicule_store::publish::Lock;
use manicule_store::store::Fetched;

use crate::error::{GraphError, LostCommits};
use crate::snapshot::Snapshot;
use crate::snapshot::generation::Generation;
pub use backup::{BackedUp, back_up};
pub use beside::{Beside, MergedWhen, merge_beside};
pub use bulk::Bulk;
use bulk::rewritten;
pub use counted::current_statistics;
pub use folder::{LOG_FOLDER, is_merging};
use folder::{lock, lock_merging, look_for, make_folders, take_empty};
use merge::{drop_snapshot, is_due_beside, merge, merge_if_over, name_snapshot};
pub use named::{NamedSnapshot, named_snapshots, named_snapshots_in};
pub use open::WhenLost;
use open::{FIRST_LOG, begin_first_log, open_log};
pub use options::{Merges, StoreOptions};
pub use publish::NewFile;
use publish::{NewGeneration, current_text, sweep_others};
use read::read;
pub use read::{
    read_snapshot, read_snapshot_in, read_store, read_store_again, read_store_again_in,
    read_store_in,
};
use shared::{Locks, Shared};
pub(crate) use synced::synced_file;
pub use transaction::{Appended, Committed, Transaction};
pub use vacant::Vacant;

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
        let merging = own_merging(folder, options)?;
        Self::open_locked(folder, options, merging, lock)
    }

    /// Opens a store for reading and writing.
    ///
    /// # Errors
    /// [`GraphError::Busy`] where somebody else writes, [`GraphError::Merging`] where nobody does
    /// and another process merges what this one would.
    pub fn open(folder: &Path, options: &StoreOptions) -> Result<Store, GraphError> {
        look_for(folder)?;
        let merging = own_merging(folder, options);
        let lock = lock(folder, &options.files)?;
        make_folders(folder, &options.files)?;
        Self::open_locked(folder, options, merging?, lock)
    }

    fn open_locked(
        folder: &Path,
        options: &StoreOptions,
        merging: Option<Lock>,
        lock: Lock,
    ) -> Result<Store, GraphError> {
        let local = Fetched::local(folder);
        let current = current_text(local.store())?;
        let (state, replayed) = read(&local, current.as_deref(), options.random)?;
        let files = &options.files;
        let (written, forgotten) = open_log(files, folder, &state, replayed, options.lost)?;
        let sweep = || sweep_others(files, folder, state.base.manifest());
        match if merging.is_some() { Ok(None) } else { lock_merging(folder, files).map(Some) } {
            Ok(_merging) => sweep()?,
            // It will sweep itself.
            Err(GraphError::Merging { .. }) => {}
            Err(error) => return Err(error),
        }
        let kept = state.base.manifest().log;
        let failed = |source| GraphError::Io { file: folder.join(LOG_FOLDER), source };
        written.log.remove_before(kept).map_err(failed)?;
        let locks = Locks { merging, _lock: lock };
        let shared = Shared::new(options, folder.to_owned(), Arc::new(state), written, locks);
        Ok(Store { handle: Arc::new(Handle { shared: Arc::new(shared), forgotten }) })
    }

    /// Whether somebody should call [`merge_beside`]: there is enough for it, and nobody is at it.
    /// Who is will look once more.
    pub fn is_merge_due(&self) -> bool {
        let shared = &self.handle.shared;
        shared.merges() == Merges::Beside
            && is_due_beside(&shared.group().visible())
            && !is_merging(shared.folder())
    }

    /// Number of syncs of the log that commits have waited for: one may be for several commits.
    pub fn sync_count(&self) -> u64 {
        self.handle.shared.sync_count()
    }

    /// The commits that were lost, and given up when the store was opened.
    pub fn forgotten(&self) -> Option<&LostCommits> {
        self.handle.forgotten.as_ref()
    }

    /// The store as it is now: all that is durable.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot::new(self.handle.shared.group().visible())
    }

    /// Begins a transaction, after the end of the one that another thread may have. Where far more
    /// has been committed than merged, a merge comes first.
    pub fn begin(&self) -> Result<Transaction, GraphError> {
        let shared = &self.handle.shared;
        merge_if_over(shared)?;
        Ok(Transaction::new(shared.clone(), shared.begin_writing()?))
    }

    /// Begins to fill the store with leaves and dictionaries; none if anything was ever committed.
    pub fn begin_bulk(&self) -> Result<Option<Bulk>, GraphError> {
        Bulk::begin(&self.handle.shared)
    }

    /// Has `write` publish a generation in place of all that is committed, whose ids may be others.
    /// Readers go on meanwhile with what they have; who writes waits.
    pub fn rewrite<T>(
        &self,
        write: impl FnOnce(Bulk) -> Result<T, GraphError>,
    ) -> Result<T, GraphError> {
        rewritten(&self.handle.shared, write)
    }

    /// Merges all that is committed into leaves and dictionaries. Readers and writers go on
    /// meanwhile; without it, merges are made in the background, each when there is enough for it.
    /// Returns whether there was anything.
    pub fn merge(&self) -> Result<bool, GraphError> {
        merge(&self.handle.shared, &Watch::none())
    }

    /// Keeps the store as it is now under a name, which an older snapshot loses. What is committed
    /// is merged first; nothing is copied.
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
    /// That of the last one, once. What it was to merge stays in the log, and is merged by the next
    /// one.
    pub fn wait_for_merge(&self) -> Result<(), GraphError> {
        self.handle.shared.join_worker();
        self.handle.shared.take_merge_error().map_or(Ok(()), Err)
    }
}

/// The right to merge, of a handle that has it as long as the store.
fn own_merging(folder: &Path, options: &StoreOptions) -> Result<Option<Lock>, GraphError> {
    match options.merges {
        Merges::Here => lock_merging(folder, &options.files).map(Some),
        Merges::Beside | Merges::Elsewhere => Ok(None),
    }
}
