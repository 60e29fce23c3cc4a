//! Rows of one order with one prefix as columns: blocks of the leaves are decoded, and the changes
//! of all layers put among them.

use std::ops::Range;
use std::sync::Arc;

use manicule_format_leaf::{Id, Order};

use super::state::State;
use crate::error::GraphError;
use crate::overlay::{Change, Entry, Layer};
use crate::view::Batch;

/// Hands over the rows, block by block, in the columns that are wanted. Returns their number.
pub(super) fn batches(
    state: &State,
    order: Order,
    prefix: &[Id],
    wanted: [bool; 4],
    each: &mut Batch<'_>,
) -> Result<u64, GraphError> {
    let set = state.base.set(order);
    let positions = set.range(prefix)?;
    let changes = changes(&state.layers, order, prefix);
    let (width, places) = (order.width(), order.columns());
    // Where there are changes, all columns after the prefix say where one belongs.
    let is_decoded = |column: usize| {
        wanted[places[column] as usize] || (!changes.is_empty() && column >= prefix.len())
    };
    let sorted = prefix.len()..width;
    let mut own: [Vec<u64>; 4] = Default::default();
    let mut out: [Vec<u64>; 4] = Default::default();
    let (mut next, mut next_change, mut count) = (positions.start, 0, 0);
    while next < positions.end || next_change < changes.len() {
        let end = set.block_end(next).min(positions.end);
        let rows = (end - next) as usize;
        for (column, ids) in own[..width].iter_mut().enumerate() {
            ids.clear();
            if is_decoded(column) {
                set.decode(column, next..end, ids)?;
            }
        }
        let of_block = if end == positions.end {
            changes.len()
        } else {
            // Those up to the block's last row.
            next_change
                + changes[next_change..].partition_point(|(row, _)| {
                    let last = sorted.clone().map(|column| own[column][rows - 1]);
                    sorted.clone().map(|column| row[column].0).le(last)
                })
        };
        let mut given: [&[u64]; 4] = [&[]; 4];
        let given_count = if next_change == of_block {
            for (column, place) in places.iter().enumerate() {
                given[*place as usize] = &own[column];
            }
            rows
        } else {
            out.iter_mut().for_each(Vec::clear);
            let own = &own[..width];
            let mut merged = Merged { own, order, wanted, out: &mut out, at: 0, count: 0 };
            merged.put_all(&changes[next_change..of_block], sorted.clone(), rows);
            let rows = merged.count as usize;
            given.iter_mut().zip(&out).for_each(|(given, out)| *given = out);
            rows
        };
        count += given_count as u64;
        if each(given, given_count).is_break() {
            break;
        }
        (next, next_change) = (end, of_block);
    }
    Ok(count)
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
