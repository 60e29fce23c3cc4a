//! Rows of the base from one position to another, decoded in batches.

use std::ops::Range;

use manicule_format_leaf::Id;

use super::set::LeafSet;
use crate::error::GraphError;

/// Rows that are decoded at once at first: a look-up of one subject takes no more. Each batch is
/// twice as large as the one before, up to a block.
const BATCH_ROWS_FIRST: u64 = 32;
const BATCH_ROWS_MAX: u64 = 1024;

/// Rows in order. After an error there are none.
#[derive(Clone, Debug)]
pub struct BaseRows {
    set: LeafSet,
    positions: Range<u64>,
    batch_rows: u64,
    columns: [Vec<u64>; 4],
    /// The next of the decoded rows.
    next: usize,
}

impl BaseRows {
    /// The rows at a range of positions.
    ///
    /// Panics if the base ends before.
    pub fn new(set: LeafSet, positions: Range<u64>) -> Self {
        assert!(positions.end <= set.row_count(), "positions of the base");
        BaseRows {
            set,
            positions,
            batch_rows: BATCH_ROWS_FIRST,
            columns: Default::default(),
            next: 0,
        }
    }

    /// Number of rows that are left.
    pub fn len(&self) -> u64 {
        self.positions.end.saturating_sub(self.positions.start)
            + (self.columns[0].len() - self.next) as u64
    }

    /// Whether no row is left.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn decode_more(&mut self) -> Result<(), GraphError> {
        let end = self.positions.end.min(self.positions.start + self.batch_rows);
        let batch = self.positions.start..end;
        self.positions.start = end;
        self.batch_rows = (self.batch_rows * 2).min(BATCH_ROWS_MAX);
        self.next = 0;
        self.columns.iter_mut().for_each(Vec::clear);
        for column in 0..self.set.order().width() {
            self.set.decode(column, batch.clone(), &mut self.columns[column])?;
        }
        Ok(())
    }
}

impl Iterator for BaseRows {
    type Item = Result<[Id; 4], GraphError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.next == self.columns[0].len() {
            if self.positions.is_empty() {
                return None;
            }
            if let Err(error) = self.decode_more() {
                self.positions.start = self.positions.end;
                self.columns[0].clear();
                return Some(Err(error));
            }
        }
        let mut row = [Id::DEFAULT_GRAPH; 4];
        for (id, column) in row.iter_mut().zip(&self.columns[..self.set.order().width()]) {
            *id = Id(column[self.next]);
        }
        self.next += 1;
        Some(Ok(row))
    }
}
