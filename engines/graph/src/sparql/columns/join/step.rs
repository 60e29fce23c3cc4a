//! Steps of a join: a pattern that is scanned, or streamed past the rows so far, and what its rows
//! pass before they are handed on.

use std::collections::BTreeSet;

use super::super::filter::stream::{Filtered, GraphFilter};
use super::super::scan::quads::QuadPattern;
use super::super::scan::spread::Spread;
use super::super::state::{Columns, Timer};
use super::super::stop::Outcome;
use super::super::table::rows::Table;
use super::super::table::sink::{Collected, Sink};
use super::semi_join::{SemiJoin, SemiJoined};
use crate::view::View;

/// A pattern that is streamed: past a table, with the number of rows that are expected, or alone.
pub(super) struct Step<'p> {
    pub(in crate::sparql) timer: Timer,
    pub(in crate::sparql) table: Option<(&'p Table, u64)>,
    pub(in crate::sparql) pattern: &'p QuadPattern,
    /// Filters that the rows pass one by one.
    pub(in crate::sparql) filters: &'p [GraphFilter<'p>],
    /// Patterns that the rows which pass are looked up in, and the variables that are wanted after
    /// that.
    pub(in crate::sparql) semi_joins: (&'p [SemiJoin], Option<&'p BTreeSet<String>>),
}

impl<V: View> Columns<'_, '_, V> {
    pub(super) fn scan_step(
        &self,
        pattern: &QuadPattern,
        needed: Option<&BTreeSet<String>>,
    ) -> Outcome<Table> {
        let timer = self.start_timer();
        let table = self.scan(pattern, needed)?;
        let what = format_args!("scan of {}", pattern.text);
        self.record(timer, &what, Some(pattern.count), &table);
        Ok(table)
    }

    pub(super) fn collect_step(
        &self,
        step: &Step<'_>,
        kept: Option<&BTreeSet<String>>,
    ) -> Outcome<Table> {
        // Filters mostly leave few rows.
        let expected = match step.table {
            _ if !step.filters.is_empty() || !step.semi_joins.0.is_empty() => 0,
            Some((_, estimate)) => estimate.max(step.pattern.count),
            None => step.pattern.count,
        };
        let mut collected = Collected::new(expected, &self.meter);
        self.stream_step(step, kept, &mut collected)?;
        self.meter.charge(&collected.table)?;
        Ok(collected.table)
    }

    /// Hands over the rows of a scan, or of the join of a table with one, that pass the step's
    /// filters and patterns.
    pub(super) fn stream_step(
        &self,
        step: &Step<'_>,
        kept: Option<&BTreeSet<String>>,
        sink: &mut (dyn Sink + '_),
    ) -> Outcome<()> {
        let (semi_joins, after) = step.semi_joins;
        if semi_joins.is_empty() {
            return self.stream_filtered(step, kept, sink).map(drop);
        }
        let (timer, counts, len) = match self.threads_of(step) {
            // Filters are with this thread, and come first.
            Some(threads) if step.filters.is_empty() => {
                let spread = Spread { threads, semi_joins, kept: after };
                let counts = self.stream_past(step, kept, Some(&spread), sink)?.1;
                (step.timer, counts, sink.len())
            }
            _ => {
                let mut semi_joined = SemiJoined::new(semi_joins, after, sink);
                let timer = self.stream_filtered(step, kept, &mut semi_joined)?;
                let len = semi_joined.len();
                (timer, semi_joined.counts, len)
            }
        };
        for (semi_join, rows) in semi_joins.iter().zip(counts) {
            let what = format_args!("semi-join with {}", semi_join.text);
            self.record_rows(timer, &what, None, rows, len);
        }
        Ok(())
    }

    /// The number of threads that look up a step's table, where there are to be several.
    fn threads_of(&self, step: &Step<'_>) -> Option<usize> {
        let (table, estimate) = step.table.filter(|(table, _)| passes_by(table, step.pattern))?;
        let column_count = table.names.len() + step.pattern.names().len();
        self.threads_for(estimate.max(table.row_count as u64), column_count)
    }

    /// Hands over the rows of the join of a step's table, the rows of which pass by, with its
    /// pattern.
    fn stream_past(
        &self,
        step: &Step<'_>,
        kept: Option<&BTreeSet<String>>,
        spread: Option<&Spread<'_>>,
        sink: &mut (dyn Sink + '_),
    ) -> Outcome<(u64, Vec<u64>)> {
        let Some((table, estimate)) = step.table else { return Ok((0, Vec::new())) };
        let is_kept = |name: &str| kept.is_none_or(|kept| kept.contains(name));
        let pattern = step.pattern;
        let given = self.stream_table(table, estimate, pattern, is_kept, spread, sink)?;
        let what = format_args!("join with scan of {}", step.pattern.text);
        self.record_rows(step.timer, &what, Some(estimate), given.0, sink.len());
        self.record_threads(step.timer, spread.map_or(1, |spread| spread.threads));
        Ok(given)
    }

    /// Hands over the rows that pass the filters. Returns when the first operator began.
    fn stream_filtered(
        &self,
        step: &Step<'_>,
        kept: Option<&BTreeSet<String>>,
        sink: &mut (dyn Sink + '_),
    ) -> Outcome<Timer> {
        let is_kept = |name: &str| kept.is_none_or(|kept| kept.contains(name));
        let Step { pattern, filters, .. } = step;
        let mut filtered = Filtered { columns: self, filters, sink, count: 0 };
        let timer = match step.table {
            None => {
                let timer = self.start_timer();
                let rows = self.stream(pattern, is_kept, &mut filtered)?;
                let what = format_args!("scan of {}", pattern.text);
                self.record_rows(timer, &what, Some(pattern.count), rows, filtered.len());
                timer
            }
            Some((table, _)) if passes_by(table, pattern) => {
                let spread = self.threads_of(step);
                let spread = spread.map(|threads| Spread { threads, semi_joins: &[], kept: None });
                self.stream_past(step, kept, spread.as_ref(), &mut filtered)?;
                step.timer
            }
            Some((table, estimate)) => {
                let rows = self.stream_joined(table, pattern, is_kept, &mut filtered)?;
                let what = format_args!("join with scan of {}", pattern.text);
                self.record_rows(step.timer, &what, Some(estimate), rows, filtered.len());
                step.timer
            }
        };
        let (len, rows) = (filtered.len(), filtered.count);
        for GraphFilter { expression, .. } in *filters {
            self.record_rows(timer, &format_args!("filter {expression}"), None, rows, len);
        }
        Ok(timer)
    }
}

/// Whether the rows of a table pass by the quads of a pattern: the larger side does.
fn passes_by(table: &Table, pattern: &QuadPattern) -> bool {
    table.row_count as u64 > pattern.count
}
