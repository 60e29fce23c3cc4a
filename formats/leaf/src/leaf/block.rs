//! A block: rows as columns, searched and decoded where they lie.
//!
//! Bytes:   | columns × 8 heads | bodies, back to back | 8 zero |, docs/formats/leaf.md, section *blocks*

use std::ops::Range;

use manicule_core::bytes::{DecodeError, Reader};

use super::choose::Chooser;
use super::column::{Column, HEAD_LEN, Head};
use crate::id::Id;
use crate::pack::SLACK;

/// A block, bound to its bytes.
#[derive(Clone, Copy, Debug)]
pub struct Block<'a> {
    row_count: usize,
    width: usize,
    /// Those past the width are the last one's copies.
    pub(super) columns: [Column<'a>; 4],
}

impl<'a> Block<'a> {
    /// Binds a block of `row_count` rows and `width` columns. Its heads are checked, and that its
    /// bodies are there.
    pub(super) fn new(
        bytes: &'a [u8],
        at: u64,
        row_count: usize,
        width: usize,
    ) -> Result<Self, DecodeError> {
        let mut heads = Reader::new(bytes, at);
        let mut body = heads;
        body.take("heads of the columns", width * HEAD_LEN)?;
        let mut bind = || {
            let head = Head::read(&mut heads, row_count)?;
            let (column, len) = Column::new(&head, row_count, body.rest(), body.at())?;
            body.take("body of a column", len)?;
            Ok(column)
        };
        let (first, second, third) = (bind()?, bind()?, bind()?);
        let fourth = if width > 3 { bind()? } else { third };
        let (at, have) = (body.at(), body.rest().len());
        if have != SLACK {
            let (what, want, got) = ("bytes after the columns", SLACK as u64, have as u64);
            return Err(DecodeError::Corrupt { what, at, want, got });
        }
        Ok(Block { row_count, width, columns: [first, second, third, fourth] })
    }

    /// Number of rows, at least one.
    pub fn row_count(&self) -> usize {
        self.row_count
    }

    /// A row; of three columns, the fourth is [`Id::DEFAULT_GRAPH`].
    pub fn row(&self, row: usize) -> [Id; 4] {
        let mut ids = [Id::DEFAULT_GRAPH; 4];
        for (id, column) in ids.iter_mut().zip(&self.columns[..self.width]) {
            *id = Id(column.get(row));
        }
        ids
    }

    /// The first row whose first columns are not below `prefix`; the row count if all are.
    pub fn lower_bound(&self, prefix: &[Id]) -> usize {
        self.equal_rows(prefix).start
    }

    /// The first row whose first columns are above `prefix`; the row count if none is.
    pub fn upper_bound(&self, prefix: &[Id]) -> usize {
        self.equal_rows(prefix).end
    }

    /// The rows whose first columns are `prefix`; where there is none, the empty range at which
    /// they would be.
    pub fn equal_rows(&self, prefix: &[Id]) -> Range<usize> {
        let mut rows = 0..self.row_count;
        for (column, id) in self.columns[..self.width].iter().zip(prefix) {
            let low = column.lower_bound(rows.clone(), id.0);
            rows = low..column.upper_bound(low..rows.end, id.0);
            if rows.is_empty() {
                break;
            }
        }
        rows
    }

    /// How each column is packed, in a word.
    pub(super) fn describe(&self) -> String {
        let columns = self.columns[..self.width].iter().map(Column::describe);
        columns.collect::<Vec<_>>().join(" · ")
    }

    /// Checks what binding leaves out: codes without an id, entries and runs out of order.
    pub(super) fn check(&self, at: u64) -> Result<(), DecodeError> {
        self.columns[..self.width].iter().try_for_each(|column| column.check(at))
    }

    /// Appends the ids of one column in a range of rows, as numbers.
    pub fn decode(&self, column: usize, rows: Range<usize>, out: &mut Vec<u64>) {
        let before = out.len();
        out.resize(before + rows.len(), 0);
        self.columns[..self.width][column].decode(rows.start, &mut out[before..]);
    }

    /// Fills `out` with the ids of one column from a row on, as numbers.
    pub fn decode_into(&self, column: usize, first: usize, out: &mut [u64]) {
        self.columns[..self.width][column].decode(first, out);
    }
}

/// Appends the block of rows given as columns of one length.
pub(super) fn put_block(columns: &[Vec<u64>], chooser: &mut Chooser, out: &mut Vec<u8>) {
    let heads_at = out.len();
    let mut heads = Vec::with_capacity(columns.len() * HEAD_LEN);
    out.resize(heads_at + columns.len() * HEAD_LEN, 0);
    for column in columns {
        chooser.put(column, &mut heads, out);
    }
    out[heads_at..heads_at + heads.len()].copy_from_slice(&heads);
    out.extend_from_slice(&[0; SLACK]);
}
