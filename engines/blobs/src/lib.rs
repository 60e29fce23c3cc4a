//! restic repositories: what is read, in which order, and what is concluded from it.
//!
//! Bytes:   docs/formats/restic.md

mod archive;
mod cache;
pub mod check;
mod content;
pub mod cost;
pub mod diff;
mod duplicates;
mod error;
pub mod find;
pub mod history;
mod index;
mod inspect;
pub mod lock;
mod packs;
mod raw;
pub mod repair;
mod repository;
pub mod restore;
pub mod signs;
mod snapshots;
pub mod stats;
mod storage;
mod stored;
mod trees;
pub mod usage;

pub use archive::{ArchiveError, ArchiveForm, put_archive};
pub use cache::{CachePlace, CacheUse, CachedIndex, keep_trees, load_cached, open_trees};
pub use content::{ContentError, ContentReader, hash_content};
pub use duplicates::{Duplicate, duplicates};
pub use error::RepoError;
pub use index::{
    Found, Index, IndexFile, IndexPart, Indexed, MarkedPack, Pack, PackKind, PackNo, read_files,
    read_listed,
};
pub use inspect::{FileCount, Inspection};
/// What callers ask with, and what the answers are made of.
pub use manicule_format_restic::{
    BlobKind, FileKind, FoundObject, Id, IdPrefix, IndexSink, KeyCost, KeyFile, KeyLimits,
    ListedPack, Moment, Node, NodeKind, OwnedNode, PackedBlob, Place, Snapshot, SnapshotFilter,
    Summary, Time, indent, newest, put_found_fields, put_found_path, put_human_len,
    put_listed_node, put_long_fields, put_long_target, put_ncdu_node, read_tags,
};
pub use packs::ReadError;
pub use repository::{Ahead, KeySearch, OpenedRepository, Repository};
pub use snapshots::{Kept, Snapshots};
pub use storage::{
    FileName, FilesWork, Listed, Misplaced, RepositoryFiles, RepositoryWriter, Soon, Storage,
    WriteStorage,
};
pub use trees::{Below, Located, PathReader, Step, each_path, locate};
