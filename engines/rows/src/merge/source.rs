//! One SSTable of a merge: its slice, and the row or marker that it is at.

use manicule_format_sstable::Row;
use manicule_store::pages::Reading;

use super::at::{At, Change};
use super::columns::MergedColumns;
use super::places::Feed;
use crate::RowsError;
use crate::slice::{SliceReader, Step};
use crate::table::Sstable;

/// A slice of an SSTable.
#[derive(Debug)]
pub(super) struct Source<'t> {
    pub(super) slice: SliceReader<'t>,
    /// Number of the SSTable among all that were given.
    pub(super) number: usize,
    numbers: Vec<usize>,
    at: At,
}

impl<'t> Source<'t> {
    pub(super) fn new(slice: SliceReader<'t>, number: usize, columns: &MergedColumns) -> Self {
        let numbers = columns.numbers(slice.sstable().header(), false);
        Source { slice, number, numbers, at: At::nothing() }
    }

    /// Its static row, if it has one that says something.
    pub(super) fn static_row(&self) -> Result<Option<Row<'_>>, RowsError> {
        self.slice.head().static_row(self.slice.sstable())
    }
}

impl Feed for Source<'_> {
    fn at(&self) -> &At {
        &self.at
    }

    fn sstable(&self) -> &Sstable {
        self.slice.sstable()
    }

    fn number(&self) -> usize {
        self.number
    }

    fn numbers(&self) -> &[usize] {
        &self.numbers
    }

    fn advance(&mut self, reading: &mut Reading<'_>) -> Result<(), RowsError> {
        let Source { slice, at, .. } = self;
        match slice.step(reading)? {
            None => at.set_nothing(),
            Some(Step::Row(frame, bytes)) => at.set_row(frame, bytes),
            Some(Step::Marker(marker)) => {
                let change = Change { closes: marker.closes, opens: marker.opens };
                at.set_marker(&marker.prefix, change);
            }
        }
        Ok(())
    }
}
