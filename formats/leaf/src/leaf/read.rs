//! A leaf, read where it lies: blocks by number, positions by the first columns of a row.
//!
//! Bytes:   docs/formats/leaf.md, section *leaf*

use std::cmp::Ordering;
use std::ops::Range;

use manicule_core::bytes::DecodeError;

use super::block::Block;
use super::footer::{BlockChecks, ENTRY_TAIL_LEN, LeafShape, check_block, entry_len, read_shape};
use crate::id::Id;
use crate::order::Order;

/// A leaf, bound to the bytes of its file. A position is the number of a row, counted from the
/// leaf's first.
#[derive(Clone, Copy, Debug)]
pub struct Leaf<'a> {
    bytes: &'a [u8],
    shape: LeafShape,
    checks: Option<&'a BlockChecks>,
}

impl<'a> Leaf<'a> {
    /// Binds to the bytes of a whole file. Head, directory and footer are checked; the sums of the
    /// blocks are not, see [`Leaf::check_block`].
    pub fn open(bytes: &'a [u8]) -> Result<Self, DecodeError> {
        Ok(Leaf { bytes, shape: read_shape(bytes)?, checks: None })
    }

    /// Binds to bytes that were opened before, of which this is the shape.
    ///
    /// Panics if the bytes have another length.
    pub fn bind(shape: LeafShape, bytes: &'a [u8]) -> Self {
        assert_eq!(bytes.len() as u64, shape.len, "the bytes that the shape is of");
        Leaf { bytes, shape, checks: None }
    }

    /// The same leaf, of which the sum of each block is checked when it is first read.
    pub fn with_checks(self, checks: &'a BlockChecks) -> Self {
        Leaf { checks: Some(checks), ..self }
    }

    /// What opening found.
    pub fn shape(&self) -> LeafShape {
        self.shape
    }

    /// The order of the rows.
    pub fn order(&self) -> Order {
        self.shape.order
    }

    /// Number of rows.
    pub fn row_count(&self) -> u32 {
        self.shape.row_count
    }

    /// Number of blocks.
    pub fn block_count(&self) -> usize {
        self.shape.block_count as usize
    }

    /// The first row; `None` if the leaf is empty.
    pub fn first(&self) -> Option<[Id; 4]> {
        (self.block_count() > 0).then(|| self.first_of(0))
    }

    /// The last row; `None` if the leaf is empty.
    pub fn last(&self) -> Option<[Id; 4]> {
        let at = self.entry_at(self.block_count());
        (self.block_count() > 0).then(|| self.row_at(at))
    }

    /// Offset of the directory in the file.
    pub(super) fn directory_at(&self) -> u64 {
        self.shape.directory_at.into()
    }

    /// The sum of head, directory and footer.
    pub(super) fn sum(&self) -> u32 {
        self.u32_at(self.bytes.len() - 4)
    }

    fn entry_at(&self, block: usize) -> usize {
        self.shape.directory_at as usize + block * entry_len(self.order().width())
    }

    fn row_at(&self, at: usize) -> [Id; 4] {
        let mut row = [Id::DEFAULT_GRAPH; 4];
        for (column, id) in row[..self.order().width()].iter_mut().enumerate() {
            *id = Id(self.u64_at(at + column * 8));
        }
        row
    }

    fn u64_at(&self, at: usize) -> u64 {
        u64::from_le_bytes(self.bytes[at..at + 8].try_into().expect("eight bytes"))
    }

    fn u32_at(&self, at: usize) -> u32 {
        u32::from_le_bytes(self.bytes[at..at + 4].try_into().expect("four bytes"))
    }

    /// The first row of a block.
    pub fn first_of(&self, block: usize) -> [Id; 4] {
        assert!(block < self.block_count(), "a block of the leaf");
        self.row_at(self.entry_at(block))
    }

    /// The place of a block in the file.
    pub fn bytes_of(&self, block: usize) -> Range<usize> {
        assert!(block < self.block_count(), "a block of the leaf");
        let at = |block: usize| {
            if block == self.block_count() {
                self.shape.directory_at
            } else {
                self.u32_at(self.entry_at(block + 1) - ENTRY_TAIL_LEN)
            }
        };
        at(block) as usize..at(block + 1) as usize
    }

    /// The positions of a block's rows.
    pub fn positions_of(&self, block: usize) -> Range<u32> {
        assert!(block < self.block_count(), "a block of the leaf");
        self.position_of(block)..self.position_of(block + 1)
    }

    fn position_of(&self, block: usize) -> u32 {
        if block == self.block_count() {
            self.shape.row_count
        } else {
            self.u32_at(self.entry_at(block + 1) - ENTRY_TAIL_LEN + 4)
        }
    }

    /// The sum of a block, as the directory has it.
    pub fn sum_of(&self, block: usize) -> u32 {
        assert!(block < self.block_count(), "a block of the leaf");
        self.u32_at(self.entry_at(block + 1) - 4)
    }

    /// Checks the sum of a block: once is enough, 0.4 microseconds.
    pub fn check_block(&self, block: usize) -> Result<(), DecodeError> {
        let range = self.bytes_of(block);
        check_block(&self.bytes[range.clone()], range.start as u64, self.sum_of(block))
    }

    /// A block's bytes, as they lie in the file.
    pub fn raw_block(&self, block: usize) -> &'a [u8] {
        &self.bytes[self.bytes_of(block)]
    }

    /// A block. Its sum is checked only by a leaf [with checks](Leaf::with_checks).
    pub fn block(&self, block: usize) -> Result<Block<'a>, DecodeError> {
        if let Some(checks) = self.checks {
            checks.once(block, || self.check_block(block))?;
        }
        let range = self.bytes_of(block);
        let (at, row_count) = (range.start as u64, self.positions_of(block).len());
        Block::new(&self.bytes[range], at, row_count, self.order().width())
    }

    /// The block that has the row at a position.
    pub fn block_at(&self, position: u32) -> usize {
        assert!(position < self.row_count(), "a position of the leaf");
        self.partition(|block| self.position_of(block) <= position) - 1
    }

    /// Number of blocks at the beginning for which something holds.
    fn partition(&self, holds: impl Fn(usize) -> bool) -> usize {
        let (mut low, mut high) = (0, self.block_count());
        while low < high {
            let middle = low.midpoint(high);
            if holds(middle) { low = middle + 1 } else { high = middle }
        }
        low
    }

    /// The first columns of a block's first row, beside a prefix.
    fn compare(&self, block: usize, prefix: &[Id]) -> Ordering {
        let at = self.entry_at(block);
        for (column, id) in prefix[..prefix.len().min(self.order().width())].iter().enumerate() {
            let order = self.u64_at(at + column * 8).cmp(&id.0);
            if order.is_ne() {
                return order;
            }
        }
        Ordering::Equal
    }

    /// The position of the first row whose first columns are not below `prefix`.
    pub fn lower_bound(&self, prefix: &[Id]) -> Result<u32, DecodeError> {
        let Some(block) =
            self.partition(|block| self.compare(block, prefix).is_lt()).checked_sub(1)
        else {
            return Ok(0);
        };
        Ok(self.position_of(block) + self.block(block)?.lower_bound(prefix) as u32)
    }

    /// The position of the first row whose first columns are above `prefix`.
    pub fn upper_bound(&self, prefix: &[Id]) -> Result<u32, DecodeError> {
        let Some(block) =
            self.partition(|block| self.compare(block, prefix).is_le()).checked_sub(1)
        else {
            return Ok(0);
        };
        Ok(self.position_of(block) + self.block(block)?.upper_bound(prefix) as u32)
    }

    /// The positions of all rows whose first columns are `prefix`: as many as it is long. At most
    /// two blocks are looked into.
    pub fn range(&self, prefix: &[Id]) -> Result<Range<u32>, DecodeError> {
        let low = self.partition(|block| self.compare(block, prefix).is_lt());
        let Some(block) = low.checked_sub(1) else {
            return Ok(0..self.upper_bound(prefix)?);
        };
        let rows = self.block(block)?.equal_rows(prefix);
        let first = self.position_of(block);
        let start = first + rows.start as u32;
        if low == self.block_count() || self.compare(low, prefix).is_gt() {
            return Ok(start..first + rows.end as u32);
        }
        Ok(start..self.upper_bound(prefix)?)
    }

    /// Appends the ids of one column at a range of positions, as numbers.
    pub fn decode(
        &self,
        column: usize,
        positions: Range<u32>,
        out: &mut Vec<u64>,
    ) -> Result<(), DecodeError> {
        assert!(positions.end <= self.row_count(), "positions of the leaf");
        let mut next = positions.start;
        if next >= positions.end {
            return Ok(());
        }
        let mut block = self.block_at(next);
        while next < positions.end {
            let own = self.positions_of(block);
            let end = own.end.min(positions.end);
            let rows = (next - own.start) as usize..(end - own.start) as usize;
            self.block(block)?.decode(column, rows, out);
            (next, block) = (end, block + 1);
        }
        Ok(())
    }
}
