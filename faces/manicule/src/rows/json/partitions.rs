//! The largest partitions.

use std::path::Path;

use manicule_rows::scan::{PartitionSize, TombstoneCounts};

use crate::json::{Entry, report};
use crate::rows::PartitionReport;

/// A partition with its key, and its table where there are several.
#[derive(Clone, Copy, Debug)]
pub struct LargePartition<'p> {
    /// Its key as CQL writes it.
    pub key: &'p str,
    /// The partition.
    pub size: &'p PartitionSize,
    /// Its table.
    pub table: Option<&'p Path>,
}

report!(of: LargePartition<'_> {
    key, token: of.size.token.map(|token| token.0), bytes: of.size.len,
    blocks: of.size.block_count, sstables: of.size.parts.len();
    of.size.counts.as_ref().map(Held), Entry("table", of.table.map(Path::to_string_lossy)),
});

/// What a partition holds.
struct Held<'h>(&'h TombstoneCounts);

report!(of: Held<'_> { rows: of.0.rows, cells: of.0.cells, tombstones: of.0.total() });

/// All partitions.
#[derive(Clone, Copy, Debug)]
pub struct PartitionSums<'s> {
    /// The report.
    pub report: &'s PartitionReport,
    /// Number of SSTables.
    pub sstable_count: u64,
}

report!(of: PartitionSums<'_> {
    partitions: of.report.count, bytes: of.report.bytes, sstables = sstable_count,
});
