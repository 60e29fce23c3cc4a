//! restic repositories: opened, listed, searched, weighed, looked up through time. Each module holds a verb, its call, and its report.
//!
//! Nothing here writes into a repository, not even a lock, but for [`repair`].
//!
//! Callers: faces

pub mod check;
pub mod cost;
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

pub use check::check;
pub use cost::{CostCall, cost};
pub use error::Error;
pub use find::{FindCall, find};
pub use history::{HistoryCall, history};
pub use inspect::{OpenedInspection, RepositoryInspection};
pub use kept::{KeptCache, clear_caches, kept_caches};
pub use ls::{LsCall, ls};
pub use open::{IndexCache, Open, OpenCall, open};
pub use prune::plan_prune;
pub use repair::{RepairCall, Repaired, repair_index};

/// Arguments of the verbs, and what their reports are made of.
pub use manicule_blobs::{
    BlobKind, FileKind, Found, Id, IdPrefix, Index, Kept, Listed, RepoError, Repository, Snapshot,
    SnapshotFilter, Snapshots, read_tags,
};
