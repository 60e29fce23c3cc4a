//! Where the rows of a join go: into a table, or past it into what reads them.
//!
//! Callers: columns/order, columns/stream, columns/grouping

use super::meter::Meter;
use super::stop::Outcome;
use super::table::Table;

/// Takes rows, some at a time. All of them have the same variables in the same order.
pub(super) trait Sink {
    /// Takes some rows, of which there are more.
    fn push(&mut self, rows: &Table) -> Outcome<()>;

    /// Takes all rows.
    fn put(&mut self, table: Table) -> Outcome<()> {
        self.push(&table)
    }

    /// Memory that the rows take here, in bytes.
    fn len(&self) -> u64;
}

/// Rows collected in a table.
pub(super) struct Collected<'m, 's, 'v> {
    pub(super) table: Table,
    meter: &'m Meter<'s, 'v>,
}

impl<'m, 's, 'v> Collected<'m, 's, 'v> {
    pub(super) fn new(meter: &'m Meter<'s, 'v>) -> Self {
        Collected { table: Table::default(), meter }
    }
}

impl Sink for Collected<'_, '_, '_> {
    fn push(&mut self, rows: &Table) -> Outcome<()> {
        if self.table.names.is_empty() {
            let columns = vec![Vec::new(); rows.names.len()];
            self.table = Table { names: rows.names.clone(), columns, ..Table::default() };
        }
        for (column, more) in self.table.columns.iter_mut().zip(&rows.columns) {
            column.extend_from_slice(more);
        }
        self.table.row_count += rows.row_count;
        self.meter.look(self.table.cell_count())
    }

    fn put(&mut self, table: Table) -> Outcome<()> {
        self.table = table;
        Ok(())
    }

    fn len(&self) -> u64 {
        self.table.len()
    }
}
