//! What SSTables say of themselves.

use manicule_rows::table::{self, LeftOut, SstableStats};

use super::error::Error;
use super::table::Table;

/// Statistics of the SSTables of a table.
#[derive(Debug)]
pub struct Stats {
    /// Of each SSTable, by version and generation, its statistics or why they can't be read.
    pub sstables: Vec<Result<SstableStats, Error>>,
    /// Files that are no finished SSTable.
    pub left_out: Vec<LeftOut>,
}

impl Table {
    /// Reads the statistics of its SSTables. Of their data and indexes nothing is read.
    pub fn stats(&self) -> Result<Stats, Error> {
        let (sstables, listing) = self.with_listing(|listing| {
            self.reading(|reading| {
                let mut all = Vec::new();
                for stats in table::all_stats(&listing.listed, &self.reads, reading) {
                    match stats {
                        Err(error) if error.is_vanished() => return Err(error.into()),
                        stats => all.push(stats.map_err(Error::Rows)),
                    }
                }
                Ok(all)
            })
        })?;
        Ok(Stats { sstables, left_out: listing.left_out.clone() })
    }
}
