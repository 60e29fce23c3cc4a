//! The joint of `find`: the part of each kind of index in a call. A further kind is a file with a [`Searched`], and an
//! arm.
//!
//! The paths of a call are dealt out once ([`manicule::kinds::Deal`]), by the systems that wrote them.
//!
//! Callers: find, find/call

mod blocks;
mod shards;
mod trees;

use std::path::{Path, PathBuf};

use anyhow::Result;
use manicule::code::tree::{Flow, Upkeep, Visit};
use manicule::kinds::System;

use super::call::Call;
use super::matcher::Matcher;
use super::tally::Tally;
use crate::messages::Messages;
use blocks::Blocks;
use shards::Shards;
pub(crate) use shards::document_path;
use trees::Trees;

/// A kind of index in a call.
pub(crate) trait Searched {
    /// Opens those of `paths` that can be opened, and reports the rest. An error names what the kind can't do, such as
    /// the order that is asked for: nothing of it is searched then.
    fn open(&mut self, paths: &[PathBuf], call: &Call, messages: &Messages) -> Result<()>;

    /// Searches the opened indexes, or lists them.
    fn visit(&self, job: &Job<'_>) -> Result<Done>;

    /// Whether it explains by itself that no file was searched: an index has excluded all.
    fn explains_none(&self) -> bool {
        true
    }
}

/// The searching kind of a system: a new system doesn't compile without its arm.
fn searched(system: System) -> Box<dyn Searched> {
    match system {
        System::Plain | System::Tree | System::Unread => Box::new(Trees),
        System::Zoekt => Box::<Shards>::default(),
        System::Prometheus => Box::<Blocks>::default(),
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
    fn is_over(&self) -> bool {
        self.tally.is_over() || (self.call.quit_after_match() && self.tally.matched())
    }
}

/// A visitor of files, and of texts in memory.
pub(crate) trait Visitor: Visit {
    /// Searches a text, which is printed under this path. `places`, if there are any: each match shares its line with
    /// one of them.
    fn text(&mut self, path: &Path, text: &[u8], places: &[u32]) -> Flow;
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

/// Opens the paths dealt to each kind. An impossible option ends a call of one kind alone; with others, the call goes
/// on without that kind.
pub(crate) fn open(call: &Call, messages: &Messages) -> Result<Vec<Box<dyn Searched>>> {
    let is_alone = call.deal.paths.len() == 1;
    let mut kinds = Vec::with_capacity(call.deal.paths.len());
    for (system, paths) in &call.deal.paths {
        let mut kind = searched(*system);
        match kind.open(paths, call, messages) {
            Err(refusal) if is_alone => return Err(refusal),
            Err(refusal) => messages.failure(&refusal),
            Ok(()) => {}
        }
        kinds.push(kind);
    }
    Ok(kinds)
}

/// Searches or lists each kind in turn.
pub(crate) fn visit(kinds: &[Box<dyn Searched>], job: &Job<'_>) -> Result<Done> {
    let mut all = Done::default();
    for kind in kinds {
        let done = kind.visit(job)?;
        all.receipt.extend(done.receipt);
        all.upkeep.extend(done.upkeep);
        all.noticed.extend(done.noticed);
    }
    Ok(all)
}
