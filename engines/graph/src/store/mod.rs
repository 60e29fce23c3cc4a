//! A store in a folder: opened, read by snapshots, written by transactions.
//!
//! | file | what |
//! |---|---|
//! | record.rs | a commit as a frame of the log |
//! | replay.rs | the log, read |
//! | group.rs | commits that are synced together |
//! | shared.rs | what handles, transactions and threads share |
//! | transaction.rs | changes that become visible at once |
//! | publish.rs | a generation, put and made the current one |
//! | bulk.rs | an empty store filled at once |
//! | pins.rs | generations that are kept under names |
//! | merge.rs | commits, merged into a new generation |
//!
//! Callers: sparql, load, faces/manicule

mod bulk;
mod group;
mod merge;
mod pins;
mod publish;
mod record;
mod replay;
mod shared;
mod transaction;

use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use manicule_core::bytes::mix;
use manicule_core::sorted::HashKeys;
use manicule_store::log::Log;
use manicule_store::publish::{Attempt, Lock};
use manicule_store::{SharedFiles, list_names};

use crate::error::GraphError;
use crate::snapshot::generation::{DICTIONARY_FOLDER, Generation, LEAF_FOLDER};
use crate::snapshot::{Snapshot, State};
pub use bulk::Bulk;
use merge::{drop_snapshot, is_over, merge, name_snapshot};
use pins::{PIN_FOLDER, pin_names, pinned};
use publish::{CURRENT, NewGeneration, current, sweep_others};
use replay::{Replayed, replay};
use shared::Shared;
pub use transaction::{Committed, Transaction};

const LOG_FOLDER: &str = "log";
const LOCK: &str = "lock";
/// Folders of a store.
const FOLDERS: [&str; 4] = [LOG_FOLDER, LEAF_FOLDER, DICTIONARY_FOLDER, PIN_FOLDER];

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
    handle: Arc<Handle>,
}

/// What all handles of a store share. Dropped, it waits for the end of a merge.
#[derive(Debug)]
struct Handle {
    shared: Arc<Shared>,
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.shared.join_worker();
    }
}

impl Store {
    /// Makes an empty store in a folder that isn't there or is empty.
    pub fn create(folder: &Path, options: &StoreOptions) -> Result<Store, GraphError> {
        let failed = |source| GraphError::Io { file: folder.to_owned(), source };
        fs::create_dir_all(folder).map_err(failed)?;
        let lock = lock(folder, options)?;
        for name in list_names(folder).map_err(failed)? {
            let name = name.name.to_string_lossy().into_owned();
            // What is left of one that was being made is taken over.
            if !FOLDERS.contains(&&*name)
                && name != LOCK
                && !name.starts_with("manifest-")
                && name != "CURRENT.aside"
            {
                let source = io::Error::new(io::ErrorKind::AlreadyExists, "the folder isn't empty");
                return Err(failed(source));
            }
        }
        for name in FOLDERS {
            let path = folder.join(name);
            if !path.is_dir() {
                options.files.create_folder(&path).map_err(failed)?;
            }
        }
        options.files.sync_folder(folder).map_err(failed)?;
        let [high, low] = [1, 2].map(|part| mix(options.random, part).to_le_bytes());
        let store_id = [high, low].concat().try_into().expect("sixteen bytes");
        let before = Generation::empty(store_id);
        let mut first = NewGeneration::after(&options.files, folder, before.manifest());
        first.put_manifest()?;
        first.make_current()?;
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
        let (state, Replayed { last }) = read(folder, options.random)?;
        let files = &options.files;
        let log = match last {
            Some((segment, len)) => Log::resume(files, &segment, len),
            None => Log::begin(files, &logs, state.commit + 1),
        };
        let log = log.map_err(failed)?;
        sweep_others(files, folder, state.base.manifest())?;
        log.remove_before(state.base.manifest().log).map_err(failed)?;
        let shared = Shared::new(files.clone(), folder.to_owned(), Arc::new(state), log, lock);
        Ok(Store { handle: Arc::new(Handle { shared: Arc::new(shared) }) })
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
            merge(shared)?;
        }
        Ok(Transaction::new(shared.clone(), shared.begin_writing()?))
    }

    /// Begins to fill the store with leaves and dictionaries; none if anything was ever committed.
    pub fn begin_bulk(&self) -> Result<Option<Bulk>, GraphError> {
        Bulk::begin(&self.handle.shared)
    }

    /// Merges all that is committed into leaves and dictionaries. Readers and writers go on meanwhile; without it, merges are made in
    /// the background, each when there is enough for it. Returns whether there was anything.
    pub fn merge(&self) -> Result<bool, GraphError> {
        merge(&self.handle.shared)
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

/// How often a store is looked at again whose files are replaced while they are opened.
const TRIES: usize = 100;

/// Opens a store for reading, beside the process that may be writing it: all commits that are in its log now.
pub fn read_store(folder: &Path, random: u64) -> Result<Snapshot, GraphError> {
    look_for(folder)?;
    read_settled(folder, || read(folder, random))
}

/// The store as it is now, for who has read it before: files that are still the same stay mapped, and of the log only commits that are
/// new become layers.
pub fn read_store_again(folder: &Path, before: &Snapshot) -> Result<Snapshot, GraphError> {
    let before = before.state();
    read_settled(folder, || {
        let manifest = current(folder)?.ok_or_else(|| missing(folder))?;
        let mut state = if manifest.generation == before.base.manifest().generation {
            State::clone(before)
        } else {
            let generation = Generation::open(folder, manifest, Some(&before.base))?;
            State::of(Arc::new(generation), before.keys)
        };
        let replayed = replay(&folder.join(LOG_FOLDER), &mut state)?;
        Ok((state, replayed))
    })
}

/// Reads again while generations are published meanwhile: a merge may have removed what the old manifest names, and the log after it.
fn read_settled(
    folder: &Path,
    read: impl Fn() -> Result<(State, Replayed), GraphError>,
) -> Result<Snapshot, GraphError> {
    let name = || fs::read(folder.join(CURRENT)).ok();
    let mut tries = 0;
    loop {
        let before = name();
        let read = read();
        tries += 1;
        if before == name() || tries == TRIES {
            return read.map(|(state, _)| Snapshot::new(Arc::new(state)));
        }
    }
}

/// The names of snapshots, in order.
pub fn snapshot_names(folder: &Path) -> Result<Vec<String>, GraphError> {
    look_for(folder)?;
    pin_names(folder)
}

/// Opens a store as it was when a snapshot was named.
pub fn read_snapshot(folder: &Path, name: &str, random: u64) -> Result<Snapshot, GraphError> {
    look_for(folder)?;
    let manifest = pinned(folder, name)?.ok_or_else(|| {
        let why = format!("there is no snapshot {name:?}; `manicule graph snapshot` makes one");
        GraphError::Missing { place: folder.to_owned(), why }
    })?;
    let generation = Arc::new(Generation::open(folder, manifest, None)?);
    Ok(Snapshot::new(Arc::new(State::of(generation, HashKeys::new(random)))))
}

/// The current generation with the commits after it.
fn read(folder: &Path, random: u64) -> Result<(State, Replayed), GraphError> {
    let manifest = current(folder)?.ok_or_else(|| missing(folder))?;
    let generation = Arc::new(Generation::open(folder, manifest, None)?);
    let mut state = State::of(generation, HashKeys::new(random));
    let replayed = replay(&folder.join(LOG_FOLDER), &mut state)?;
    Ok((state, replayed))
}

fn look_for(folder: &Path) -> Result<(), GraphError> {
    if folder.join(CURRENT).is_file() { Ok(()) } else { Err(missing(folder)) }
}

fn missing(folder: &Path) -> GraphError {
    let why = "there is no graph store here; `manicule graph load` makes one".to_owned();
    GraphError::Missing { place: folder.to_owned(), why }
}

fn lock(folder: &Path, options: &StoreOptions) -> Result<Lock, GraphError> {
    let file = folder.join(LOCK);
    match Lock::take(&*options.files, &file) {
        Ok(Attempt::Taken(lock)) => Ok(lock),
        Ok(Attempt::Busy | Attempt::Lost) => Err(GraphError::Busy { store: folder.to_owned() }),
        Err(source) => Err(GraphError::Io { file, source }),
    }
}
