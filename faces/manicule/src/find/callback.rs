//! The verb: a search whose hits go to a callback.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use manicule_core::watch::Watch;
use manicule_store::threads::{lock, unshared};

use super::call::Call;
use super::collected::Deliver;
use super::face::{Face, IndexPlace, Page, PlaceEnd};
use super::hit::Hit;
use super::search::Search;
use super::visitor::Visitor;
use super::worker::Worker;
use crate::code::tree::{Flow, Upkeep};
use crate::failure::Failure;

/// What a search hands out.
#[derive(Debug)]
pub enum Event<'e> {
    /// Something that was found.
    Hit(Hit<'e>),
    /// Something that can't be searched: a damaged or refused place. The search goes on.
    Failure(Failure),
    /// Something that is not searched though nothing failed, as a sentence.
    Note(&'e str),
}

/// Receives events, one at a time, on any thread of the search; a break ends the search.
type Take<'t> = dyn FnMut(Event<'_>) -> ControlFlow<()> + Send + 't;

/// Summary of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Number of hits that were handed out.
    pub hits: u64,
    /// Number of failures that were handed out.
    pub failures: u64,
    /// Counts of the work, kind by kind.
    pub receipt: Vec<(&'static str, u64)>,
    /// Indexes of trees that need maintenance, for [`look_after`](crate::cache::look_after).
    pub upkeep: Vec<Upkeep>,
    /// Files of indexes further down that the walk has passed as plain files.
    pub noticed: Vec<PathBuf>,
}

/// Looks for what a call says in everything at its paths, and hands out each hit. Those of a file,
/// of a document and of an index come in its order; of two files in any, unless the call says one.
///
/// A place that is damaged, or can't do what is asked, is an event, not the end of the others.
///
/// # Errors
/// A pattern, glob or type that can't be understood; options that the only kind of index can't
/// heed; and that the watch has ended the search.
pub fn find(call: &Call, watch: &Watch<'_>, take: &mut Take<'_>) -> Result<Found, Failure> {
    let search = call.search()?;
    if !search.match_possible() || call.limit == Some(0) {
        return Ok(Found::default());
    }
    let limit = call.limit.unwrap_or(u64::MAX);
    let taker = Taker {
        search: &search,
        watch,
        taken: Mutex::new(Taken { take, hits: 0, failures: 0, limit }),
        is_over: AtomicBool::new(false),
    };
    let done = search.open(&taker)?.visit(&taker, watch)?;
    let Taken { hits, failures, .. } = unshared(taker.taken);
    Ok(Found { hits, failures, receipt: done.receipt, upkeep: done.upkeep, noticed: done.noticed })
}

/// The face of a callback.
struct Taker<'t> {
    search: &'t Search,
    watch: &'t Watch<'t>,
    taken: Mutex<Taken<'t>>,
    is_over: AtomicBool,
}

struct Taken<'t> {
    take: &'t mut Take<'t>,
    hits: u64,
    failures: u64,
    limit: u64,
}

impl Taken<'_> {
    fn hit(&mut self, hit: Hit<'_>) -> ControlFlow<()> {
        self.hits += 1;
        (self.take)(Event::Hit(hit))?;
        if self.hits >= self.limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl Taker<'_> {
    /// Hands events out unless nothing more is wanted.
    fn with(&self, take: impl FnOnce(&mut Taken<'_>) -> ControlFlow<()>) -> ControlFlow<()> {
        let mut taken = lock(&self.taken);
        if self.is_over() {
            return ControlFlow::Break(());
        }
        let flow = take(&mut taken);
        if flow.is_break() {
            self.is_over.store(true, Relaxed);
        }
        flow
    }
}

impl Deliver for Taker<'_> {
    fn hits(&self, hits: &mut dyn Iterator<Item = Hit<'_>>) -> ControlFlow<()> {
        self.with(|taken| {
            for hit in hits {
                taken.hit(hit)?;
            }
            ControlFlow::Continue(())
        })
    }

    fn failed(&self, failure: Failure) {
        self.failure(failure);
    }

    fn is_enough(&self) -> bool {
        self.is_over.load(Relaxed) || self.watch.is_over()
    }
}

impl Face for Taker<'_> {
    fn visitor(&self) -> Box<dyn Visitor + '_> {
        Box::new(Worker::new(self.search, self))
    }

    fn page<'p>(&'p self, _: IndexPlace<'p>) -> Box<dyn Page + 'p> {
        let hits_max = self.search.reading.matches_max.unwrap_or(u64::MAX);
        Box::new(TakerPage { taker: self, hits_left: hits_max })
    }

    fn left_out(&self, _: u64, _: u64) {}

    fn failure(&self, failure: Failure) {
        // A break is kept for whoever asks whether it is over.
        let _ = self.with(|taken| {
            taken.failures += 1;
            (taken.take)(Event::Failure(failure))
        });
    }

    fn note(&self, note: &str) {
        let _ = self.with(|taken| (taken.take)(Event::Note(note)));
    }

    fn is_over(&self) -> bool {
        self.is_over.load(Relaxed)
    }
}

struct TakerPage<'t, 'c> {
    taker: &'t Taker<'c>,
    hits_left: u64,
}

impl Page for TakerPage<'_, '_> {
    fn hit(&mut self, hit: &Hit<'_>) -> Result<ControlFlow<()>, Failure> {
        self.hits_left -= 1;
        let flow = self.taker.with(|taken| taken.hit(*hit));
        Ok(if self.hits_left == 0 { ControlFlow::Break(()) } else { flow })
    }

    fn end(&mut self, end: PlaceEnd) -> Flow {
        end.failures.into_iter().for_each(|failure| self.taker.failure(failure));
        self.listed()
    }

    fn listed(&mut self) -> Flow {
        if self.taker.is_over() { Flow::Quit } else { Flow::Continue }
    }
}
