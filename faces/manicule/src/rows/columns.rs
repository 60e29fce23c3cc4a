//! Which column has how many bytes.

use manicule_core::watch::Watch;
use manicule_rows::scan;

use super::error::Error;
use super::open::Open;

pub use manicule_rows::scan::{ColumnCounts, ColumnShare, Shares};

/// Counts the bytes of columns in all SSTables; what several have of a cell counts in each. The
/// data are read once.
pub fn column_shares(open: &Open, watch: &Watch<'_>) -> Result<Shares, Error> {
    let shares = open.reading(|reading| scan::column_shares(&open.sstables, reading, watch));
    shares.map_err(Error::Rows)
}
