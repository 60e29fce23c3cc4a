//! Triple patterns joined as they are scanned: a block of quads at a time is looked up in the rows so far, so that columns of a pattern
//! are never held whole.
//!
//! Callers: columns/order

use std::ops::ControlFlow;

use super::lookup::Lookup;
use super::scan::{At, QuadPattern};
use super::sink::Sink;
use super::state::Columns;
use super::stop::{Outcome, Stop};
use super::table::{NO_ROW, Table, gather};
use crate::view::View;

/// Number of joined rows that are handed on together, about: their columns fit the cache.
const ROWS: usize = 4096;
/// Number of batches between two looks at the time.
const BATCHES_PER_LOOK: usize = 8;

/// Takes some quads of a pattern: their ids by place, and how many they are.
type Each<'e> = dyn FnMut([&[u64]; 4], usize) -> Outcome<()> + 'e;

/// What a scan of a pattern gives to a table.
struct Parts {
    /// Columns of the table that are kept.
    left: Vec<usize>,
    /// Columns of the table that the pattern shares, and its places for them.
    keys: Vec<(usize, usize)>,
    /// Places of the pattern whose variables are new and kept.
    right: Vec<usize>,
}

impl<V: View> Columns<'_, '_, V> {
    /// Hands over the quads of a pattern in which no variable occurs twice. Returns the number of rows.
    pub(super) fn stream(
        &self,
        pattern: &QuadPattern,
        is_kept: impl Fn(&str) -> bool,
        sink: &mut dyn Sink,
    ) -> Outcome<u64> {
        let mut chunk = Table::default();
        let mut places = Vec::new();
        for (at, place) in pattern.places.iter().enumerate() {
            if let At::Variable(name) = place
                && is_kept(name)
            {
                chunk.push(name.clone(), Vec::new());
                places.push(at);
            }
        }
        // Its variables, where no quad comes.
        sink.push(&chunk)?;
        self.batches(pattern, &places, &mut |batch, rows| {
            for (column, place) in chunk.columns.iter_mut().zip(&places) {
                column.clear();
                column.extend_from_slice(batch[*place]);
            }
            chunk.row_count = rows;
            sink.push(&chunk)
        })
    }

    /// Hands over the rows of a table with the quads of a pattern, in which no variable occurs twice, that agree with them: all rows
    /// bind what both share. Returns the number of rows.
    pub(super) fn stream_joined(
        &self,
        table: &Table,
        pattern: &QuadPattern,
        is_kept: impl Fn(&str) -> bool,
        sink: &mut dyn Sink,
    ) -> Outcome<u64> {
        let (parts, mut chunk) = parts(table, pattern, is_kept);
        sink.push(&chunk)?;
        let keys = table.columns_at(parts.keys.iter().map(|(column, _)| *column));
        let lookup = Lookup::new(&keys, table.row_count, pattern.count as usize);
        let (mut lefts, mut rights) = (Vec::new(), Vec::new());
        let mut count = 0;
        let mut hand_over = |batch: &[&[u64]; 4], lefts: &[u32], rights: &[u32]| {
            let (left, right) = chunk.columns.split_at_mut(parts.left.len());
            for (column, place) in left.iter_mut().zip(&parts.left) {
                gather(&table.columns[*place], lefts, column);
            }
            for (column, place) in right.iter_mut().zip(&parts.right) {
                gather(batch[*place], rights, column);
            }
            chunk.row_count = lefts.len();
            count += lefts.len() as u64;
            self.meter.joined(lefts.len())?;
            sink.push(&chunk)
        };
        let mut wanted = parts.right.clone();
        wanted.extend(parts.keys.iter().map(|(_, place)| *place));
        self.batches(pattern, &wanted, &mut |batch, rows| {
            lefts.clear();
            rights.clear();
            if let (Lookup::Unique { base, rows }, [(_, place)]) = (&lookup, &parts.keys[..]) {
                for_unique(batch[*place], rows, *base, &mut lefts, &mut rights);
                return hand_over(&batch, &lefts, &rights);
            }
            let mut key = vec![0; parts.keys.len()];
            for row in 0..rows {
                key.iter_mut().zip(&parts.keys).for_each(|(id, (_, place))| {
                    *id = batch[*place][row];
                });
                for own in lookup.rows_of(&key).chunks(ROWS) {
                    lefts.extend_from_slice(own);
                    rights.resize(lefts.len(), row as u32);
                    if lefts.len() >= ROWS {
                        hand_over(&batch, &lefts, &rights)?;
                        lefts.clear();
                        rights.clear();
                    }
                }
            }
            hand_over(&batch, &lefts, &rights)
        })?;
        Ok(count)
    }

    /// Reads the quads of a pattern batch by batch, until its end or an error.
    fn batches(
        &self,
        pattern: &QuadPattern,
        places: &[usize],
        each: &mut Each<'_>,
    ) -> Outcome<u64> {
        self.meter.admit(pattern.count as usize, 0)?;
        let wanted = std::array::from_fn(|place| places.contains(&place));
        let (mut stopped, mut batch_count) = (None, 0_usize);
        let mut looked = |batch: [&[u64]; 4], rows: usize| {
            batch_count += 1;
            if batch_count.is_multiple_of(BATCHES_PER_LOOK) {
                self.meter.look(0)?;
            }
            each(batch, rows)
        };
        let scanned = self.view.batches(&pattern.ids(), wanted, &mut |batch, rows| match looked(
            batch, rows,
        ) {
            Ok(()) => ControlFlow::Continue(()),
            Err(stop) => {
                stopped = Some(stop);
                ControlFlow::Break(())
            }
        });
        let scanned = scanned.map_err(|error| Stop::Failed(error.into()))?;
        match stopped {
            Some(stop) => Err(stop),
            None => self.meter.scanned(scanned).map(|()| scanned),
        }
    }
}

/// What comes from a table and what from a pattern, and an empty table of it.
fn parts(table: &Table, pattern: &QuadPattern, is_kept: impl Fn(&str) -> bool) -> (Parts, Table) {
    let left: Vec<usize> = (0..table.names.len()).filter(|at| is_kept(&table.names[*at])).collect();
    let mut chunk = Table::default();
    left.iter().for_each(|at| chunk.push(table.names[*at].clone(), Vec::new()));
    let (mut keys, mut right) = (Vec::new(), Vec::new());
    for (at, place) in pattern.places.iter().enumerate() {
        let At::Variable(name) = place else { continue };
        match table.place(name) {
            Some(column) => keys.push((column, at)),
            None if is_kept(name) => {
                right.push(at);
                chunk.push(name.clone(), Vec::new());
            }
            None => {}
        }
    }
    (Parts { left, keys, right }, chunk)
}

/// Pairs of rows where each key has one row at most.
fn for_unique(keys: &[u64], rows: &[u32], base: u64, lefts: &mut Vec<u32>, rights: &mut Vec<u32>) {
    lefts.resize(keys.len(), 0);
    rights.resize(keys.len(), 0);
    let mut count = 0;
    for (at, key) in keys.iter().enumerate() {
        let row = Lookup::row_of(rows, base, *key);
        // Written in any case, and kept if there is a row: there is no branch to be guessed.
        (lefts[count], rights[count]) = (row, at as u32);
        count += usize::from(row != NO_ROW);
    }
    lefts.truncate(count);
    rights.truncate(count);
}
