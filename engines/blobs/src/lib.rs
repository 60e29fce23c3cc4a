//! restic repositories: what is read, in which order, and what is concluded from it.
//!
//! Bytes:   docs/formats/restic.md
//! Callers: faces/manicule

mod cache;
pub mod check;
pub mod cost;
mod duplicates;
mod error;
pub mod find;
pub mod history;
mod index;
mod inspect;
pub mod lock;
mod packs;
pub mod repair;
mod repository;
pub mod signs;
mod snapshots;
mod storage;
mod stored;
mod trees;
pub mod usage;

pub use cache::{CachePlace, CacheUse, CachedIndex, keep_trees, load_cached, open_trees};
pub use duplicates::{Duplicate, duplicates};
pub use error::RepoError;
pub use index::{
    Found, Index, IndexFile, IndexPart, Indexed, MarkedPack, Pack, PackNo, read_files,
};
pub use inspect::{FileCount, Inspection};
/// What callers ask with, and what the answers are made of.
pub use manicule_format_restic::{
    BlobKind, FileKind, FoundObject, Id, IdPrefix, IndexSink, KeyCost, KeyFile, KeyLimits,
    ListedPack, Moment, Node, NodeKind, PackedBlob, Place, Snapshot, SnapshotFilter, Time, newest,
    put_found_fields, put_found_path, put_listed_node, put_long_fields, put_long_target, read_tags,
};
pub use packs::ReadError;
pub use repository::{KeySearch, OpenedRepository, Repository};
pub use snapshots::{Kept, Snapshots};
pub use storage::{FileName, Folder, FolderWriter, Listed, Storage, StorageError, WriteStorage};
pub use trees::{Below, each_path};
