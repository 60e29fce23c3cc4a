//! Which SSTables of a table have a partition.

use std::path::PathBuf;

use manicule_rows::Component;
use manicule_rows::scan;
use manicule_rows::table::{Access, LeftOut, read_header};
use manicule_store::pages::SystemCache;

use super::error::Error;
use super::open::{CACHE_BYTES, OpenCall, reading_within, table_options, with_listed};

/// The SSTables that have a partition.
#[derive(Clone, Debug)]
pub struct Holders {
    /// Path of the Data.db of each, and the partition's offset in its uncompressed data; by version
    /// and generation.
    pub list: Vec<(PathBuf, u64)>,
    /// Number of all SSTables.
    pub sstable_count: usize,
    /// Number of those whose filter admits the key, rightly or not.
    pub admitted_count: u64,
    /// Files that are no finished SSTable.
    pub left_out: Vec<LeftOut>,
}

/// Looks a partition up in each SSTable of a path, by filter and index. The key is as CQL writes
/// it, as sstabledump takes it, or its bytes as `0x00ff`.
pub fn holders(call: &OpenCall, key: &str) -> Result<Holders, Error> {
    let options = table_options(Access::Positioned(SystemCache::Used), CACHE_BYTES)?;
    let (found, listed, left_out) = with_listed(&call.path, |listed| {
        reading_within(call.memory_bytes, |reading| {
            let newest = listed.last().expect("one at least is listed");
            let kind = read_header(newest, &options, reading)?.key;
            let read = kind.read_key(key).or_else(|_| kind.read_plain_key(key));
            let what = || format!("partition key {key:?}");
            let key = read.map_err(|source| Error::Literal { what: what(), source })?;
            Ok(scan::holders(listed, &key, &options, reading)?)
        })
    })?;
    let data = |(place, at): (usize, u64)| (listed[place].path(&Component::Data), at);
    Ok(Holders {
        list: found.list.into_iter().map(data).collect(),
        sstable_count: listed.len(),
        admitted_count: found.admitted_count,
        left_out,
    })
}
