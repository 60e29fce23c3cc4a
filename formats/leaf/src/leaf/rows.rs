//! The rows of a leaf from one position to another, decoded in batches.

use std::ops::Range;

use manicule_core::bytes::DecodeError;

use super::read::Leaf;
use crate::id::Id;

/// Rows that are decoded at once at first: a look-up of one subject takes no more. Each batch is
/// twice as large as the one before, up to a block.
const BATCH_ROWS_FIRST: usize = 32;

/// Rows in order. After an error there are none.
#[derive(Clone, Debug)]
pub struct Rows<'a> {
    leaf: Leaf<'a>,
    positions: Range<u32>,
    batch_rows: usize,
    columns: [Vec<u64>; 4],
    /// The next of the decoded rows.
    next: usize,
}

impl<'a> Rows<'a> {
    /// The rows at a range of positions.
    ///
    /// Panics if the leaf ends before.
    pub fn new(leaf: Leaf<'a>, positions: Range<u32>) -> Self {
        assert!(positions.end <= leaf.row_count(), "positions of the leaf");
        Rows { leaf, positions, batch_rows: BATCH_ROWS_FIRST, columns: Default::default(), next: 0 }
    }

    fn decode_more(&mut self) -> Result<(), DecodeError> {
        let start = self.positions.start;
        let block = self.leaf.block_at(start);
        let own = self.leaf.positions_of(block);
        let end = own.end.min(self.positions.end).min(start.saturating_add(self.batch_rows as u32));
        let rows = (start - own.start) as usize..(end - own.start) as usize;
        let bound = self.leaf.block(block)?;
        for (column, ids) in self.columns[..self.leaf.order().width()].iter_mut().enumerate() {
            ids.clear();
            bound.decode(column, rows.clone(), ids);
        }
        self.next = 0;
        self.positions.start = end;
        self.batch_rows = (self.batch_rows * 2).min(super::BLOCK_ROWS);
        Ok(())
    }
}

impl Iterator for Rows<'_> {
    type Item = Result<[Id; 4], DecodeError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.next == self.columns[0].len() {
            if self.positions.is_empty() {
                return None;
            }
            if let Err(error) = self.decode_more() {
                self.positions.start = self.positions.end;
                return Some(Err(error));
            }
        }
        let mut row = [Id::DEFAULT_GRAPH; 4];
        for (id, column) in row.iter_mut().zip(&self.columns[..self.leaf.order().width()]) {
            *id = Id(column[self.next]);
        }
        self.next += 1;
        Some(Ok(row))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.positions.len() + self.columns[0].len() - self.next;
        (0, Some(left))
    }
}
