//! What an evaluation may take: memory, time, and the quads that the session counts.

use std::cell::Cell;
use std::rc::Rc;

use oxrdf::Term;

use super::super::super::session::{Ended, Session};
use super::super::super::terms::size;
use super::super::stop::{Outcome, Stop};
use super::rows::Table;
use super::weight::Weight;

/// Watches over one evaluation.
pub(in crate::sparql) struct Meter<'s, 'v> {
    session: &'s Session<'v>,
    /// Bytes of the tables that there are.
    held: Rc<Cell<u64>>,
}

impl<'s, 'v> Meter<'s, 'v> {
    pub(in crate::sparql) fn new(session: &'s Session<'v>) -> Self {
        Meter { session, held: Rc::default() }
    }

    pub(in crate::sparql) fn session(&self) -> &'s Session<'v> {
        self.session
    }

    /// Counts quads that a scan gave.
    pub(in crate::sparql) fn scanned(&self, quads: u64) -> Outcome<()> {
        self.session.count(|work| work.scans += 1);
        self.ended(self.session.pass_quads(quads))
    }

    /// Counts quads of a scan that was counted, or rows that a join gives: as many quads would have
    /// been looked up for them one by one.
    pub(in crate::sparql) fn passed(&self, row_count: usize) -> Outcome<()> {
        self.ended(self.session.pass_quads(row_count as u64))
    }

    /// Checks the time, the limit of quads for some more of them, and the memory for some more ids.
    pub(in crate::sparql) fn admit(&self, quads: usize, ids: usize) -> Outcome<()> {
        self.memory(ids)?;
        self.ended(self.session.admit_quads(quads as u64))
    }

    /// Counts a table as long as it is there.
    pub(in crate::sparql) fn charge(&self, table: &Table) -> Outcome<()> {
        table.weight.count(&self.held, table.len());
        self.check(0)
    }

    /// Counts some bytes until the weight goes.
    pub(in crate::sparql) fn reserve(&self, len: u64) -> Outcome<Weight> {
        let weight = Weight::default();
        weight.count(&self.held, len);
        self.check(0).map(|()| weight)
    }

    /// Counts a computed term.
    pub(in crate::sparql) fn computed(&self, term: &Term) -> Outcome<()> {
        self.ended(self.session.pass_computed(size(term)))
    }

    /// Checks the time, and the memory for some more ids.
    pub(in crate::sparql) fn check(&self, ids: usize) -> Outcome<()> {
        self.admit(0, ids)
    }

    /// Whether there is memory for some more ids.
    pub(in crate::sparql) fn has_memory(&self, ids: usize) -> bool {
        self.memory(ids).is_ok()
    }

    fn memory(&self, ids: usize) -> Outcome<()> {
        let more = (ids * size_of::<u64>()) as u64;
        self.session.hold(self.held.get().saturating_add(more)).map_err(Stop::Memory)
    }

    fn ended(&self, outcome: Result<(), Ended>) -> Outcome<()> {
        outcome.map_err(|_| match self.session.take_error() {
            Some(error) => Stop::Failed(error),
            None => Stop::Unsupported("an end without a reason"),
        })
    }
}
