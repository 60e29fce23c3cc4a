//! Options of an index run: everything that decides its bytes.

use std::path::PathBuf;

use manicule_format_zoekt::{Repository, Text};

use super::super::classify::Classify;
use super::super::symbols::SymbolSource;
use super::skip::Limits;
use super::walk::IgnoreDirs;

/// Options of indexing. Names of zoekt-index's options are in parentheses.
pub struct IndexOptions<'o> {
    /// The folder.
    pub folder: PathBuf,
    /// Output folder of the shards (`-index`). Made if it isn't there.
    pub output: PathBuf,
    /// About the repository (`-meta`); name and source are filled in where they are empty.
    pub repository: Repository,
    /// The folder as the user named it: the shard's `Source`.
    pub source: Text,
    /// Takes the place of the repository's name in the names of files (`-shard_prefix_override`).
    pub shard_prefix: Option<Text>,
    /// Limits of a document (`-file_limit`, `-max_trigram_count`).
    pub limits: Limits,
    /// Globs of files that are indexed however large they are (`-large_file`).
    pub large_files: Vec<String>,
    /// Folders that are left out (`-ignore_dirs`).
    pub ignore_dirs: IgnoreDirs,
    /// Names and contents up to which a shard takes documents (`-shard_limit`).
    pub shard_len_max: u64,
    /// The user's cache folder, where it is noted what runs have seen; none: all is read again.
    pub cache: Option<PathBuf>,
    /// The clock when the run began, in nanoseconds since 1970: what had changed just before it
    /// may change again unseen.
    pub now_ns: u64,
    /// Time of the index run, as the shards' metadata says it.
    pub index_time: String,
    /// Names the run in the metadata of its shards: 20 characters.
    pub shard_id: String,
    /// Name of the writer in the metadata.
    pub zoekt_version: String,
    /// Tells languages and categories.
    pub classify: &'o dyn Classify,
    /// Where symbols come from.
    pub symbols: SymbolSource,
    /// Threads (`-parallelism`).
    pub threads: usize,
    /// Bytes of memory to keep to, about.
    pub memory: u64,
    /// Whether an index that already is what would be written stays.
    pub unchanged: Unchanged,
    /// What becomes of the repository in compound shards of the output folder (`-shard_merging`).
    pub in_compound: InCompound,
}

/// Treatment of a repository that compound shards hold, of before it was indexed again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InCompound {
    /// It stays: its documents are found twice.
    Stays,
    /// It gets a tombstone.
    GetsTombstone,
}

/// Treatment of an index that already is the one that would be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unchanged {
    /// It stays; time and id of the run are not counted as changes.
    Stays,
    /// It is written again.
    IsWrittenAgain,
}
