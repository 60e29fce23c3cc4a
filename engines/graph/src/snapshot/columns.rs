//! Rows of one order with one prefix as columns: blocks of the leaves are decoded, and the changes
//! of all layers put among them.

use std::ops::Range;
use std::sync::Arc;

use manicule_format_leaf::{Id, Order};

use super::state::State;
use crate::base::LeafSet;
use crate::error::GraphError;
use crate::overlay::{Change, Entry, Layer};
use crate::view::Blocks;

/// The rows of one order with one prefix, block by block of the leaves, in the columns that are
/// wanted.
#[derive(Debug)]
pub struct LeafBlocks<'s> {
    set: &'s LeafSet,
    order: Order,
    wanted: [bool; 4],
    /// Which of the order's columns are decoded.
    decoded: [bool; 4],
    /// Number of columns that the prefix has.
    bound: usize,
    /// The rows of the base that are still to come.
    positions: Range<u64>,
    /// Those of the layers, and how many of them have come.
    changes: Vec<Entry<4>>,
    changed: usize,
    /// The base's columns of the block, as the order has them.
    own: [Vec<u64>; 4],
    /// The block with what was changed, by place.
    merged: [Vec<u64>; 4],
    /// Whether something of the block was changed.
    is_merged: bool,
}

impl<'s> LeafBlocks<'s> {
    pub(super) fn new(
        state: &'s State,
        order: Order,
        prefix: &[Id],
        wanted: [bool; 4],
    ) -> Result<LeafBlocks<'s>, GraphError> {
        let set = state.base.set(order);
        let positions = set.range(prefix)?;
        let changes = changes(&state.layers, order, prefix);
        // Where there are changes, all columns after the prefix say where one belongs.
        let mut decoded = [false; 4];
        for (column, place) in order.columns().iter().enumerate() {
            let is_sorted = !changes.is_empty() && column >= prefix.len();
            decoded[column] = wanted[*place as usize] || is_sorted;
        }
        Ok(LeafBlocks {
            set,
            order,
            wanted,
            decoded,
            bound: prefix.len(),
            positions,
            changes,
            changed: 0,
            own: Default::default(),
            merged: Default::default(),
            is_merged: false,
        })
    }
}

impl Blocks for LeafBlocks<'_> {
    fn next(&mut self) -> Result<Option<usize>, GraphError> {
        let (start, last) = (self.positions.start, self.positions.end);
        if start >= last && self.changed >= self.changes.len() {
            return Ok(None);
        }
        let end = self.set.block_end(start).min(last);
        let rows = (end - start) as usize;
        let (width, sorted) = (self.order.width(), self.bound..self.order.width());
        for (column, ids) in self.own[..width].iter_mut().enumerate() {
            ids.clear();
            if self.decoded[column] {
                self.set.decode(column, start..end, ids)?;
            }
        }
        let rest = &self.changes[self.changed..];
        let count = if end == last {
            rest.len()
        } else {
            // Those up to the block's last row.
            rest.partition_point(|(row, _)| {
                let last = sorted.clone().map(|column| self.own[column][rows - 1]);
                sorted.clone().map(|column| row[column].0).le(last)
            })
        };
        self.positions.start = end;
        self.changed += count;
        self.is_merged = count > 0;
        if !self.is_merged {
            return Ok(Some(rows));
        }
        self.merged.iter_mut().for_each(Vec::clear);
        let (order, wanted) = (self.order, self.wanted);
        let (own, out) = (&self.own[..width], &mut self.merged);
        let mut merged = Merged { own, order, wanted, out, at: 0, count: 0 };
        merged.put_all(&rest[..count], sorted, rows);
        Ok(Some(merged.count as usize))
    }

    fn ids(&self) -> [&[u64]; 4] {
        if self.is_merged {
            return self.merged.each_ref().map(Vec::as_slice);
        }
        let mut given: [&[u64]; 4] = [&[]; 4];
        for (ids, place) in self.own.iter().zip(self.order.columns()) {
            given[*place as usize] = ids;
        }
        given
    }
}

/// What all layers did with the rows of a prefix, the newest of each row.
fn changes(layers: &[Arc<Layer>], order: Order, prefix: &[Id]) -> Vec<Entry<4>> {
    let mut changes: Vec<Entry<4>> = Vec::new();
    for layer in layers {
        let places = layer.range(order, prefix);
        let removed = layer.removed(order);
        let mut next = removed.partition_point(|at| (*at as usize) < places.start);
        for at in places {
            let is_removed = removed.get(next) == Some(&(at as u32));
            next += usize::from(is_removed);
            let change = if is_removed { Change::Removed } else { Change::Added };
            changes.push((layer.row(order, at), change));
        }
    }
    // Stable: of equal rows the last one is the newest.
    changes.sort_by_key(|entry| entry.0);
    changes.dedup_by(|next, kept| {
        let is_same = next.0 == kept.0;
        if is_same {
            *kept = *next;
        }
        is_same
    });
    changes
}

/// Columns that are being put together.
struct Merged<'m> {
    /// The base's, as the order has them.
    own: &'m [Vec<u64>],
    order: Order,
    wanted: [bool; 4],
    out: &'m mut [Vec<u64>; 4],
    /// The next row of the base.
    at: usize,
    count: u64,
}

impl Merged<'_> {
    /// Puts all rows of the base, and changes among them where their ids in some columns belong.
    fn put_all(&mut self, changes: &[Entry<4>], sorted: Range<usize>, row_count: usize) {
        for (row, change) in changes {
            let end = self.first_from(row, sorted.clone(), row_count);
            self.copy(end);
            let is_there =
                end < row_count && sorted.clone().all(|at| self.own[at][end] == row[at].0);
            if is_there {
                self.at = end + 1;
            }
            if *change == Change::Added {
                self.push(row);
            }
        }
        self.copy(row_count);
    }

    /// The first row of the base, from the next one on, that isn't below a row.
    fn first_from(&self, row: &[Id; 4], columns: Range<usize>, end: usize) -> usize {
        let is_below = |at: usize| {
            let own = columns.clone().map(|column| self.own[column][at]);
            own.lt(columns.clone().map(|column| row[column].0))
        };
        let (mut low, mut step) = (self.at, 1);
        while low + step < end && is_below(low + step) {
            low += step;
            step *= 2;
        }
        let mut high = end.min(low + step);
        while low < high {
            let middle = low + (high - low) / 2;
            if is_below(middle) { low = middle + 1 } else { high = middle }
        }
        low
    }

    /// Copies the rows of the base up to one.
    fn copy(&mut self, end: usize) {
        for (column, place) in self.order.columns().iter().enumerate() {
            if self.wanted[*place as usize] && column < self.own.len() {
                self.out[*place as usize].extend_from_slice(&self.own[column][self.at..end]);
            }
        }
        self.count += (end - self.at) as u64;
        self.at = end;
    }

    /// Appends a row.
    fn push(&mut self, row: &[Id; 4]) {
        for (id, place) in row.iter().zip(self.order.columns()) {
            if self.wanted[*place as usize] {
                self.out[*place as usize].push(id.0);
            }
        }
        self.count += 1;
    }
}
