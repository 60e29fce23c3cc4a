//! Rows that pass by a join in pieces, each by one of several threads. The thread that asks takes
//! what they make in the order of the pieces, so that the rows come as they would of one thread.
//!
//! What threads share are columns of ids, what is looked up in, and the watch. Tables, terms,
//! counts and sinks stay with the thread that asks.

use std::collections::BTreeSet;

use manicule_store::threads::several_in_order;

use super::super::join::probe::{Prober, ROWS, Sides};
use super::super::join::semi_join::{SemiJoin, SemiJoinKeys, kept_names, semi_joined};
use super::super::state::Columns;
use super::super::stop::Outcome;
use super::super::table::rows::{ColumnSet, Table};
use super::super::table::sink::Sink;
use crate::view::View;

/// Number of joined rows of a piece, about, in chunks.
const PIECE_CHUNKS: usize = 4;
/// Minimum number of pieces of a thread, where there are as many rows.
const PIECES_MIN: usize = 4;
/// Maximum number of chunks that a thread has ready before they are asked for.
const READY_MAX: usize = 2 * PIECE_CHUNKS;
/// Maximum number of pairs between two looks at the time, and two chunks.
const PAIRS_PER_CHUNK: u64 = 1 << 16;

/// Threads for a join, and patterns that they look up the joined rows in, with the variables that
/// are wanted after that.
pub(in crate::sparql) struct Spread<'c> {
    pub(in crate::sparql) threads: usize,
    pub(in crate::sparql) semi_joins: &'c [SemiJoin],
    pub(in crate::sparql) kept: Option<&'c BTreeSet<String>>,
}

/// Rows that pass by the rows of a join's other side.
#[derive(Clone, Copy)]
pub(super) struct PassingRows<'p> {
    pub(in crate::sparql) columns: &'p [&'p [u64]],
    pub(in crate::sparql) row_count: usize,
    /// About how many joined rows they give.
    pub(in crate::sparql) expected: u64,
}

/// Rows that a thread has made.
struct Made {
    columns: ColumnSet,
    row_count: usize,
    /// Number of pairs that they are left of.
    pairs: u64,
    /// Number of pairs that each pattern has let pass.
    passed: Vec<u64>,
}

impl Made {
    fn new(column_count: usize, semi_join_count: usize) -> Made {
        let columns = vec![Vec::new(); column_count].into();
        Made { columns, row_count: 0, pairs: 0, passed: vec![0; semi_join_count] }
    }

    /// Adds what patterns leave of joined rows, in the columns at some places.
    fn add(
        &mut self,
        chunk: &Table,
        semi_join_keys: &[&SemiJoinKeys],
        places: &[usize],
        rows: &mut Vec<u32>,
    ) {
        self.pairs += chunk.row_count as u64;
        if semi_join_keys.is_empty() {
            for (column, place) in self.columns.iter_mut().zip(places) {
                column.extend_from_slice(&chunk.columns[*place]);
            }
            self.row_count += chunk.row_count;
            return;
        }
        semi_joined(semi_join_keys.iter().copied(), chunk, &mut self.passed, rows);
        for (column, place) in self.columns.iter_mut().zip(places) {
            let own = &chunk.columns[*place];
            column.extend(rows.iter().map(|row| own[*row as usize]));
        }
        self.row_count += rows.len();
    }

    fn is_full(&self) -> bool {
        self.row_count >= ROWS || self.pairs >= PAIRS_PER_CHUNK
    }
}

/// Nobody wants more rows.
struct Unwanted;

impl<V: View> Columns<'_, '_, V> {
    /// The number of threads for an operator on about a number of rows, which give rows of some
    /// columns; none where there is to be one.
    pub(in crate::sparql) fn threads_for(&self, rows: u64, column_count: usize) -> Option<usize> {
        let threads = self.session.threads();
        let is_worth_it = threads.count > 1 && rows >= threads.rows_min;
        (is_worth_it && self.meter.has_memory(ready_ids(threads.count, column_count)))
            .then_some(threads.count)
    }

    /// Looks rows up as [`Spread`] says. Returns the number of joined rows, and of those that each
    /// pattern has let pass.
    pub(super) fn spread(
        &self,
        spread: &Spread<'_>,
        rows: PassingRows<'_>,
        sides: &Sides<'_>,
        names: &[String],
        sink: &mut (dyn Sink + '_),
    ) -> Outcome<(u64, Vec<u64>)> {
        let Spread { threads, semi_joins, kept } = *spread;
        let PassingRows { columns, row_count, expected } = rows;
        let mut out = Table::empty(kept_names(names, kept));
        let places: Vec<usize> =
            out.names.iter().filter_map(|name| names.iter().position(|own| own == name)).collect();
        // The variables, where no row comes.
        sink.push(&out)?;
        let _ready = self.meter.reserve(8 * ready_ids(threads, names.len()) as u64)?;
        let per_row = (expected / row_count.max(1) as u64).max(1);
        let piece_rows = (PIECE_CHUNKS * ROWS).div_ceil(per_row as usize);
        let piece_rows = piece_rows.min(row_count.div_ceil(PIECES_MIN * threads)).max(1);
        let semi_join_keys: Vec<&SemiJoinKeys> =
            semi_joins.iter().map(|semi_join| &semi_join.quads).collect();
        let watch = self.session.watch();
        let make = |piece: usize, give: &mut dyn FnMut(Made) -> bool| {
            let end = row_count.min((piece + 1) * piece_rows);
            let mut prober = Prober::new(sides, names.to_vec());
            let fresh = || Made::new(places.len(), semi_join_keys.len());
            let (mut made, mut rows) = (fresh(), Vec::new());
            for start in (piece * piece_rows..end).step_by(ROWS) {
                let rest = start..end.min(start + ROWS);
                let batch: Vec<&[u64]> = columns.iter().map(|ids| &ids[rest.clone()]).collect();
                let passed = prober.pass(&batch, rest.len(), &mut |chunk| {
                    made.add(chunk, &semi_join_keys, &places, &mut rows);
                    // Who takes the rows asks the watch too, and is told the same.
                    if made.is_full()
                        && (!give(std::mem::replace(&mut made, fresh())) || watch.is_over())
                    {
                        return Err(Unwanted);
                    }
                    Ok(())
                });
                if passed.is_err() {
                    break;
                }
            }
            give(made);
        };
        let (mut joined, mut counts) = (0, vec![0; semi_joins.len()]);
        let piece_count = row_count.div_ceil(piece_rows);
        several_in_order(threads, piece_count, READY_MAX, make, |mut all| {
            all.try_for_each(|made| {
                joined += made.pairs;
                counts.iter_mut().zip(&made.passed).for_each(|(count, own)| *count += own);
                self.meter.passed(made.pairs as usize)?;
                (out.columns, out.row_count) = (made.columns, made.row_count);
                sink.push(&out)
            })
        })?;
        Ok((joined, counts))
    }
}

/// Maximum number of ids that threads have made and nobody has taken: a chunk has room for less
/// than four times [`ROWS`] rows.
fn ready_ids(threads: usize, column_count: usize) -> usize {
    threads * (READY_MAX + 2) * 4 * ROWS * column_count
}
