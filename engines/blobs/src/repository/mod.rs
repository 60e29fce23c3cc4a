//! A repository that was opened with a password: where it is stored, its key, and its config.
//!
//! Bytes:   docs/formats/restic.md

mod again;
mod open;
mod read;

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use manicule_format_restic::{Config, Id, Key};

use crate::cache::trees::CachedTrees;
use crate::index::Index;
use crate::storage::Storage;

pub use open::{Ahead, KeySearch, OpenedRepository};
pub(crate) use open::{read_config, read_key};
pub(crate) use read::{INDEX_LIMITS, LOCK_LIMITS, SNAPSHOT_LIMITS, Unpacking, bring_whole};

/// A repository that was opened. Nothing but its config is in memory, and nothing is written.
#[derive(Clone, Debug)]
pub struct Repository {
    storage: Arc<dyn Storage>,
    key: Arc<Key>,
    key_id: Id,
    config: Config,
    /// Its trees in the cache of a call that asked for one.
    trees: Arc<OnceLock<CachedTrees>>,
    /// Root trees of the snapshots that were read last, where the index may be older than they.
    roots: Arc<Mutex<Vec<Id>>>,
    /// Its index, read once more in the course of a call.
    again: Arc<OnceLock<Option<Index>>>,
}

impl Repository {
    /// Where it is stored.
    pub fn storage(&self) -> &dyn Storage {
        &*self.storage
    }

    /// Its config.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The key file that the password opened.
    pub fn key_id(&self) -> Id {
        self.key_id
    }

    /// Its trees in a cache, if that holds them all.
    pub(crate) fn cached_trees(&self) -> Option<&CachedTrees> {
        self.trees.get()
    }

    /// From now on trees come from a cache; the first one that is given stays.
    pub(crate) fn use_trees(&self, trees: CachedTrees) {
        let _ = self.trees.set(trees);
    }

    /// Notes the root trees of all snapshots.
    pub(crate) fn note_roots(&self, roots: Vec<Id>) {
        *self.roots.lock().unwrap_or_else(PoisonError::into_inner) = roots;
    }

    /// The root trees that were noted, once.
    pub(crate) fn take_roots(&self) -> Vec<Id> {
        std::mem::take(&mut *self.roots.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Its master key.
    pub(crate) fn key(&self) -> &Key {
        &self.key
    }
}
