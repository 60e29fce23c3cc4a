//! The SSTables of a path.

use std::path::{Path, PathBuf};

use manicule_rows::Component;
use manicule_rows::table::{Access, LeftOut, Listed, Sstable, TableOptions, list_all, list_some};
use manicule_store::pages::{Budget, Cache, CacheOptions, ReadCounts, Reading, SystemCache};

use super::error::Error;

/// Bytes of the cache that all readers of the process share.
pub(super) const CACHE_BYTES: u64 = 64 << 20;
/// Parts of that cache, each with a lock.
const CACHE_SHARDS: usize = 16;
/// Longest chunk that is decompressed, and longest component that is held whole, in bytes.
const CHUNK_BYTES_MAX: u32 = 64 << 20;
const COMPONENT_BYTES_MAX: u64 = 1 << 30;

/// Arguments of opening.
#[derive(Clone, Debug)]
pub struct OpenCall {
    /// A folder of a table, or a file of one of its SSTables.
    pub path: PathBuf,
    /// Bytes that a query may hold beside the cache.
    pub memory_bytes: u64,
}

impl OpenCall {
    /// With as much memory as any slice needs.
    pub fn new(path: PathBuf) -> Self {
        OpenCall { path, memory_bytes: 256 << 20 }
    }
}

/// SSTables that are open.
#[derive(Debug)]
pub struct Open {
    /// The SSTables, by version and generation.
    pub sstables: Vec<Sstable>,
    /// Files that are no finished SSTable.
    pub left_out: Vec<LeftOut>,
    path: PathBuf,
    listed: Vec<Listed>,
    memory_bytes: u64,
}

/// Opens the SSTables of a path. Files are read by position: what a pass over gigabytes has behind
/// it leaves its memory, where a map would keep it.
pub fn open(call: &OpenCall) -> Result<Open, Error> {
    let options = table_options(Access::Positioned(SystemCache::Used), CACHE_BYTES)?;
    let (sstables, listed, left_out) = with_listed(&call.path, |listed| {
        reading_within(call.memory_bytes, |reading| {
            let opened = listed.iter().map(|listed| Sstable::open(listed, &options, reading));
            Ok(opened.collect::<Result<_, _>>()?)
        })
    })?;
    let (path, memory_bytes) = (call.path.clone(), call.memory_bytes);
    Ok(Open { sstables, left_out, path, listed, memory_bytes })
}

/// How SSTables are opened, with a cache of `limit_bytes`.
pub(super) fn table_options(access: Access, limit_bytes: u64) -> Result<TableOptions, Error> {
    let random = manicule_store::random().map_err(Error::Random)?;
    let (seed, shard_count) = (u64::from_ne_bytes(random), CACHE_SHARDS);
    Ok(TableOptions {
        access,
        cache: Cache::new(CacheOptions { limit_bytes, shard_count, seed }),
        chunk_bytes_max: CHUNK_BYTES_MAX,
        component_bytes_max: COMPONENT_BYTES_MAX,
    })
}

/// Lists the finished SSTables of a path and does a job with them: again, once, with a new list,
/// where a file of one has vanished meanwhile. A server merges SSTables and removes them while they
/// are read.
pub(super) fn with_listed<T>(
    path: &Path,
    mut job: impl FnMut(&[Listed]) -> Result<T, Error>,
) -> Result<(T, Vec<Listed>, Vec<LeftOut>), Error> {
    let (listed, left_out) = list_some(path)?;
    match job(&listed) {
        Err(Error::Rows(error)) if error.is_vanished() => {
            let (listed, left_out) = list_some(path)?;
            Ok((job(&listed)?, listed, left_out))
        }
        done => Ok((done?, listed, left_out)),
    }
}

/// The error of a job of one SSTable on a folder of none or several.
pub(super) fn several(folder: &Path, listed: &[Listed]) -> Error {
    let name = |listed: &Listed| listed.descriptor.file_name(&Component::Data);
    let first = listed.first().map_or_else(String::new, name);
    Error::Several { folder: folder.to_owned(), count: listed.len(), first }
}

/// Does a job that may hold `bytes` beside the cache.
pub(super) fn reading_within<T>(bytes: u64, job: impl FnOnce(&mut Reading<'_>) -> T) -> T {
    let (mut counts, budget) = (ReadCounts::default(), Budget::new(bytes));
    job(&mut Reading { counts: &mut counts, budget: &budget })
}

impl Open {
    /// The only SSTable.
    pub(super) fn only(&self) -> Result<&Sstable, Error> {
        match &self.sstables[..] {
            [sstable] => Ok(sstable),
            _ => Err(several(&self.path, &self.listed)),
        }
    }

    /// The first SSTable.
    pub(super) fn first(&self) -> Result<&Sstable, Error> {
        self.sstables.first().ok_or_else(|| several(&self.path, &self.listed))
    }

    /// The files of all SSTables.
    pub(super) fn listed(&self) -> &[Listed] {
        &self.listed
    }

    /// The files of the only SSTable.
    pub(super) fn only_listed(&self) -> Result<&Listed, Error> {
        match &self.listed[..] {
            [listed] => Ok(listed),
            _ => Err(several(&self.path, &self.listed)),
        }
    }

    /// Reads a partition key: as CQL writes it, as sstabledump takes it, or its bytes as `0x00ff`.
    pub fn read_key(&self, text: &str) -> Result<Vec<u8>, Error> {
        let Some(sstable) = self.sstables.first() else { return Ok(Vec::new()) };
        let kind = &sstable.header().key;
        let read = kind.read_key(text).or_else(|_| kind.read_plain_key(text));
        read.map_err(|source| Error::Literal { what: format!("partition key {text:?}"), source })
    }

    /// A partition key as CQL writes it: a value, or `(value, value)` of several columns.
    pub fn key_text(&self, key: &[u8]) -> String {
        let mut text = String::new();
        if let Some(sstable) = self.sstables.first() {
            sstable.header().key.put_literal(Some(key), &mut text);
        }
        text
    }

    /// Does a job within the memory of a query.
    pub(super) fn reading<T>(&self, job: impl FnOnce(&mut Reading<'_>) -> T) -> T {
        reading_within(self.memory_bytes, job)
    }
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
