//! Rows of one order with one prefix as columns: those of the leaves are decoded whole, and the changes of all layers put among them.
//!
//! Callers: snapshot

use std::sync::Arc;

use manicule_format_leaf::{Id, Order};

use super::state::State;
use crate::error::GraphError;
use crate::overlay::{Change, Entry, Layer};

/// Appends the columns of subject, predicate, object and graph that are wanted. Returns the number of rows.
pub(super) fn columns(
    state: &State,
    order: Order,
    prefix: &[Id],
    wanted: [bool; 4],
    out: &mut [Vec<u64>; 4],
) -> Result<u64, GraphError> {
    let set = state.base.set(order);
    let positions = set.range(prefix)?;
    let row_count = positions.end - positions.start;
    let changes = changes(&state.layers, order, prefix);
    let places = order.columns();
    if changes.is_empty() {
        for (column, place) in places.iter().enumerate() {
            if wanted[*place as usize] {
                set.decode(column, positions.clone(), &mut out[*place as usize])?;
            }
        }
        return Ok(row_count);
    }
    // All columns after the prefix say where a change belongs.
    let mut own = vec![Vec::new(); order.width()];
    for (column, ids) in own.iter_mut().enumerate() {
        if column >= prefix.len() || wanted[places[column] as usize] {
            set.decode(column, positions.clone(), ids)?;
        }
    }
    let mut merged = Merged { own: &own, order, wanted, out, at: 0, count: 0 };
    let sorted = prefix.len()..order.width();
    for (row, change) in changes {
        let end = merged.first_from(&row, sorted.clone(), row_count as usize);
        merged.copy(end);
        let is_there =
            end < row_count as usize && sorted.clone().all(|at| own[at][end] == row[at].0);
        if is_there {
            merged.at = end + 1;
        }
        if change == Change::Added {
            merged.push(&row);
        }
    }
    merged.copy(row_count as usize);
    Ok(merged.count)
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
    /// The first row of the base, from the next one on, that isn't below a row.
    fn first_from(&self, row: &[Id; 4], columns: std::ops::Range<usize>, end: usize) -> usize {
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
