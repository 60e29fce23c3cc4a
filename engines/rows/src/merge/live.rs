//! What of a row a reader would see at a time.
//!
//! Callers: faces/manicule

use manicule_format_sstable::Liveness;

use super::row::{MergedCell, MergedRow};

/// Whether a cell is seen at a time, in seconds since 1970: it isn't deleted, and hasn't expired.
pub fn is_live(cell: &MergedCell, now: i64) -> bool {
    !cell.is_deleted && (cell.ttl == 0 || now < cell.local_time)
}

impl MergedRow {
    /// The row as a reader sees it at a time, in seconds since 1970: live cells alone; `None` if neither the row nor a cell
    /// is live.
    pub fn live(&self, now: i64) -> Option<MergedRow> {
        let is_row_live = |liveness: &Liveness| liveness.ttl == 0 || now < liveness.expires;
        let mut row = self.clone();
        row.liveness = row.liveness.filter(is_row_live);
        for column in &mut row.columns {
            column.cells.retain(|cell| is_live(cell, now));
        }
        row.columns.retain(|column| !column.cells.is_empty());
        (row.liveness.is_some() || !row.columns.is_empty()).then_some(row)
    }
}
