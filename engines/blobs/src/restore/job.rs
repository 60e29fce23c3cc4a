//! What a restoration has in hand.
//!
//! Callers: restore

use std::collections::{HashMap, HashSet};
use std::path::Path;

use manicule_core::watch::Watch;
use manicule_store::InsideFolder;

use super::level::Level;
use super::options::{RestoreError, RestoreOptions, RestoreSums, Selection};
use crate::content::ContentReader;
use crate::find::State;
use crate::index::Index;
use crate::packs::BlobReader;
use crate::repository::Repository;

/// A file that was put, for its further names: the names of its folder below the target, and its own.
pub(super) type Put = (Vec<Vec<u8>>, Vec<u8>);

pub(super) struct Restore<'r> {
    pub(super) trees: BlobReader<'r>,
    pub(super) contents: ContentReader<'r>,
    pub(super) options: &'r RestoreOptions,
    /// `None` where nothing is written.
    pub(super) target: Option<InsideFolder>,
    pub(super) levels: Vec<Level>,
    /// By inode and device.
    pub(super) put: HashMap<(u64, u64), Put>,
    /// Those that were met, put or not.
    pub(super) links_met: HashSet<(u64, u64)>,
    pub(super) file_count: u64,
    pub(super) sums: RestoreSums,
    pub(super) failed: &'r mut dyn FnMut(&[u8], &str),
}

impl<'r> Restore<'r> {
    pub(super) fn new(
        repository: &'r Repository,
        index: &'r Index,
        target: &Path,
        options: &'r RestoreOptions,
        watch: &'r Watch<'r>,
        failed: &'r mut dyn FnMut(&[u8], &str),
    ) -> Result<Self, RestoreError> {
        let wrong = |source| RestoreError::Target { path: target.to_owned(), source };
        let opened = (!options.is_dry).then(|| InsideFolder::create(target, 0o700));
        Ok(Restore {
            trees: BlobReader::new(repository, index),
            contents: ContentReader::new(repository, index, watch),
            options,
            target: opened.transpose().map_err(wrong)?,
            levels: Vec::new(),
            put: HashMap::new(),
            links_met: HashSet::new(),
            file_count: 0,
            sums: RestoreSums::default(),
            failed,
        })
    }

    pub(super) fn start(&self) -> State {
        match &self.options.selection {
            Selection::All => State(0),
            Selection::Only(patterns) | Selection::Without(patterns) => patterns.start(),
        }
    }

    pub(super) fn fail(&mut self, path: &[u8], why: &str) {
        self.sums.failures += 1;
        (self.failed)(path, why);
    }
}
