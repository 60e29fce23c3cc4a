//! A slice of one SSTable with everything that it has, hidden or not, in the form of a merged one.
//!
//! Callers: faces/manicule

use manicule_format_sstable::Deletion;
use manicule_store::pages::Reading;

use super::at::At;
use super::columns::MergedColumns;
use super::markers::MergedMarker;
use super::places::{Feed, MergedItem};
use super::row::MergedRow;
use super::source::Source;
use crate::RowsError;
use crate::slice::{Bounds, SliceOptions, open_slice};
use crate::table::Sstable;

/// A slice of one SSTable.
#[derive(Debug)]
pub struct OwnSlice<'t> {
    columns: MergedColumns,
    source: Source<'t>,
    static_row: Option<MergedRow>,
}

/// Opens a slice of the partition with a key; `None` if the SSTable doesn't have it. Its cells have the number `source`.
pub fn open_own<'t>(
    sstable: &'t Sstable,
    source: usize,
    key: &[u8],
    bounds: &Bounds,
    options: &SliceOptions,
    reading: &mut Reading<'_>,
) -> Result<Option<OwnSlice<'t>>, RowsError> {
    let columns = MergedColumns::of(&[sstable])?;
    let opened = open_slice(sstable, key, bounds.clone(), options, reading)?;
    let Some(slice) = opened else { return Ok(None) };
    let source = Source::new(slice, source, &columns);
    let static_row = source.static_row(&columns)?;
    Ok(Some(OwnSlice { columns, source, static_row }))
}

impl OwnSlice<'_> {
    /// The columns by which cells are numbered.
    pub fn columns(&self) -> &MergedColumns {
        &self.columns
    }

    /// The partition's deletion; live if there is none.
    pub fn deletion(&self) -> Deletion {
        self.source.slice.head().deletion
    }

    /// The static row; `None` if it says nothing.
    pub fn static_row(&self) -> Option<&MergedRow> {
        self.static_row.as_ref()
    }

    /// Number of blocks of the partition's index that were compared or found so far.
    pub fn block_count(&self) -> u64 {
        self.source.slice.block_count()
    }

    /// The next row or marker in the direction of the slice.
    pub fn next(&mut self, reading: &mut Reading<'_>) -> Result<Option<MergedItem>, RowsError> {
        self.source.advance(reading)?;
        Ok(self.source.take().map(|at| match at {
            At::Row(row) => MergedItem::Row(row),
            At::Marker { prefix, closes, opens } => {
                MergedItem::Marker(MergedMarker { prefix, closes, opens })
            }
        }))
    }
}
