//! A slice of one SSTable with everything that it has, hidden or not, in the form of a merged one.

use manicule_format_sstable::{Deletion, PrefixBuf, Row, Unfiltered};
use manicule_store::pages::Reading;

use super::at::Change;
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

/// Opens a slice of the partition with a key; `None` if the SSTable doesn't have it. Its cells have
/// the number `source`.
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
    let copy = |row: Row<'_>| {
        let numbers = columns.numbers(sstable.header(), true);
        let copy = MergedRow::copy(&row, sstable.shape(), &numbers, source.number);
        copy.map_err(|error| sstable.data().damaged(error))
    };
    let static_row = source.static_row()?.map(copy).transpose()?;
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
        let source = &mut self.source;
        source.advance(reading)?;
        let (at, sstable) = (source.at(), source.slice.sstable());
        let damaged = |error| sstable.data().damaged(error);
        if let Unfiltered::Row(row) = at.row(sstable.shape()).map_err(damaged)? {
            let copy = MergedRow::copy(&row, sstable.shape(), source.numbers(), source.number);
            return copy.map(|row| Some(MergedItem::Row(row))).map_err(damaged);
        }
        Ok(at.prefix().zip(at.change()).map(|(prefix, Change { closes, opens })| {
            let prefix = PrefixBuf::of(&prefix);
            MergedItem::Marker(MergedMarker { prefix, closes, opens })
        }))
    }
}
