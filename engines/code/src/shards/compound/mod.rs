//! Compound shards: one of several repositories, merged of theirs, and taken apart again.
//!
//! Documents keep their order, languages, categories and symbols; what stands in a shard for a
//! document that was not indexed is ordinary content from then on. Repositories with a tombstone
//! are left out.
//!
//! Bytes:   docs/formats/zoekt.md, section *Compound shards*

mod document;
mod error;
mod exchanged;
mod explode;
mod folder;
mod merge;

use std::path::PathBuf;

use manicule_format_zoekt::Text;

pub use error::CompoundError;
pub use explode::explode;
pub use merge::merge;

/// Options of writing shards from shards.
#[derive(Clone, Debug)]
pub struct CompoundOptions {
    /// Time of the index run, as the shards' metadata says it.
    pub index_time: String,
    /// Name of the writer in the metadata.
    pub zoekt_version: String,
    /// Number of threads.
    pub threads: usize,
    /// Bytes of memory to keep to, about.
    pub memory: u64,
}

/// Report of shards that took the place of others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ShardsReport {
    /// The new shards.
    pub shards: Vec<NewShard>,
    /// The shards that are gone.
    pub replaced: Vec<PathBuf>,
    /// Repositories that are gone with them, as their tombstones say.
    pub left_out: Vec<Text>,
}

/// A shard that was written from others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct NewShard {
    /// Path of the shard.
    pub path: PathBuf,
    /// Its bytes.
    pub len: u64,
    /// Its documents.
    pub document_count: u64,
    /// Names of its repositories.
    pub repositories: Vec<Text>,
}
