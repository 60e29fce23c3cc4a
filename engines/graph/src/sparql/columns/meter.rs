//! What an evaluation by columns may take: memory, time, and the quads that the session counts.
//!
//! Callers: all of columns

use std::cell::Cell;

use super::super::session::Session;
use super::stop::{Outcome, Stop};
use super::table::Table;

/// Maximum number of ids of all tables that one query makes: 1 GiB. Beyond it the query is answered row by row.
const CELLS_MAX: usize = 128 << 20;

/// Watches over one evaluation.
pub(super) struct Meter<'s, 'v> {
    session: &'s Session<'v>,
    cells: Cell<usize>,
}

impl<'s, 'v> Meter<'s, 'v> {
    pub(super) fn new(session: &'s Session<'v>) -> Self {
        Meter { session, cells: Cell::new(0) }
    }

    pub(super) fn session(&self) -> &'s Session<'v> {
        self.session
    }

    /// Counts quads that a scan gave.
    pub(super) fn scanned(&self, quads: u64) -> Outcome<()> {
        self.session.count(|work| work.scans += 1);
        self.ended(self.session.pass_quads(quads))
    }

    /// Counts rows that a join gives: as many quads would have been looked up for them one by one.
    pub(super) fn joined(&self, row_count: usize) -> Outcome<()> {
        self.room(row_count)?;
        self.ended(self.session.pass_quads(row_count as u64))
    }

    /// Counts a table that was made.
    pub(super) fn made(&self, table: &Table) -> Outcome<()> {
        self.room(0)?;
        self.cells.set(self.cells.get() + table.cell_count());
        Ok(())
    }

    /// Checks that there is room for more ids, and time.
    pub(super) fn room(&self, more: usize) -> Outcome<()> {
        if self.cells.get() + more > CELLS_MAX {
            return Err(Stop::NotHere("tables of more than 1 GiB"));
        }
        self.ended(self.session.admit_quads(more as u64))
    }

    fn ended(&self, outcome: Result<(), super::super::session::Ended>) -> Outcome<()> {
        outcome.map_err(|_| match self.session.take_error() {
            Some(error) => Stop::Failed(error),
            None => Stop::NotHere("an end without a reason"),
        })
    }
}
