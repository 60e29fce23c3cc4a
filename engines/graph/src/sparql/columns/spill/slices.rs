//! A table that is there, given some rows at a time: what is made of them takes as much again.

use super::super::table::rows::Table;

/// What part of the memory the rows of a slice take at most.
const MEMORY_PARTS: u64 = 16;

/// A table, as far as its rows were given.
pub(in crate::sparql) struct Slices {
    table: Table,
    /// The next row, and number of rows of a slice.
    next: usize,
    size: usize,
}

impl Slices {
    /// All rows of a table, of a query that may take some memory.
    pub(in crate::sparql) fn of(table: Table, memory_max: u64) -> Slices {
        let row_len = (table.columns.len().max(1) * size_of::<u64>()) as u64;
        let size = (memory_max / MEMORY_PARTS / row_len).max(1);
        Slices { table, next: 0, size: usize::try_from(size).unwrap_or(usize::MAX) }
    }

    /// The next rows; none after the last.
    pub(in crate::sparql) fn pull(&mut self) -> Option<Table> {
        let (start, end) =
            (self.next, self.table.row_count.min(self.next.saturating_add(self.size)));
        self.next = end;
        match (start, end) {
            (start, end) if start == end => None,
            (0, end) if end == self.table.row_count => {
                self.next = 0;
                Some(std::mem::take(&mut self.table))
            }
            (start, end) => Some(self.table.between(start, end)),
        }
    }
}
