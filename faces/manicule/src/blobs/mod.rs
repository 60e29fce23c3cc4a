//! restic repositories: a [`Repository`] is opened once, and what lists, searches, weighs, looks up
//! through time and restores is a method of it. Each module holds a verb, its call, and its report.
//!
//! Nothing here writes into a repository, not even a lock, but for [`repair`].

pub mod cat;
pub mod check;
pub mod choose;
pub mod cost;
pub mod diff;
pub mod dump;
mod entries;
pub mod environment;
mod error;
pub mod export;
pub mod find;
pub mod history;
pub mod inspect;
pub mod json;
mod kept;
pub mod list;
pub mod ls;
pub mod open;
pub mod password;
pub mod paths;
pub mod prune;
mod raw_files;
pub mod repair;
pub mod restore;
pub mod snapshots;
pub mod stats;
mod walk;

pub use cost::CostCall;
pub use dump::{ArchiveForm, DumpCall};
pub use entries::{EntriesCall, IndexEntry};
pub use error::Error;
pub use find::FindCall;
pub use history::{HistoryAsked, HistoryCall};
pub use inspect::{OpenedInspection, RepositoryInspection};
pub use kept::{KeptCache, clear_caches, kept_caches};
pub(crate) use ls::is_within;
pub use ls::{LsCall, LsForm, LsOrder};
pub use open::{IndexCache, OpenCall, Repository};
pub use raw_files::{RawFile, RawFiles};
pub use repair::{RepairCall, Repaired};
pub use restore::RestoreCall;
pub use snapshots::{SnapshotsCall, snapshot_groups};
pub use stats::StatsCall;
pub use walk::{Walk, Walked};

/// Arguments of the verbs, and what their reports are made of.
pub use manicule_blobs::{
    Ahead, Below, BlobKind, FileKind, FileName, FilesWork, Found, Id, IdPrefix, Index, Kept,
    Listed, Node, NodeKind, Pack, PackKind, PackedBlob, RepoError, Snapshot, SnapshotFilter,
    Snapshots, Summary, Time, read_tags,
};
