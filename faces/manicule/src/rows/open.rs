//! The SSTables of a path.
//!
//! Callers: faces

use std::path::PathBuf;

use manicule_rows::Component;
use manicule_rows::table::{Access, LeftOut, Sstable, TableOptions, list};
use manicule_store::pages::{Budget, Cache, CacheOptions, ReadCounts, Reading};

use super::error::Error;

/// Bytes of the cache that all readers of the process share.
const CACHE_BYTES: u64 = 64 << 20;
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
    memory_bytes: u64,
}

/// Opens the SSTables of a path. Files are mapped.
pub fn open(call: &OpenCall) -> Result<Open, Error> {
    let (listed, left_out) = list(&call.path)?;
    let random = manicule_store::random().map_err(Error::Random)?;
    let seed = u64::from_ne_bytes(random);
    let (limit_bytes, shard_count) = (CACHE_BYTES, CACHE_SHARDS);
    let options = TableOptions {
        access: Access::Mapped,
        cache: Cache::new(CacheOptions { limit_bytes, shard_count, seed }),
        chunk_bytes_max: CHUNK_BYTES_MAX,
        component_bytes_max: COMPONENT_BYTES_MAX,
    };
    let mut opened = Open {
        sstables: Vec::new(),
        left_out,
        path: call.path.clone(),
        memory_bytes: call.memory_bytes,
    };
    let sstables = opened.reading(|reading| {
        let opened = listed.iter().map(|listed| Sstable::open(listed, &options, reading));
        opened.collect::<Result<_, _>>()
    })?;
    opened.sstables = sstables;
    Ok(opened)
}

impl Open {
    /// The only SSTable.
    pub(super) fn only(&self) -> Result<&Sstable, Error> {
        match &self.sstables[..] {
            [sstable] => Ok(sstable),
            several => Err(Error::Several {
                folder: self.path.clone(),
                count: several.len(),
                first: several.first().map_or_else(String::new, |sstable| {
                    sstable.descriptor().file_name(&Component::Data)
                }),
            }),
        }
    }

    /// Does a job within the memory of a query.
    pub(super) fn reading<T>(&self, job: impl FnOnce(&mut Reading<'_>) -> T) -> T {
        let (mut counts, budget) = (ReadCounts::default(), Budget::new(self.memory_bytes));
        job(&mut Reading { counts: &mut counts, budget: &budget })
    }
}
