//! What an SSTable that was written has.

use std::path::PathBuf;

use super::beside::Beside;

/// An SSTable that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Path of its Data.db.
    pub path: PathBuf,
    /// Number of its partitions.
    pub partition_count: u64,
    /// Number of its rows, static rows that say something among them.
    pub row_count: u64,
    /// Number of their cells.
    pub cell_count: u64,
    /// Length in bytes of its data before compression.
    pub data_len: u64,
}

impl Written {
    /// The counts of what passed.
    pub(super) fn of(beside: &Beside, data_len: u64) -> Self {
        Written {
            path: PathBuf::new(),
            partition_count: beside.partition_count(),
            row_count: beside.gathered().row_count,
            cell_count: beside.gathered().cell_count,
            data_len,
        }
    }
}
