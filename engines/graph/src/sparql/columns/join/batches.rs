//! Joins some rows at a time, for those who want few: each batch of what the join begins with is
//! joined with all the rest before the next one is read. Batches grow, so that a join which has to
//! be made whole takes some percent longer so.

use std::collections::BTreeSet;

use super::super::plan::operator::{Join, Plan};
use super::super::state::Columns;
use super::super::stop::{Outcome, Stop};
use super::super::table::rows::Table;
use super::super::table::sink::{Collected, Measured, Sink};
use super::order::{Item, Rest, passing_by};
use super::step::Step;
use crate::view::View;

/// Number of rows of the first batch.
const ROWS_FIRST: usize = 16;
/// Number of rows of all batches, where memory is short.
const ROWS_FRUGAL: usize = 4096;
/// How many times as many rows the next batch has.
const GROWTH: usize = 8;

impl<V: View> Columns<'_, '_, V> {
    /// A join whose rows go into a sink some at a time, in columns of some names.
    pub(in crate::sparql) fn join_in_batches(
        &self,
        plan: &Plan<'_>,
        join: &Join<'_>,
        names: &[String],
        sink: &mut (dyn Sink + '_),
    ) -> Outcome<()> {
        let wanted: BTreeSet<String> = names.iter().cloned().collect();
        let patterns = self.patterns_of(join)?.filter(|_| self.parameters_of(join).is_empty());
        let Some(patterns) = patterns else {
            return sink.push(&self.join(plan, join, None, Some(&wanted))?.projected(names));
        };
        let timer = self.start_timer();
        let mut measured = Measured::new(sink, self.clock());
        let rest = self.rest_of(join, patterns, None, Some(&wanted))?;
        let joined = self.join_by_batch(rest, names, &mut measured);
        let time_ns = self.now_ns().saturating_sub(timer.0 + measured.time_ns());
        self.record_time(plan.number, time_ns, measured.rows, measured.len());
        joined
    }

    fn join_by_batch(
        &self,
        mut rest: Rest<'_, '_>,
        names: &[String],
        sink: &mut (dyn Sink + '_),
    ) -> Outcome<()> {
        let first = rest.take_first();
        let size = if self.is_frugal() { ROWS_FRUGAL } else { ROWS_FIRST };
        let pending = Table::default();
        let pattern = match first {
            Some(Item::Quads(pattern)) => pattern,
            other => {
                let table = match other {
                    Some(Item::Rows(table)) => table,
                    _ => Table::unit().into(),
                };
                let mut batches =
                    Batches { columns: self, rest: &rest, pending, size, names, sink };
                batches.push(&table)?;
                return batches.finish();
            }
        };
        let kept = rest.needed();
        if pattern.has_repeated() {
            let table = self.scan_step(&pattern, kept.as_ref())?;
            let mut batches = Batches { columns: self, rest: &rest, pending, size, names, sink };
            batches.push(&table)?;
            return batches.finish();
        }
        let own = passing_by(None, &pattern, &mut rest.filters);
        let mut batches = Batches { columns: self, rest: &rest, pending, size, names, sink };
        let (table, semi_joins) = (None, (&[][..], None));
        let step = Step { table, pattern: &pattern, filters: &own, semi_joins, turn: 1 };
        self.stream_step(&step, kept.as_ref(), &mut batches)?;
        batches.finish()
    }
}

/// Rows that a join begins with, collected to batches, each of which is joined with the rest.
struct Batches<'b, 's, 'v, V> {
    columns: &'b Columns<'s, 'v, V>,
    rest: &'b Rest<'b, 'b>,
    /// Rows that wait for more.
    pending: Table,
    /// Number of rows of the next batch.
    size: usize,
    names: &'b [String],
    sink: &'b mut (dyn Sink + 'b),
}

impl<V: View> Batches<'_, '_, '_, V> {
    /// Joins the rows that wait.
    fn finish(&mut self) -> Outcome<()> {
        let batch = std::mem::take(&mut self.pending);
        if self.columns.is_frugal() {
            return self.join_within_memory(batch);
        }
        self.size = self.size.saturating_mul(GROWTH);
        let mut aligned = Aligned { names: self.names, sink: self.sink };
        self.columns.join_rest(batch, self.rest.clone(), &mut aligned)
    }

    /// Joins a batch in as many parts as the memory asks for.
    fn join_within_memory(&mut self, batch: Table) -> Outcome<()> {
        let mut joined = Collected::new(0, &self.columns.meter);
        let half = batch.row_count / 2;
        match self.columns.join_rest(batch.copied(), self.rest.clone(), &mut joined) {
            Err(Stop::Memory(_)) if half > 0 => {}
            outcome => {
                outcome?;
                return Aligned { names: self.names, sink: self.sink }.push(&joined.table);
            }
        }
        drop(joined);
        for part in [0..half, half..batch.row_count] {
            let rows: Vec<u32> = part.map(|row| row as u32).collect();
            self.join_within_memory(batch.rows(&rows))?;
        }
        Ok(())
    }
}

impl<V: View> Sink for Batches<'_, '_, '_, V> {
    fn push(&mut self, rows: &Table) -> Outcome<()> {
        if self.rest.is_empty() {
            return Aligned { names: self.names, sink: self.sink }.push(rows);
        }
        let mut start = 0;
        loop {
            let end = rows.row_count.min(start + self.size - self.pending.row_count);
            self.pending.append(rows, start..end);
            start = end;
            if self.pending.row_count < self.size {
                return Ok(());
            }
            self.finish()?;
        }
    }

    fn len(&self) -> u64 {
        self.pending.len()
    }
}

/// Brings columns in one order: what joins give depends on the order in which they were made.
struct Aligned<'a> {
    names: &'a [String],
    sink: &'a mut (dyn Sink + 'a),
}

impl Sink for Aligned<'_> {
    fn push(&mut self, rows: &Table) -> Outcome<()> {
        if rows.names == self.names {
            return self.sink.push(rows);
        }
        let own = rows.with_only(|name| self.names.iter().any(|wanted| wanted == name));
        self.sink.push(&own.projected(self.names))
    }

    fn len(&self) -> u64 {
        self.sink.len()
    }
}
