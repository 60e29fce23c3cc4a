//! What SSTables say of themselves.
//!
//! Callers: faces

use manicule_rows::table::{self, Access, LeftOut, SstableStats, list_some};

use super::error::Error;
use super::open::{CACHE_BYTES, OpenCall, reading_within, table_options};

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
    let (listed, left_out) = list_some(&call.path)?;
    let options = table_options(Access::Mapped, CACHE_BYTES)?;
    let sstables = reading_within(call.memory_bytes, |reading| {
        let read = |listed| table::stats(listed, &options, reading).map_err(Error::Rows);
        listed.iter().map(read).collect()
    });
    Ok(Stats { sstables, left_out })
}
