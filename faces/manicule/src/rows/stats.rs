//! What SSTables say of themselves.

use manicule_rows::table::{self, Access, LeftOut, SstableStats};
use manicule_store::pages::SystemCache;

use super::error::Error;
use super::open::{CACHE_BYTES, OpenCall, reading_within, table_options, with_listed};

/// Statistics of the SSTables of a path.
#[derive(Debug)]
pub struct Stats {
    /// Of each SSTable, by version and generation, its statistics or why they can't be read.
    pub sstables: Vec<Result<SstableStats, Error>>,
    /// Files that are no finished SSTable.
    pub left_out: Vec<LeftOut>,
}

/// Reads the statistics of the SSTables of a path. Of their data and indexes nothing is read.
pub fn stats(call: &OpenCall) -> Result<Stats, Error> {
    let options = table_options(Access::Positioned(SystemCache::Used), CACHE_BYTES)?;
    let (sstables, _, left_out) = with_listed(&call.path, |listed| {
        reading_within(call.memory_bytes, |reading| {
            let mut all = Vec::new();
            for listed in listed {
                match table::stats(listed, &options, reading) {
                    Err(error) if error.is_vanished() => return Err(error.into()),
                    stats => all.push(stats.map_err(Error::Rows)),
                }
            }
            Ok(all)
        })
    })?;
    Ok(Stats { sstables, left_out })
}
