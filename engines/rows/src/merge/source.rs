//! One SSTable of a merge: its slice, and the row or marker that it is at.
//!
//! Callers: own, reader

use manicule_format_sstable::PrefixBuf;
use manicule_store::pages::Reading;

use super::at::At;
use super::columns::MergedColumns;
use super::places::Feed;
use super::row::MergedRow;
use crate::RowsError;
use crate::slice::{Item, SliceReader};

/// A slice of an SSTable.
#[derive(Debug)]
pub(super) struct Source<'t> {
    pub(super) slice: SliceReader<'t>,
    /// Number of the SSTable among all that were given.
    pub(super) number: usize,
    numbers: Vec<usize>,
    at: Option<At>,
    /// Whether what it is at was taken: the next is read when it is asked for, as it may never be.
    is_taken: bool,
}

impl<'t> Source<'t> {
    pub(super) fn new(slice: SliceReader<'t>, number: usize, columns: &MergedColumns) -> Self {
        let numbers = columns.numbers(slice.sstable().header(), false);
        Source { slice, number, numbers, at: None, is_taken: true }
    }

    /// Its static row, if it has one that says something.
    pub(super) fn static_row(
        &self,
        columns: &MergedColumns,
    ) -> Result<Option<MergedRow>, RowsError> {
        let sstable = self.slice.sstable();
        let Some(row) = self.slice.head().static_row(sstable)? else { return Ok(None) };
        let numbers = columns.numbers(sstable.header(), true);
        let copy = MergedRow::copy(&row, sstable.shape(), &numbers, self.number);
        copy.map(Some).map_err(|error| sstable.data().damaged(error))
    }
}

impl Feed for Source<'_> {
    fn at(&self) -> Option<&At> {
        self.at.as_ref()
    }

    fn take(&mut self) -> Option<At> {
        self.is_taken = true;
        self.at.take()
    }

    fn advance(&mut self, reading: &mut Reading<'_>) -> Result<(), RowsError> {
        if !std::mem::take(&mut self.is_taken) {
            return Ok(());
        }
        let sstable = self.slice.sstable();
        self.at = match self.slice.next(reading)? {
            None => None,
            Some(Item::Row(row)) => {
                let copy = MergedRow::copy(&row, sstable.shape(), &self.numbers, self.number);
                Some(At::Row(copy.map_err(|error| sstable.data().damaged(error))?))
            }
            Some(Item::Marker(marker)) => {
                let prefix = PrefixBuf::of(&marker.prefix);
                Some(At::Marker { prefix, closes: marker.closes, opens: marker.opens })
            }
        };
        Ok(())
    }
}
