//! Filters by ids, applied to rows as they pass to where they go.

use super::super::plan::operator::Filter;
use super::super::state::Columns;
use super::super::stop::Outcome;
use super::super::table::rows::Table;
use super::super::table::sink::Sink;
use crate::view::View;

/// Filters before a sink.
pub(in crate::sparql) struct Filtered<'f, 's, 'v, V> {
    columns: &'f Columns<'s, 'v, V>,
    /// The filters, with the number of rows that passed each, and its time in nanoseconds.
    filters: Vec<(&'f Filter<'f>, u64, u64)>,
    sink: &'f mut (dyn Sink + 'f),
    /// Number of rows that came.
    pub(in crate::sparql) rows: u64,
}

impl<'f, 's, 'v, V: View> Filtered<'f, 's, 'v, V> {
    pub(in crate::sparql) fn new(
        columns: &'f Columns<'s, 'v, V>,
        filters: &[&'f Filter<'f>],
        sink: &'f mut (dyn Sink + 'f),
    ) -> Self {
        Filtered {
            columns,
            filters: filters.iter().map(|own| (*own, 0, 0)).collect(),
            sink,
            rows: 0,
        }
    }

    /// Records what the filters did. Returns the nanoseconds that they took.
    pub(in crate::sparql) fn record(self) -> u64 {
        let len = self.sink.len();
        for (filter, rows, time_ns) in &self.filters {
            self.columns.record_time(filter.number, *time_ns, *rows, len);
        }
        self.filters.iter().map(|(_, _, time_ns)| time_ns).sum()
    }
}

impl<V: View> Sink for Filtered<'_, '_, '_, V> {
    fn push(&mut self, rows: &Table) -> Outcome<()> {
        self.rows += rows.row_count as u64;
        let mut passing: Option<Table> = None;
        for (filter, count, time_ns) in &mut self.filters {
            let begun_ns = self.columns.now_ns();
            let rows = passing.as_ref().unwrap_or(rows);
            let marks = self.columns.passes(filter, rows)?;
            let picked = rows.picked(&marks);
            *count += picked.row_count as u64;
            *time_ns += self.columns.now_ns().saturating_sub(begun_ns);
            passing = Some(picked);
        }
        self.sink.push(passing.as_ref().unwrap_or(rows))
    }

    fn len(&self) -> u64 {
        self.sink.len()
    }
}
