//! Which column has how many bytes.

use manicule_core::watch::Watch;
use manicule_rows::scan;

use super::error::Error;
use super::table::Table;

pub use manicule_rows::scan::{ColumnCounts, ColumnShare, Shares};

impl Table {
    /// Counts the bytes of columns in all its SSTables; what several have of a cell counts in each.
    /// The data are read once.
    pub fn column_shares(&self, watch: &Watch<'_>) -> Result<Shares, Error> {
        let (sstables, _) = self.opened()?;
        Ok(self.reading(|reading| scan::column_shares(&sstables, reading, watch))?)
    }
}
