//! The face of a search that prints: files by their visitors, indexes without lines by pages of
//! rows.

use anyhow::Result;
use manicule::Failure;
use manicule::find::{Done, Face, IndexPlace, Opened, Page, Visitor};
use manicule::watch::Watch;

use super::call::Call;
use super::rows::Rows;
use super::tally::Tally;
use crate::messages::say;
use crate::progress::{Line, Show};

/// Makes a visitor for one more thread.
type Visitors<'c> = &'c (dyn Fn() -> Box<dyn Visitor + 'c> + Sync);

/// Prints the results of a call.
pub(super) struct Printing<'c> {
    call: &'c Call,
    tally: &'c Tally<'c>,
    visitor: Visitors<'c>,
    /// Progress in an index without lines, where there is one.
    line: Option<Line>,
}

impl<'c> Printing<'c> {
    pub(super) fn new(call: &'c Call, tally: &'c Tally<'c>, visitor: Visitors<'c>) -> Self {
        let is_text = call.search.deal.paths.keys().all(|system| system.is_text());
        let show = if call.options.quiet { Show::Nothing } else { Show::Progress };
        Printing { call, tally, visitor, line: (!is_text).then(|| Line::of(show)) }
    }

    /// Searches or lists what is open.
    pub(super) fn visit(&self, opened: &Opened<'_>) -> Result<Done> {
        let Some(line) = &self.line else { return Ok(opened.visit(self, &Watch::none())?) };
        Ok(opened.visit(self, &Watch::new(&|at| line.show(at), &|| false))?)
    }
}

impl Face for Printing<'_> {
    fn visitor(&self) -> Box<dyn Visitor + '_> {
        (self.visitor)()
    }

    fn page<'p>(&'p self, place: IndexPlace<'p>) -> Box<dyn Page + 'p> {
        self.tally.visit();
        Box::new(Rows::new(self.call, place, self.tally, self.line.as_ref()))
    }

    fn left_out(&self, file_count: u64, len: u64) {
        self.tally.leave_out(file_count, len, true);
    }

    fn failure(&self, failure: Failure) {
        self.tally.messages.failure(&failure);
    }

    fn note(&self, note: &str) {
        if self.tally.messages.shows() && !self.call.options.quiet {
            say(&note);
        }
    }

    /// The result is complete, or can't be printed.
    fn is_over(&self) -> bool {
        self.tally.is_over() || (self.call.quit_after_match() && self.tally.matched())
    }
}
