//! Indexes that have no lines: what is one for all of them, from the paths of a search to its hits
//! and errors. A kind gives what differs: how a [`Place`] is opened and searched.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use manicule_core::ErrorClass;
use manicule_core::watch::Watch;

use super::joint::{Job, Searched};
use super::refusals::{Order, Refusals};
use super::texts::Texts;
use crate::code::tree::Flow;
use crate::failure::Failure;
use crate::find::face::{Face, IndexPlace, Page, PlaceEnd};
use crate::find::hit::{Hit, Item};
use crate::find::matcher::Matcher;
use crate::find::search::{Done, Search};
use crate::find::sorted::Sort;
use crate::kinds::System;

/// An index that is searched by itself, under its own path.
pub trait Place: Sized {
    /// Cost of searching any number of them.
    type Counts: Copy + Default;

    /// The receipt's fields.
    const FIELDS: fn(&Self::Counts) -> Vec<(&'static str, u64)>;
    /// Options that it can't heed.
    const REFUSALS: Refusals;
    /// System that writes it.
    const SYSTEM: System;
    /// Whether hits are printed while it is searched, as of a place that may have millions; others
    /// are printed at its end, so that a budget of output counts all that it leaves out.
    const IS_LONG: bool = false;

    /// Opens those that lie at a path of the call. What of them can't be opened is reported.
    ///
    /// # Errors
    /// That none can be.
    fn open(given: &Path, search: &Search, face: &dyn Face) -> Result<Vec<Self>, Failure>;

    /// Its path.
    fn path(&self) -> &Path;

    /// The path by which it is sorted.
    fn sorted_by(&self) -> &Path {
        self.path()
    }

    /// The path that belongs before its errors, if they don't name one themselves.
    fn named_by(&self) -> Option<PathBuf> {
        None
    }

    /// Something at a path of the call that is not searched, as a sentence.
    fn left_out(_given: &Path) -> Option<String> {
        None
    }

    /// Hands out what matches, until `take` breaks.
    ///
    /// # Errors
    /// That it can't be searched, or that the watch has ended it.
    fn search(
        &self,
        ask: &Ask<'_>,
        counts: &mut Self::Counts,
        take: &mut Take<'_>,
    ) -> Result<Gaps, Failure>;

    /// Number of bytes that a search has read, by the counts before and after it; 0 where nothing
    /// counts them.
    fn searched_len(&self, _before: &Self::Counts, _after: &Self::Counts) -> u64 {
        0
    }
}

/// What a search looks for in a place.
#[derive(Debug)]
pub struct Ask<'a> {
    /// The search.
    pub search: &'a Search,
    /// Tests texts by its patterns.
    pub texts: &'a Texts<'a>,
    /// Ends it.
    pub watch: &'a Watch<'a>,
}

impl Ask<'_> {
    /// Whether those are wanted that don't match.
    pub fn is_inverted(&self) -> bool {
        self.search.reading.invert
    }
}

/// What could not be searched, as sentences.
pub type Gaps = Vec<String>;

/// Receives each item that matches.
pub type Take<'t> = dyn FnMut(Item<'_>) -> ControlFlow<()> + 't;

/// The places of a search, as a system's part in it.
#[derive(Debug)]
pub struct Places<P> {
    places: Vec<P>,
}

impl<P> Default for Places<P> {
    fn default() -> Self {
        Places { places: Vec::new() }
    }
}

impl<P: Place> Searched for Places<P> {
    fn open(&mut self, paths: &[PathBuf], search: &Search, face: &dyn Face) -> Result<(), Failure> {
        let mut places = Vec::new();
        for path in paths {
            let is_let_in = |place: &P| search.lets_index_in(path, place.path());
            match P::open(path, search, face) {
                Ok(opened) => places.extend(opened.into_iter().filter(is_let_in)),
                Err(failure) => face.failure(failure),
            }
        }
        if let Some(refusal) = P::REFUSALS.reason(search) {
            return Err(Failure::new(ErrorClass::Unsupported, refusal));
        }
        paths.iter().filter_map(|path| P::left_out(path)).for_each(|out| face.note(&out));
        if let (Some(Sort { reverse, .. }), Order::Path(_)) = (search.sort, P::REFUSALS.order) {
            places.sort_by(|left, right| left.sorted_by().cmp(right.sorted_by()));
            if reverse {
                places.reverse();
            }
        }
        self.places = places;
        Ok(())
    }

    fn visit(&self, job: &Job<'_>) -> Result<Done, Failure> {
        let mut counts = P::Counts::default();
        for place in &self.places {
            job.watch.check()?;
            if job.face.is_over() {
                break;
            }
            let mut page = job.face.page(IndexPlace {
                system: P::SYSTEM,
                path: place.path(),
                is_long: P::IS_LONG,
            });
            let flow = match &job.search.matcher {
                Some(matcher) => answer(&mut *page, place, matcher, &mut counts, job)?,
                None => page.listed(),
            };
            if flow == Flow::Quit {
                break;
            }
        }
        Ok(Done { receipt: (P::FIELDS)(&counts), ..Done::default() })
    }
}

/// Searches a place. What fails is the end of its page; that the watch has ended it, of all.
fn answer<P: Place>(
    page: &mut dyn Page,
    place: &P,
    matcher: &Matcher,
    counts: &mut P::Counts,
    job: &Job<'_>,
) -> Result<Flow, Failure> {
    let before = *counts;
    let named = |failure: Failure| match place.named_by() {
        Some(path) => failure.of_path(&path),
        None => failure,
    };
    let failures = match hits(page, place, matcher, counts, job) {
        Ok(gaps) => gaps.into_iter().map(|gap| Failure::new(ErrorClass::Damaged, gap)).collect(),
        Err(failure) if job.watch.is_over() => return Err(failure),
        Err(failure) => vec![named(failure)],
    };
    Ok(page.end(PlaceEnd { failures, searched_len: place.searched_len(&before, counts) }))
}

fn hits<P: Place>(
    page: &mut dyn Page,
    place: &P,
    matcher: &Matcher,
    counts: &mut P::Counts,
    job: &Job<'_>,
) -> Result<Gaps, Failure> {
    let texts = Texts::new(matcher);
    let ask = Ask { search: job.search, texts: &texts, watch: job.watch };
    let mut failed = Ok(());
    let gaps = place.search(&ask, counts, &mut |item| {
        let (system, path) = (P::SYSTEM, place.path());
        let hit = Hit { system, path, item, document: None, matcher };
        page.hit(&hit).unwrap_or_else(|failure| {
            failed = Err(failure);
            ControlFlow::Break(())
        })
    })?;
    failed?;
    texts.end()?;
    Ok(gaps)
}
