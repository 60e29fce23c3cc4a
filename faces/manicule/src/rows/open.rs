//! How SSTables are opened, and with how much memory.

use std::path::{Path, PathBuf};

use manicule_rows::Component;
use manicule_rows::table::{Access, Listed, TableOptions, list_all};
use manicule_store::pages::{Budget, Cache, CacheOptions, ReadCounts, Reading, SystemCache};

use super::error::Error;

/// Bytes of the cache of a table that is open, unless its call says otherwise.
const CACHE_BYTES: u64 = 64 << 20;
/// Parts of a cache, each with a lock.
const CACHE_SHARDS: usize = 16;
/// Longest chunk that is decompressed, and longest component that is held whole, in bytes.
const CHUNK_BYTES_MAX: u32 = 64 << 20;
const COMPONENT_BYTES_MAX: u64 = 1 << 30;

/// Arguments of opening.
#[derive(Clone, Debug)]
pub struct OpenCall {
    /// A folder of a table, or a file of one of its SSTables.
    pub path: PathBuf,
    /// Bytes of the cache that all its readers share. It takes memory as it fills.
    pub cache_bytes: u64,
    /// Bytes that a query may hold beside the cache.
    pub memory_bytes: u64,
}

impl OpenCall {
    /// With as much memory as any slice needs.
    pub fn new(path: PathBuf) -> Self {
        OpenCall { path, cache_bytes: CACHE_BYTES, memory_bytes: 256 << 20 }
    }
}

/// How the files of a call that keeps nothing open are read.
pub(super) fn reads() -> Result<TableOptions, Error> {
    reads_with(CACHE_BYTES)
}

/// How files are read, with a cache of a size: by position, so that what a pass over gigabytes has
/// behind it leaves its memory, where a map would keep it.
pub(super) fn reads_with(cache_bytes: u64) -> Result<TableOptions, Error> {
    let random = manicule_store::random().map_err(Error::Random)?;
    let (seed, shard_count) = (u64::from_ne_bytes(random), CACHE_SHARDS);
    Ok(TableOptions {
        access: Access::Positioned(SystemCache::Used),
        cache: Cache::new(CacheOptions { limit_bytes: cache_bytes, shard_count, seed }),
        chunk_bytes_max: CHUNK_BYTES_MAX,
        component_bytes_max: COMPONENT_BYTES_MAX,
    })
}

/// Does a job that may hold `bytes` beside the cache.
pub(super) fn reading_within<T>(bytes: u64, job: impl FnOnce(&mut Reading<'_>) -> T) -> T {
    let (mut counts, budget) = (ReadCounts::default(), Budget::new(bytes));
    job(&mut Reading { counts: &mut counts, budget: &budget })
}

/// The error of a job of one SSTable on a folder of none or several.
pub(super) fn several(folder: &Path, listed: &[Listed]) -> Error {
    let name = |listed: &Listed| listed.descriptor.file_name(&Component::Data);
    let first = listed.first().map_or_else(String::new, name);
    Error::Several { folder: folder.to_owned(), count: listed.len(), first }
}

/// The only SSTable of a path that has data, finished or not.
pub(super) fn only_with_data(path: &Path) -> Result<Listed, Error> {
    let mut listed = list_all(path)?;
    listed.retain(|listed| listed.components.contains(&Component::Data));
    match listed.len() {
        1 => Ok(listed.remove(0)),
        _ => Err(several(path, &listed)),
    }
}
