//! restic repositories: opened, listed, searched, weighed, looked up through time, restored. Each
//! module holds a verb, its call, and its report.
//!
//! Nothing here writes into a repository, not even a lock, but for [`repair`](mod@repair).

pub mod cat;
pub mod check;
pub mod choose;
pub mod cost;
pub mod diff;
pub mod dump;
mod error;
pub mod export;
pub mod find;
pub mod history;
pub mod inspect;
mod kept;
pub mod list;
pub mod ls;
pub mod open;
pub mod password;
pub mod paths;
pub mod prune;
pub mod repair;
pub mod restore;
pub mod snapshots;
pub mod stats;

pub use cat::cat;
pub use check::check;
pub use cost::{CostCall, cost};
pub use diff::diff;
pub use dump::{ArchiveForm, DumpCall, dump};
pub use error::Error;
pub use find::{FindCall, find};
pub use history::{HistoryCall, history};
pub use inspect::{OpenedInspection, RepositoryInspection};
pub use kept::{KeptCache, clear_caches, kept_caches};
pub use ls::{LsCall, LsForm, LsOrder, ls};
pub use open::{IndexCache, Open, OpenCall, open};
pub use prune::plan_prune;
pub use repair::{RepairCall, Repaired, repair_index};
pub use restore::{RestoreCall, restore};
pub use snapshots::{SnapshotsCall, snapshot_groups};
pub use stats::{StatsCall, stats};

/// Arguments of the verbs, and what their reports are made of.
pub use manicule_blobs::{
    BlobKind, FileKind, Found, Id, IdPrefix, Index, Kept, Listed, RepoError, Repository, Snapshot,
    SnapshotFilter, Snapshots, read_tags,
};
