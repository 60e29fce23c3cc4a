//! What is handed out of a table: its rows as a reader sees them, or each fact of each SSTable.

mod facts;
mod live;

pub use facts::{Fact, facts};
pub use live::{LiveCounts, LiveOptions, LiveRow, live_rows, live_rows_of};

use crate::RowsError;
use crate::merge::MergedColumns;
use crate::table::Sstable;

/// The columns of all SSTables of a table.
pub fn columns(sstables: &[Sstable]) -> Result<MergedColumns, RowsError> {
    MergedColumns::of(&sstables.iter().collect::<Vec<_>>())
}
