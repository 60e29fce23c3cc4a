//! What a repair found and did, or would do.

use std::fmt;

use manicule_core::ErrorClass;
use manicule_format_restic::Id;

use crate::error::RepoError;
use crate::lock::LockError;

/// What a repair did; of a dry run, what it would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepairReport {
    /// Index files that were read, those that could not be read among them.
    pub index_read: u64,
    /// Index files that stay as they are.
    pub index_kept: u64,
    /// Index files that are removed, ordered by id.
    pub index_removed: Vec<RemovedIndex>,
    /// Number of index files that are written.
    pub index_written: u64,
    /// Their ids; none of a dry run, as these depend on random bytes.
    pub written: Vec<Id>,
    /// Number of packs in storage.
    pub packs: u64,
    /// Number of packs whose headers were read.
    pub headers_read: u64,
    /// Packs whose entries in the index change, and those whose header can't be read; ordered by
    /// what, then id.
    pub changed: Vec<ChangedPack>,
    /// Number of entries that the written index files have.
    pub entries_written: u64,
    /// Number of packs that rustic has marked for deletion; they stay marked.
    pub marked: u64,
}

/// An index file that is removed, after everything in it that holds was written elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemovedIndex {
    /// Its id.
    pub id: Id,
    /// Why it can't be read, if so.
    pub error: Option<String>,
}

/// A pack with what changes of it in the index.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ChangedPack {
    /// What happens.
    pub change: PackChange,
    /// Its id.
    pub id: Id,
}

/// What changes of a pack in the index.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PackChange {
    /// It was in no index file: it is listed now, as its header has it.
    Added {
        /// Number of its blobs.
        blobs: u32,
    },
    /// Its header has other blobs than the index: it is listed as the header has it.
    Replaced {
        /// Number of its blobs.
        blobs: u32,
        /// Number of entries that the index had.
        blobs_before: u32,
    },
    /// Its file is gone: its entries go.
    Missing {
        /// Number of entries that the index had.
        blobs_before: u32,
    },
    /// Its header can't be read. Of the entries that the index had those stay whose blobs could be
    /// read, and those that nothing could be found out about.
    Unreadable {
        /// Number of entries that stay.
        blobs: u32,
        /// Number of entries that the index had.
        blobs_before: u32,
        /// Why not.
        error: String,
    },
}

impl RepairReport {
    /// Whether anything is written or removed.
    pub fn changes_anything(&self) -> bool {
        self.index_written > 0 || !self.index_removed.is_empty()
    }

    /// Whether every pack is listed as its header has it.
    pub fn is_whole(&self) -> bool {
        let is_unreadable =
            |pack: &ChangedPack| matches!(pack.change, PackChange::Unreadable { .. });
        !self.changed.iter().any(is_unreadable)
    }
}

/// Reason why an index was not repaired.
#[derive(Debug)]
#[non_exhaustive]
pub enum RepairError {
    /// The repository is not locked, or not any more.
    Lock(LockError),
    /// It can't be read.
    Repo(RepoError),
    /// By its config nothing may be deleted from it.
    AppendOnly {
        /// The repository.
        place: String,
    },
    /// It is the hot half of a repository: it lacks packs that its index rightly lists.
    HotHalf {
        /// The repository.
        place: String,
    },
    /// The index lists packs, and there is none in storage: rather it isn't all there than that all
    /// are lost.
    NoPacks {
        /// The repository.
        place: String,
        /// Number of packs that the index lists.
        packs: usize,
    },
    /// A new index file was put and is not in the listing, or not as long. Nothing was removed.
    NotListed {
        /// The file.
        file: String,
    },
}

impl RepairError {
    /// Class of the error.
    pub fn class(&self) -> ErrorClass {
        match self {
            RepairError::Lock(error) => error.class(),
            RepairError::Repo(error) => error.class(),
            RepairError::AppendOnly { .. } => ErrorClass::Denied,
            RepairError::HotHalf { .. } => ErrorClass::Asked,
            RepairError::NoPacks { .. } | RepairError::NotListed { .. } => ErrorClass::Damaged,
        }
    }
}

impl fmt::Display for RepairError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RepairError::Lock(error) => error.fmt(f),
            RepairError::Repo(error) => error.fmt(f),
            RepairError::AppendOnly { place } => write!(
                f,
                "{place}: its config says append-only, and a repair removes index files; --dry-run shows what it would do"
            ),
            RepairError::HotHalf { place } => write!(
                f,
                "{place}: the hot half of a repository, without its packs of data: repair the other half"
            ),
            RepairError::NoPacks { place, packs } => write!(
                f,
                "{place}: the index lists packs, {packs}, and data has none of them nor any other: is everything mounted?"
            ),
            RepairError::NotListed { file } => write!(
                f,
                "{file}: written and not found again; the old index files were left where they are"
            ),
        }
    }
}

// Causes are part of the error's own words.
impl std::error::Error for RepairError {}

impl From<LockError> for RepairError {
    fn from(error: LockError) -> Self {
        RepairError::Lock(error)
    }
}

impl From<RepoError> for RepairError {
    fn from(error: RepoError) -> Self {
        RepairError::Repo(error)
    }
}
