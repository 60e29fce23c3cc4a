//! Rows into the bytes of a leaf.
//!
//! Bytes:   docs/formats/leaf.md, section *leaf*

use manicule_core::bytes::DecodeError;

use super::block::put_block;
use super::choose::Chooser;
use super::read::Leaf;
use super::{BLOCK_ROWS, BLOCK_ROWS_MAX};
use crate::head::{FileKind, HEAD_LEN, put_head};
use crate::id::Id;
use crate::order::Order;

/// Writes a leaf: rows in, in their order, or whole blocks of another leaf; the bytes of a file
/// out.
#[derive(Debug)]
pub struct LeafWriter {
    order: Order,
    block_rows: usize,
    /// Rows of the next block.
    columns: [Vec<u64>; 4],
    bytes: Vec<u8>,
    directory: Vec<u8>,
    /// Rows of finished blocks, and these.
    row_count: u32,
    block_count: u32,
    last: Option<[Id; 4]>,
    chooser: Chooser,
}

impl LeafWriter {
    /// A writer of blocks of [`BLOCK_ROWS`] rows.
    pub fn new(order: Order) -> Self {
        LeafWriter::with_block_rows(order, BLOCK_ROWS)
    }

    /// A writer of blocks that the caller ends, before they have more than [`BLOCK_ROWS_MAX`] rows.
    pub fn new_uncut(order: Order) -> Self {
        LeafWriter::with_block_rows(order, BLOCK_ROWS_MAX)
    }

    /// A writer of blocks of `block_rows` rows.
    pub fn with_block_rows(order: Order, block_rows: usize) -> Self {
        assert!((1..=BLOCK_ROWS_MAX).contains(&block_rows), "rows of a block");
        let mut bytes = Vec::new();
        put_head(FileKind::Leaf, [order as u8, 0, 0, 0], &mut bytes);
        LeafWriter {
            order,
            block_rows,
            columns: Default::default(),
            bytes,
            directory: Vec::new(),
            row_count: 0,
            block_count: 0,
            last: None,
            chooser: Chooser::default(),
        }
    }

    /// Number of rows so far.
    pub fn row_count(&self) -> u32 {
        self.row_count
    }

    /// Number of bytes so far, without the rows of the block that isn't full.
    pub fn len(&self) -> usize {
        self.bytes.len() + self.directory.len()
    }

    /// Whether there is no row yet.
    pub fn is_empty(&self) -> bool {
        self.row_count == 0
    }

    /// Adds a row. Of an order of three columns the fourth is [`Id::DEFAULT_GRAPH`].
    ///
    /// Panics if it doesn't come after the last one.
    pub fn push(&mut self, row: [Id; 4]) {
        assert!(
            self.last.is_none_or(|last| last < row),
            "rows rise strictly: {:?} before {row:?}",
            self.last
        );
        debug_assert!(
            self.order.width() == 4 || row[3] == Id::DEFAULT_GRAPH,
            "a graph in {:?}",
            self.order
        );
        self.last = Some(row);
        for (column, id) in self.columns[..self.order.width()].iter_mut().zip(row) {
            column.push(id.0);
        }
        self.row_count = more(self.row_count, 1);
        if self.columns[0].len() == self.block_rows {
            self.end_block();
        }
    }

    /// Adds rows of as many columns as the order has.
    pub fn push_rows<const WIDTH: usize>(&mut self, rows: &[[Id; WIDTH]]) {
        assert_eq!(WIDTH, self.order.width(), "columns of {:?}", self.order);
        for row in rows {
            let mut wide = [Id::DEFAULT_GRAPH; 4];
            wide[..WIDTH].copy_from_slice(row);
            self.push(wide);
        }
    }

    /// Adds all rows of a block of another leaf of the same order: its bytes and their sum, as they
    /// are. Rows that were added before end their block, however few they are.
    ///
    /// Panics if they don't come after the last row.
    pub fn push_block(&mut self, leaf: &Leaf<'_>, block: usize) -> Result<(), DecodeError> {
        assert_eq!(leaf.order(), self.order, "blocks of the same order");
        let first = leaf.first_of(block);
        assert!(self.last.is_none_or(|last| last < first), "rows rise strictly");
        let bound = leaf.block(block)?;
        self.end_block();
        self.put_entry(first, self.bytes.len(), self.row_count, leaf.sum_of(block));
        self.bytes.extend_from_slice(leaf.raw_block(block));
        self.last = Some(bound.row(bound.row_count() - 1));
        self.row_count = more(self.row_count, bound.row_count() as u32);
        Ok(())
    }

    /// Ends the block, however few rows it has. Without rows it does nothing.
    pub fn end_block(&mut self) {
        let count = self.columns[0].len() as u32;
        if count == 0 {
            return;
        }
        let width = self.order.width();
        let at = self.bytes.len();
        put_block(&self.columns[..width], &mut self.chooser, &mut self.bytes);
        let sum = crc32fast::hash(&self.bytes[at..]);
        let mut first = [Id::DEFAULT_GRAPH; 4];
        for (id, column) in first.iter_mut().zip(&self.columns[..width]) {
            *id = Id(column[0]);
        }
        self.put_entry(first, at, self.row_count - count, sum);
        self.columns.iter_mut().for_each(Vec::clear);
    }

    fn put_entry(&mut self, first: [Id; 4], at: usize, position: u32, sum: u32) {
        for id in &first[..self.order.width()] {
            self.directory.extend_from_slice(&id.0.to_le_bytes());
        }
        for word in [offset(at), position, sum] {
            self.directory.extend_from_slice(&word.to_le_bytes());
        }
        self.block_count += 1;
    }

    /// The bytes of the file.
    pub fn finish(mut self) -> Vec<u8> {
        self.end_block();
        let directory_at = offset(self.bytes.len());
        let mut bytes = self.bytes;
        bytes.append(&mut self.directory);
        for id in &self.last.unwrap_or_default()[..self.order.width()] {
            bytes.extend_from_slice(&id.0.to_le_bytes());
        }
        for word in [self.row_count, directory_at, self.block_count] {
            bytes.extend_from_slice(&word.to_le_bytes());
        }
        let mut covered = crc32fast::Hasher::new();
        covered.update(&bytes[..HEAD_LEN]);
        covered.update(&bytes[directory_at as usize..]);
        bytes.extend_from_slice(&covered.finalize().to_le_bytes());
        bytes
    }
}

fn offset(at: usize) -> u32 {
    u32::try_from(at).expect("a leaf has fewer than 2^32 bytes")
}

fn more(row_count: u32, count: u32) -> u32 {
    row_count.checked_add(count).expect("a leaf has fewer than 2^32 rows")
}
