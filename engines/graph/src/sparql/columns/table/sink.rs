//! Where the rows of a join go: into a table, or past it into what reads them.

use super::super::stop::Outcome;
use super::meter::Meter;
use super::pool;
use super::rows::Table;

/// Takes rows, some at a time. All of them have the same variables in the same order.
pub(in crate::sparql) trait Sink {
    /// Takes some rows, of which there are more.
    fn push(&mut self, rows: &Table) -> Outcome<()>;

    /// Takes all rows.
    fn put(&mut self, table: Table) -> Outcome<()> {
        self.push(&table)
    }

    /// Memory that the rows take here, in bytes.
    fn len(&self) -> u64;

    /// Whether rows that agree with none of its own change nothing here.
    fn has_own_rows(&self) -> bool {
        false
    }

    /// Nanoseconds that taking the rows took, where that is measured.
    fn time_ns(&self) -> u64 {
        0
    }
}

/// Counts the rows on their way to a sink, and the time that this takes for them.
pub(in crate::sparql) struct Measured<'m> {
    sink: &'m mut (dyn Sink + 'm),
    /// None where nobody wants to know the time.
    clock: Option<fn() -> u64>,
    pub(in crate::sparql) rows: u64,
    time_ns: u64,
}

impl<'m> Measured<'m> {
    pub(in crate::sparql) fn new(
        sink: &'m mut (dyn Sink + 'm),
        clock: Option<fn() -> u64>,
    ) -> Measured<'m> {
        Measured { sink, clock, rows: 0, time_ns: 0 }
    }

    fn timed<T>(&mut self, take: impl FnOnce(&mut (dyn Sink + 'm)) -> T) -> T {
        let Some(clock) = self.clock else { return take(self.sink) };
        let begun_ns = clock();
        let taken = take(self.sink);
        self.time_ns += clock().saturating_sub(begun_ns);
        taken
    }
}

impl Sink for Measured<'_> {
    fn push(&mut self, rows: &Table) -> Outcome<()> {
        self.rows += rows.row_count as u64;
        self.timed(|sink| sink.push(rows))
    }

    fn put(&mut self, table: Table) -> Outcome<()> {
        self.rows += table.row_count as u64;
        self.timed(|sink| sink.put(table))
    }

    fn len(&self) -> u64 {
        self.sink.len()
    }

    fn has_own_rows(&self) -> bool {
        self.sink.has_own_rows()
    }

    fn time_ns(&self) -> u64 {
        self.time_ns
    }
}

/// Maximum number of rows that room is made for beforehand: a megabyte a column, of which pages
/// that aren't written take nothing.
const EXPECTED_MAX: u64 = 1 << 17;

/// Rows collected in a table.
pub(in crate::sparql) struct Collected<'m, 's, 'v> {
    pub(in crate::sparql) table: Table,
    /// Whether rows have come, and with them their variables.
    is_begun: bool,
    /// Number of rows to make room for beforehand.
    expected: usize,
    meter: &'m Meter<'s, 'v>,
}

impl<'m, 's, 'v> Collected<'m, 's, 'v> {
    /// No row of about as many as are expected.
    pub(in crate::sparql) fn new(expected: u64, meter: &'m Meter<'s, 'v>) -> Self {
        let expected = expected.min(EXPECTED_MAX) as usize;
        Collected { table: Table::default(), is_begun: false, expected, meter }
    }
}

impl Sink for Collected<'_, '_, '_> {
    fn push(&mut self, rows: &Table) -> Outcome<()> {
        if !std::mem::replace(&mut self.is_begun, true) {
            let room = || pool::ids(self.expected);
            let columns = rows.names.iter().map(|_| room()).collect();
            self.table = Table { names: rows.names.clone(), columns, ..Table::default() };
        }
        for (column, more) in self.table.columns.iter_mut().zip(rows.columns.iter()) {
            column.extend_from_slice(more);
        }
        self.table.row_count += rows.row_count;
        self.meter.check(self.table.cell_count())
    }

    fn put(&mut self, table: Table) -> Outcome<()> {
        self.table = table;
        Ok(())
    }

    fn len(&self) -> u64 {
        self.table.len()
    }
}
