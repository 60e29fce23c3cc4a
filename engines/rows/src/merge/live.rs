//! What of a row a reader would see at a time.

use manicule_format_sstable::{Deletion, Liveness};
use manicule_store::pages::Reading;

use super::columns::MergedColumns;
use super::places::MergedItem;
use super::reader::{MergedSlice, open_merged};
use super::row::{MergedCell, MergedRow};
use crate::RowsError;
use crate::slice::{Bounds, SliceOptions};
use crate::table::Sstable;

/// Whether a cell is seen at a time, in seconds since 1970: it isn't deleted, and hasn't expired.
pub fn is_live(cell: &MergedCell, now: i64) -> bool {
    !cell.is_deleted && (cell.ttl == 0 || now < cell.local_time)
}

impl MergedRow {
    /// What a reader sees of the row at a time, in seconds since 1970: live cells alone; `None` if
    /// neither the row nor a cell is live.
    pub fn live(mut self, now: i64) -> Option<MergedRow> {
        let is_row_live = |liveness: &Liveness| liveness.ttl == 0 || now < liveness.expires;
        self.liveness = self.liveness.filter(is_row_live);
        for column in &mut self.columns {
            column.cells.retain(|cell| is_live(cell, now));
        }
        self.columns.retain(|column| !column.cells.is_empty());
        (self.liveness.is_some() || !self.columns.is_empty()).then_some(self)
    }
}

/// What a reader sees of a slice at a time: rows without what is deleted or has expired.
#[derive(Debug)]
pub struct LiveSlice<'t> {
    slice: MergedSlice<'t>,
    static_row: Option<MergedRow>,
    now: i64,
    rows_left: u64,
}

/// Opens what is live at `now`, in seconds since 1970, of a slice of the partition with a key in
/// all SSTables of a table;
/// `None` if none of them has it. A limit counts live rows.
pub fn open_live<'t>(
    sstables: &[&'t Sstable],
    key: &[u8],
    bounds: &Bounds,
    options: &SliceOptions,
    now: i64,
    reading: &mut Reading<'_>,
) -> Result<Option<LiveSlice<'t>>, RowsError> {
    let opened = open_merged(sstables, key, bounds, options, reading)?;
    Ok(opened.map(|slice| {
        let static_row = slice.static_row().cloned().and_then(|row| row.live(now));
        let rows_left = options.row_count_max.unwrap_or(u64::MAX);
        LiveSlice { slice: slice.unlimited(), static_row, now, rows_left }
    }))
}

impl LiveSlice<'_> {
    /// The columns by which cells are numbered.
    pub fn columns(&self) -> &MergedColumns {
        self.slice.columns()
    }

    /// The partition's deletion, which rows may have been written after; live if there is none.
    pub fn deletion(&self) -> Deletion {
        self.slice.deletion()
    }

    /// The static row; `None` if nothing of it is live.
    pub fn static_row(&self) -> Option<&MergedRow> {
        self.static_row.as_ref()
    }

    /// Number of the SSTables that have the partition.
    pub fn source_count(&self) -> usize {
        self.slice.source_count()
    }

    /// Number of blocks of the partition's indexes that were compared or found so far.
    pub fn block_count(&self) -> u64 {
        self.slice.block_count()
    }

    /// The next live row in the direction of the slice.
    pub fn next(&mut self, reading: &mut Reading<'_>) -> Result<Option<MergedRow>, RowsError> {
        while self.rows_left > 0 {
            match self.slice.next(reading)? {
                None => return Ok(None),
                Some(MergedItem::Marker(_)) => {}
                Some(MergedItem::Row(row)) => {
                    if let Some(row) = row.live(self.now) {
                        self.rows_left -= 1;
                        return Ok(Some(row));
                    }
                }
            }
        }
        Ok(None)
    }
}
