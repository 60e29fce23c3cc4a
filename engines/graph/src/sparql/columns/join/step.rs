//! Steps of a join: a pattern that is scanned, or streamed past the rows so far, and what its rows
//! pass before they are handed on.

use std::collections::BTreeSet;
use std::fmt;

use super::super::filter::stream::Filtered;
use super::super::plan::operator::Filter;
use super::super::scan::quads::QuadPattern;
use super::super::scan::spread::Spread;
use super::super::state::{Columns, Timer};
use super::super::stop::Outcome;
use super::super::table::rows::Table;
use super::super::table::sink::{Collected, Sink};
use super::semi_join::{SemiJoin, SemiJoined};
use crate::view::View;

/// The way that a pattern of a join took.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::sparql) struct Way<'w> {
    /// Its turn among those that are joined.
    pub(in crate::sparql) turn: usize,
    pub(in crate::sparql) what: &'w str,
}

impl fmt::Display for Way<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}. {}", self.turn, self.what)
    }
}

/// A pattern that is streamed: past a table, with the number of rows that are expected, or alone.
pub(super) struct Step<'p, 'q> {
    pub(in crate::sparql) table: Option<(&'p Table, u64)>,
    pub(in crate::sparql) pattern: &'p QuadPattern,
    /// Filters that the rows pass one by one.
    pub(in crate::sparql) filters: &'p [&'p Filter<'q>],
    /// Patterns that the rows which pass are looked up in, and the variables that are wanted after
    /// that.
    pub(in crate::sparql) semi_joins: (&'p [SemiJoin], Option<&'p BTreeSet<String>>),
    /// Its turn among those that are joined.
    pub(in crate::sparql) turn: usize,
}

impl<V: View> Columns<'_, '_, V> {
    pub(super) fn scan_step(
        &self,
        pattern: &QuadPattern,
        needed: Option<&BTreeSet<String>>,
    ) -> Outcome<Table> {
        let timer = self.start_timer();
        let table = self.scan(pattern, needed)?;
        self.record_way(pattern.number, Way { turn: 1, what: "scan" });
        self.record(pattern.number, timer, &table);
        Ok(table)
    }

    pub(super) fn collect_step(
        &self,
        step: &Step<'_, '_>,
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
        step: &Step<'_, '_>,
        kept: Option<&BTreeSet<String>>,
        sink: &mut (dyn Sink + '_),
    ) -> Outcome<()> {
        let (semi_joins, after) = step.semi_joins;
        if semi_joins.is_empty() {
            return self.stream_filtered(step, kept, sink);
        }
        let (counts, len) = match self.threads_of(step) {
            // Filters are with this thread, and come first.
            Some(threads) if step.filters.is_empty() => {
                let spread = Spread { threads, semi_joins, kept: after };
                let (timer, sink_ns) = (self.start_timer(), sink.time_ns());
                let (rows, counts) = self.stream_past(step, kept, Some(&spread), sink)?;
                let elsewhere_ns = sink.time_ns().saturating_sub(sink_ns);
                let len = sink.len();
                self.record_step(
                    step,
                    Streamed { timer, elsewhere_ns, rows, len, what: HASH_JOIN },
                );
                self.record_threads(step.pattern.number, threads);
                (counts, len)
            }
            _ => {
                let mut semi_joined = SemiJoined::new(semi_joins, after, sink);
                self.stream_filtered(step, kept, &mut semi_joined)?;
                let len = semi_joined.len();
                (semi_joined.counts, len)
            }
        };
        for (at, (semi_join, rows)) in semi_joins.iter().zip(counts).enumerate() {
            let way = Way { turn: step.turn + 1 + at, what: "semi-join" };
            self.record_way(semi_join.number, way);
            self.record_time(semi_join.number, 0, rows, len);
        }
        Ok(())
    }

    /// The number of threads that look up a step's table, where there are to be several.
    fn threads_of(&self, step: &Step<'_, '_>) -> Option<usize> {
        let (table, estimate) = step.table.filter(|(table, _)| passes_by(table, step.pattern))?;
        let column_count = table.names.len() + step.pattern.names().len();
        self.threads_for(estimate.max(table.row_count as u64), column_count)
    }

    /// Hands over the rows of the join of a step's table, the rows of which pass by, with its
    /// pattern.
    fn stream_past(
        &self,
        step: &Step<'_, '_>,
        kept: Option<&BTreeSet<String>>,
        spread: Option<&Spread<'_>>,
        sink: &mut (dyn Sink + '_),
    ) -> Outcome<(u64, Vec<u64>)> {
        let Some((table, estimate)) = step.table else { return Ok((0, Vec::new())) };
        let is_kept = |name: &str| kept.is_none_or(|kept| kept.contains(name));
        self.stream_table(table, estimate, step.pattern, is_kept, spread, sink)
    }

    /// Hands over the rows that pass the filters.
    fn stream_filtered(
        &self,
        step: &Step<'_, '_>,
        kept: Option<&BTreeSet<String>>,
        sink: &mut (dyn Sink + '_),
    ) -> Outcome<()> {
        let is_kept = |name: &str| kept.is_none_or(|kept| kept.contains(name));
        let (pattern, timer, sink_ns) = (step.pattern, self.start_timer(), sink.time_ns());
        let mut filtered = Filtered::new(self, step.filters, sink);
        let (outcome, what) = match step.table {
            None => (self.stream(pattern, is_kept, &mut filtered), "scan"),
            Some((table, _)) if passes_by(table, pattern) => {
                let threads = self.threads_of(step);
                let spread = threads.map(|threads| Spread { threads, semi_joins: &[], kept: None });
                let given = self.stream_past(step, kept, spread.as_ref(), &mut filtered);
                self.record_threads(pattern.number, threads.unwrap_or(1));
                (given.map(|given| given.0), HASH_JOIN)
            }
            Some((table, _)) => {
                (self.stream_joined(table, pattern, is_kept, &mut filtered), HASH_JOIN)
            }
        };
        let rows = filtered.rows;
        let filters_ns = filtered.record();
        let elsewhere_ns = filters_ns + sink.time_ns().saturating_sub(sink_ns);
        let len = sink.len();
        // Those too that the sink had enough of.
        self.record_step(step, Streamed { timer, elsewhere_ns, rows, len, what });
        outcome.map(drop)
    }

    fn record_step(&self, step: &Step<'_, '_>, streamed: Streamed) {
        let Streamed { timer, elsewhere_ns, rows, len, what } = streamed;
        let time_ns = self.now_ns().saturating_sub(timer.0);
        self.record_way(step.pattern.number, Way { turn: step.turn, what });
        self.record_time(step.pattern.number, time_ns.saturating_sub(elsewhere_ns), rows, len);
    }
}

const HASH_JOIN: &str = "hash join";

/// What a step gave, for the plan.
struct Streamed {
    /// When it began.
    timer: Timer,
    /// Nanoseconds of what took its rows.
    elsewhere_ns: u64,
    rows: u64,
    len: u64,
    what: &'static str,
}

/// Whether the rows of a table pass by the quads of a pattern: the larger side does.
fn passes_by(table: &Table, pattern: &QuadPattern) -> bool {
    table.row_count as u64 > pattern.count
}
