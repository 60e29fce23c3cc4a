//! Shards of several repositories merged into one, and taken apart again, with defaults for time,
//! memory and threads.

use std::path::{Path, PathBuf};

use manicule_code::shards::CompoundOptions;
pub use manicule_code::shards::{CompoundError, NewShard, ShardsReport};
use manicule_core::watch::Watch;

use super::index::{INDEX_MEMORY, IndexTime};
use crate::cache::now_ns;

/// Arguments of merging shards, and of exploding one.
#[derive(Clone, Debug)]
pub struct CompoundCall {
    /// Time of the new shards, if not now.
    pub index_time: Option<IndexTime>,
    /// Name of the writer in the new shards.
    pub zoekt_version: String,
    /// Number of threads.
    pub threads: usize,
    /// Memory in bytes, approximate.
    pub memory: u64,
}

impl Default for CompoundCall {
    /// Of now, on all cores.
    fn default() -> Self {
        CompoundCall {
            index_time: None,
            zoekt_version: String::new(),
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            memory: INDEX_MEMORY,
        }
    }
}

impl CompoundCall {
    fn options(&self) -> CompoundOptions {
        let now = || IndexTime::of(now_ns());
        CompoundOptions {
            index_time: self.index_time.clone().unwrap_or_else(now).into_text(),
            zoekt_version: self.zoekt_version.clone(),
            threads: self.threads,
            memory: self.memory,
        }
    }
}

/// Merges shards of a folder into a compound shard, which takes their place, as zoekt-merge-index
/// does. A repository of several shards can't be merged.
///
/// ```
/// use manicule::code::{CompoundCall, IndexCall, explode, index, merge};
/// use manicule::watch::Watch;
///
/// let folder = tempfile::tempdir()?;
/// let shards = folder.path().join("shards");
/// let mut paths = Vec::new();
/// for name in ["alpha", "beta"] {
///     std::fs::create_dir(folder.path().join(name))?;
///     std::fs::write(folder.path().join(name).join("main.go"), "package main\n")?;
///     let call = IndexCall::new(folder.path().join(name), shards.clone());
///     paths.extend(index(&call, &Watch::none())?.report.shards.into_iter().map(|shard| shard.path));
/// }
/// let merged = merge(&paths, &CompoundCall::default(), &Watch::none())?;
/// assert_eq!(merged.shards[0].repositories.len(), 2);
/// assert!(!paths[0].exists());
///
/// explode(&merged.shards[0].path, &CompoundCall::default(), &Watch::none())?;
/// assert!(paths[0].exists());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn merge(
    paths: &[PathBuf],
    call: &CompoundCall,
    watch: &Watch<'_>,
) -> Result<ShardsReport, CompoundError> {
    manicule_code::shards::merge(paths, &call.options(), watch)
}

/// Explodes a compound shard into shards of its repositories, which take its place.
pub fn explode(
    path: &Path,
    call: &CompoundCall,
    watch: &Watch<'_>,
) -> Result<ShardsReport, CompoundError> {
    manicule_code::shards::explode(path, &call.options(), watch)
}
