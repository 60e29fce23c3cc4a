//! The verb: the files that a search would look into.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use manicule_core::watch::Watch;
use manicule_store::threads::lock;

use super::call::Call;
use super::face::{Face, IndexPlace, Page, PlaceEnd};
use super::hit::Hit;
use super::search::Done;
use super::visitor::{Text, Visitor};
use super::worker::failure_of_walk;
use crate::code::tree::{Candidate, Flow, Visit};
use crate::failure::Failure;

/// What a list of files hands out.
#[derive(Debug)]
pub enum ListedFile<'l> {
    /// A file.
    File(&'l Path),
    /// Something that can't be listed. The list goes on.
    Failure(Failure),
}

/// Receives files, one at a time, on any thread; a break ends the list.
type Take<'t> = dyn FnMut(ListedFile<'_>) -> ControlFlow<()> + Send + 't;

/// Lists the files at a call's paths that a search would look into as text: by ignore files, globs
/// and types, in the call's order. Its patterns mean nothing here.
///
/// # Errors
/// A glob or type that can't be understood, and that the watch has ended the list.
pub fn files(call: &Call, watch: &Watch<'_>, take: &mut Take<'_>) -> Result<Done, Failure> {
    let search = call.list()?;
    let lister = Lister { take: Mutex::new(take), is_over: AtomicBool::new(false) };
    search.open(&lister)?.visit(&lister, watch)
}

struct Lister<'t> {
    take: Mutex<&'t mut Take<'t>>,
    is_over: AtomicBool,
}

impl Lister<'_> {
    fn take(&self, listed: ListedFile<'_>) -> Flow {
        let mut take = lock(&self.take);
        if !self.is_over() && take(listed).is_break() {
            self.is_over.store(true, Relaxed);
        }
        if self.is_over() { Flow::Quit } else { Flow::Continue }
    }
}

impl Face for Lister<'_> {
    fn visitor(&self) -> Box<dyn Visitor + '_> {
        Box::new(Files { lister: self })
    }

    fn page<'p>(&'p self, _: IndexPlace<'p>) -> Box<dyn Page + 'p> {
        Box::new(NoPage)
    }

    fn left_out(&self, _: u64, _: u64) {}

    fn failure(&self, failure: Failure) {
        self.take(ListedFile::Failure(failure));
    }

    fn note(&self, _: &str) {}

    fn is_over(&self) -> bool {
        self.is_over.load(Relaxed)
    }
}

/// Indexes are no files that are looked into as text, and aren't among the paths of a list.
struct NoPage;

impl Page for NoPage {
    fn hit(&mut self, _: &Hit<'_>) -> Result<ControlFlow<()>, Failure> {
        Ok(ControlFlow::Continue(()))
    }

    fn end(&mut self, _: PlaceEnd) -> Flow {
        Flow::Continue
    }

    fn listed(&mut self) -> Flow {
        Flow::Continue
    }
}

struct Files<'l, 't> {
    lister: &'l Lister<'t>,
}

impl Visit for Files<'_, '_> {
    fn file(&mut self, candidate: Candidate<'_>) -> Flow {
        self.lister.take(ListedFile::File(candidate.path))
    }

    fn may_match(&mut self, _: &[u8]) -> bool {
        true
    }

    fn left_out(&mut self, _: u64, _: u64) {}

    fn error(&mut self, error: &ignore::Error) -> Flow {
        self.lister.take(ListedFile::Failure(failure_of_walk(error)))
    }

    fn warning(&mut self, _: &ignore::Error) {}
}

impl Visitor for Files<'_, '_> {
    fn text(&mut self, text: Text<'_>) -> Flow {
        self.lister.take(ListedFile::File(text.path))
    }
}
