//! A leaf with changes: blocks without any stay packed, the others become rows.

use std::iter::Peekable;

use manicule_core::bytes::DecodeError;
use manicule_format_leaf::Id;
use manicule_format_leaf::leaf::{BLOCK_ROWS, BLOCK_ROWS_MAX, Leaf, LeafWriter, Rows};

use crate::overlay::Change;

/// Fewer rows than these don't make a block of their own where there is one beside them.
const FEW_ROWS: usize = BLOCK_ROWS / 4;

/// Rows of a leaf that changes.
#[derive(Clone, Debug)]
pub(super) enum Piece {
    /// A block as it is: its number, and how many rows it has.
    Block(usize, usize),
    /// Rows, to be packed.
    Rows(Vec<[Id; 4]>),
}

impl Piece {
    fn row_count(&self) -> usize {
        match self {
            Piece::Block(_, count) => *count,
            Piece::Rows(rows) => rows.len(),
        }
    }

    fn into_rows(self, leaf: &Leaf<'_>) -> Result<Vec<[Id; 4]>, DecodeError> {
        match self {
            Piece::Block(block, _) => Rows::new(*leaf, leaf.positions_of(block)).collect(),
            Piece::Rows(rows) => Ok(rows),
        }
    }
}

/// Pieces in their order.
#[derive(Clone, Debug, Default)]
pub(super) struct Pieces(Vec<Piece>);

impl Pieces {
    /// The rows of a leaf after changes, which increase strictly.
    pub(super) fn new(leaf: &Leaf<'_>, changes: &[([Id; 4], Change)]) -> Result<Self, DecodeError> {
        let mut pieces = Pieces::default();
        let mut rest = changes;
        for block in 0..leaf.block_count() {
            let mine = if block + 1 == leaf.block_count() {
                rest.len()
            } else {
                let next = leaf.first_of(block + 1);
                rest.partition_point(|(row, _)| *row < next)
            };
            let (own, later) = rest.split_at(mine);
            rest = later;
            let positions = leaf.positions_of(block);
            let piece = Piece::Block(block, positions.len());
            if own.is_empty() {
                pieces.push(piece, leaf)?;
                continue;
            }
            let mut rows = Vec::with_capacity(positions.len() + own.len());
            let changed = Changed { rows: Rows::new(*leaf, positions).peekable(), changes: own };
            for row in changed {
                rows.push(row?);
            }
            pieces.push(Piece::Rows(rows), leaf)?;
        }
        if let [.., Piece::Block(..), Piece::Rows(rows)] = &pieces.0[..]
            && rows.len() < FEW_ROWS
            && let (Some(last), Some(before)) = (pieces.0.pop(), pieces.0.pop())
        {
            let mut rows = before.into_rows(leaf)?;
            rows.extend(last.into_rows(leaf)?);
            pieces.0.push(Piece::Rows(rows));
        }
        Ok(pieces)
    }

    fn push(&mut self, piece: Piece, leaf: &Leaf<'_>) -> Result<(), DecodeError> {
        match (self.0.last_mut(), piece) {
            (_, Piece::Rows(rows)) if rows.is_empty() => {}
            (Some(Piece::Rows(rows)), Piece::Rows(more)) => rows.extend(more),
            (Some(Piece::Rows(rows)), block) if rows.len() < FEW_ROWS => {
                rows.extend(block.into_rows(leaf)?);
            }
            (_, piece) => self.0.push(piece),
        }
        Ok(())
    }

    /// Number of rows.
    pub(super) fn row_count(&self) -> usize {
        self.0.iter().map(Piece::row_count).sum()
    }

    /// The first row; there is one.
    pub(super) fn first(&self, leaf: &Leaf<'_>) -> [Id; 4] {
        match &self.0[0] {
            Piece::Block(block, _) => leaf.first_of(*block),
            Piece::Rows(rows) => rows[0],
        }
    }

    /// Takes off about `count` first rows. Where the first column changes within `reach` rows of
    /// there, in the same block, the cut is made at that change.
    pub(super) fn split_off_first(
        &mut self,
        count: usize,
        reach: usize,
        leaf: &Leaf<'_>,
    ) -> Result<Pieces, DecodeError> {
        let (mut before, mut at) = (0, 0);
        while before + self.0[at].row_count() < count {
            before += self.0[at].row_count();
            at += 1;
        }
        let mut first: Vec<Piece> = self.0.drain(..at).collect();
        let rows = self.0.remove(0).into_rows(leaf)?;
        let cut = cut_near(&rows, count - before, reach);
        let (own, rest) = rows.split_at(cut);
        if !own.is_empty() {
            first.push(Piece::Rows(own.to_vec()));
        }
        if !rest.is_empty() {
            self.0.insert(0, Piece::Rows(rest.to_vec()));
        }
        Ok(Pieces(first))
    }

    /// Adds all rows to a leaf.
    pub(super) fn write(
        &self,
        leaf: &Leaf<'_>,
        writer: &mut LeafWriter,
    ) -> Result<(), DecodeError> {
        for piece in &self.0 {
            match piece {
                Piece::Block(block, _) => {
                    leaf.block(*block)?;
                    writer.push_block(leaf, *block)?;
                }
                Piece::Rows(rows) => push_blocks(rows, writer),
            }
        }
        Ok(())
    }
}

/// The place nearest to `at` at which the first column changes; `at` itself where there is none
/// within reach.
fn cut_near(rows: &[[Id; 4]], at: usize, reach: usize) -> usize {
    let changes = |cut: usize| cut > 0 && cut < rows.len() && rows[cut - 1][0] != rows[cut][0];
    let near = (0..=reach).flat_map(|far| [at.checked_sub(far), at.checked_add(far)]);
    near.flatten().find(|cut| changes(*cut)).unwrap_or(at)
}

/// Adds rows in blocks of nearly equal size.
fn push_blocks(rows: &[[Id; 4]], writer: &mut LeafWriter) {
    let block_count = ((rows.len() + BLOCK_ROWS / 2) / BLOCK_ROWS).max(1);
    let mut start = 0;
    for block in 1..=block_count {
        let end = rows.len() * block / block_count;
        rows[start..end].iter().for_each(|row| writer.push(*row));
        writer.end_block();
        start = end;
    }
}

const _: () = assert!(BLOCK_ROWS + BLOCK_ROWS / 2 <= BLOCK_ROWS_MAX);

/// Rows with changes applied: one that is added and there, or removed and not there, changes
/// nothing.
struct Changed<'a, I: Iterator> {
    rows: Peekable<I>,
    changes: &'a [([Id; 4], Change)],
}

impl<I: Iterator<Item = Result<[Id; 4], DecodeError>>> Iterator for Changed<'_, I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let Some(((changed, change), later)) = self.changes.split_first() else {
                return self.rows.next();
            };
            let row = match self.rows.peek() {
                Some(Err(_)) => return self.rows.next(),
                Some(Ok(row)) if row < changed => return self.rows.next(),
                Some(Ok(row)) => Some(*row),
                None => None,
            };
            self.changes = later;
            if row == Some(*changed) {
                self.rows.next();
            }
            if *change == Change::Added {
                return Some(Ok(*changed));
            }
        }
    }
}
