//! The partitions of a table: the largest, or all in their order.

use std::ops::ControlFlow;

use manicule_core::watch::Watch;
use manicule_rows::scan;
use manicule_rows::table::Sstable;

use super::error::Error;
use super::keys::key_text;
use super::table::Table;

pub use manicule_rows::scan::{
    PartitionOptions, PartitionPass, PartitionSize, RankedBy, Times, TombstoneCounts,
};

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

    /// Calls `each` for the partitions in the order of their tokens, each united from all SSTables
    /// that have it, until it breaks. Returns the number of those that were looked at.
    ///
    /// The indexes are read once, and of the data what `pass` asks for. Memory: a window for each
    /// SSTable.
    pub fn each_partition(
        &self,
        pass: &PartitionPass,
        watch: &Watch<'_>,
        each: &mut dyn FnMut(&[Sstable], PartitionSize) -> ControlFlow<()>,
    ) -> Result<u64, Error> {
        let (sstables, _) = self.opened()?;
        let mut each = |partition| each(&sstables, partition);
        self.reading(|reading| scan::each_partition(&sstables, pass, reading, watch, &mut each))
            .map_err(Error::Rows)
    }
}
