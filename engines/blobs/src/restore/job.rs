//! What a restoration has in hand.

use std::collections::{HashMap, HashSet};
use std::io;
use std::path::Path;

use manicule_core::watch::Watch;
use manicule_store::InsideFolder;

use super::failure::{Failure, Fault};
use super::level::Level;
use super::options::{RestoreError, RestoreEvent, RestoreOptions, RestoreSums, Selection};
use crate::content::ContentReader;
use crate::find::State;
use crate::index::Index;
use crate::packs::BlobReader;
use crate::repository::Repository;

/// A file that may have several names.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct FileKey {
    pub(super) inode: u64,
    pub(super) device: u64,
}

/// A file that was put, for its further names: the names of its folder below the target, and its
/// own.
pub(super) type Put = (Vec<Vec<u8>>, Vec<u8>);

pub(super) struct Restore<'r> {
    pub(super) repository: &'r Repository,
    pub(super) index: &'r Index,
    pub(super) watch: &'r Watch<'r>,
    pub(super) trees: BlobReader<'r>,
    pub(super) contents: ContentReader<'r>,
    pub(super) options: &'r RestoreOptions,
    /// `None` where nothing is written.
    pub(super) target: Option<InsideFolder>,
    /// The target as it is, where nothing is written; `None` if it is not there either.
    pub(super) dry_target: Option<InsideFolder>,
    /// Whether what is not in the snapshot is removed: not from when on a folder had a name that
    /// none can have.
    pub(super) is_deleting: bool,
    /// A piece of a file that is compared.
    pub(super) buffer: Vec<u8>,
    pub(super) levels: Vec<Level>,
    /// Files with several names: where the first one is, or why it is not there.
    pub(super) put: HashMap<FileKey, Result<Put, Fault>>,
    /// Those that were met, put or not.
    pub(super) links_met: HashSet<FileKey>,
    pub(super) file_count: u64,
    pub(super) sums: RestoreSums,
    pub(super) report: &'r mut dyn FnMut(RestoreEvent<'_>),
}

impl<'r> Restore<'r> {
    pub(super) fn new(
        repository: &'r Repository,
        index: &'r Index,
        target: &Path,
        options: &'r RestoreOptions,
        watch: &'r Watch<'r>,
        report: &'r mut dyn FnMut(RestoreEvent<'_>),
    ) -> Result<Self, RestoreError> {
        let wrong = |source: io::Error| RestoreError::Target { path: target.to_owned(), source };
        let (opened, dry) = if options.is_dry {
            (None, InsideFolder::open(target).map_err(wrong)?)
        } else {
            (Some(InsideFolder::create(target, 0o700).map_err(wrong)?), None)
        };
        Ok(Restore {
            repository,
            index,
            watch,
            trees: BlobReader::new(repository, index),
            contents: ContentReader::new(repository, index, watch),
            options,
            target: opened,
            dry_target: dry,
            is_deleting: options.is_deleting,
            buffer: Vec::new(),
            levels: Vec::new(),
            put: HashMap::new(),
            links_met: HashSet::new(),
            file_count: 0,
            sums: RestoreSums::default(),
            report,
        })
    }

    pub(super) fn start(&self) -> State {
        match &self.options.selection {
            Selection::All => State(0),
            Selection::Only(patterns) | Selection::Without(patterns) => patterns.start(),
        }
    }

    pub(super) fn fail(&mut self, path: &[u8], Failure { fault, why }: Failure) {
        self.sums.failures += 1;
        (self.report)(RestoreEvent::Failed { path, fault, why: &why });
    }
}
