//! Bytes of columns.

use manicule_rows::scan::{ColumnShare, Shares};

use crate::json::{Counts, report};

report!(of: ColumnShare {
    name: String::from_utf8_lossy(&of.name), kind: of.kind.cql(), static = is_static;
    Counts(&of.counts.fields()),
});

/// Bytes of all columns, and what is of none.
#[derive(Clone, Copy, Debug)]
pub struct ColumnSums<'s> {
    /// The bytes.
    pub shares: &'s Shares,
    /// Number of SSTables.
    pub sstable_count: u64,
}

report!(of: ColumnSums<'_> {
    bytes: of.shares.data_len, partition_bytes: of.shares.partitions, row_bytes: of.shares.rows,
    marker_bytes: of.shares.markers, sstables = sstable_count,
});
