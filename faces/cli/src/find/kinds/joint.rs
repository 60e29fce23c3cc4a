//! What a kind of index does in a call, what it gets for that and what it leaves.

use std::path::PathBuf;

use anyhow::Result;
use manicule::code::tree::Upkeep;

use crate::find::call::Call;
use crate::find::matcher::Matcher;
use crate::find::tally::Tally;
use crate::find::visitor::Visitor;
use crate::messages::Messages;

/// A kind of index in a call.
pub(crate) trait Searched {
    /// Opens those of `paths` that can be opened, and reports the rest. An error names what the
    /// kind can't do, such as the order that is asked for: nothing of it is searched then.
    fn open(&mut self, paths: &[PathBuf], call: &Call, messages: &Messages) -> Result<()>;

    /// Searches the opened indexes, or lists them.
    fn visit(&self, job: &Job<'_>) -> Result<Done>;

    /// Whether it explains by itself that no file was searched: an index has excluded all.
    fn explains_none(&self) -> bool {
        true
    }
}

/// The job of a call on everything that it opened.
pub(crate) struct Job<'j> {
    pub(crate) call: &'j Call,
    pub(crate) tally: &'j Tally<'j>,
    /// The patterns; `None` if paths are listed.
    pub(crate) matcher: Option<&'j Matcher>,
    /// Makes a visitor for one more thread.
    pub(crate) visitor: &'j (dyn Fn() -> Box<dyn Visitor + 'j> + Sync),
}

impl Job<'_> {
    /// Whether the result is complete, or can't be printed.
    pub(super) fn is_over(&self) -> bool {
        self.tally.is_over() || (self.call.quit_after_match() && self.tally.matched())
    }
}

/// Results of a call, collected kind by kind.
#[derive(Default)]
pub(crate) struct Done {
    /// The receipt's fields.
    pub(crate) receipt: Vec<(&'static str, u64)>,
    /// Indexes that need maintenance.
    pub(crate) upkeep: Vec<Upkeep>,
    /// Files that may be of another kind, passed by the walk.
    pub(crate) noticed: Vec<PathBuf>,
}
