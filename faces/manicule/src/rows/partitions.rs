//! The largest partitions of a table.

use manicule_core::watch::Watch;
use manicule_rows::scan;

use super::error::Error;
use super::keys::key_text;
use super::table::Table;

pub use manicule_rows::scan::{PartitionOptions, PartitionSize, RankedBy, Times, TombstoneCounts};

/// The partitions of a table by size.
#[derive(Clone, Debug)]
pub struct PartitionReport {
    /// Their number, each key once.
    pub count: u64,
    /// Their bytes, uncompressed.
    pub bytes: u64,
    /// The largest, largest first, each with its key as CQL writes it.
    pub largest: Vec<(String, PartitionSize)>,
}

impl Table {
    /// Lists the largest partitions, each united from all SSTables that have it.
    ///
    /// The indexes are read once, and of the data what `options` ask for; of several SSTables with
    /// tries also a page for each partition of one block, for its key. Memory: what is listed, and
    /// a window for each SSTable.
    pub fn partitions(
        &self,
        options: &PartitionOptions,
        watch: &Watch<'_>,
    ) -> Result<PartitionReport, Error> {
        let (sstables, _) = self.opened()?;
        let found = self.reading(|reading| scan::partitions(&sstables, options, reading, watch))?;
        let named = |size: PartitionSize| (key_text(&sstables[0], &size.key), size);
        let largest = found.largest.into_iter().map(named).collect();
        Ok(PartitionReport { count: found.count, bytes: found.data_len, largest })
    }
}
