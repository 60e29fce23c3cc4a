//! Indexes that have no lines: what is one for all of them, from the paths of a call to its rows,
//! counts and errors. A kind gives what differs: how a [`Place`] is opened and searched, and how
//! its [`Hit`]s are written.

use std::borrow::Cow;
use std::io::{self, Write};
use std::ops::{ControlFlow, Range};
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Result, bail};
use manicule::watch::Watch;
use serde_json::{Value as Json, json};

use super::joint::{Done, Job, Searched};
use super::page::{Page, Rows};
use super::refusals::{Order, Refusals, lets_in};
use super::texts::Texts;
use crate::find::call::Call;
use crate::find::matcher::Matcher;
use crate::find::output::Room;
use crate::find::tally::Tally;
use crate::flags::{Find, Mode, Sort};
use crate::messages::{Messages, in_words, say};
use crate::print::{self, typed};
use crate::progress::{Show, Signals, watched};

/// An index that is searched by itself, under its own path.
pub(super) trait Place: Sized {
    /// Cost of searching any number of them.
    type Counts: Copy + Default;

    /// The receipt's fields.
    const FIELDS: fn(&Self::Counts) -> Vec<(&'static str, u64)>;
    const REFUSALS: Refusals;
    /// When rows are printed.
    const ROWS: Rows;
    /// `type` of a row's object.
    const TYPE: &'static str;

    /// Opens those that lie at a path of the call. What of them can't be opened is reported.
    fn open(given: &Path, call: &Call, messages: &Messages) -> Result<Vec<Self>>;

    /// Its path, which comes before its rows.
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
    fn search(&self, ask: &Ask<'_>, counts: &mut Self::Counts, take: &mut Take<'_>)
    -> Result<Gaps>;

    /// Number of bytes that a search has read, by the counts before and after it; 0 where nothing
    /// counts them.
    fn searched_len(&self, _before: &Self::Counts, _after: &Self::Counts) -> u64 {
        0
    }
}

/// What a call looks for in a place.
pub(super) struct Ask<'a> {
    pub(super) call: &'a Call,
    pub(super) texts: &'a Texts<'a>,
    pub(super) watch: &'a Watch<'a>,
}

/// What could not be searched, as sentences.
pub(super) type Gaps = Vec<String>;

/// Receives each hit.
pub(super) type Take<'t> = dyn FnMut(&dyn Hit) -> ControlFlow<()> + 't;

/// Ranges of a text that match.
pub(super) type Ranges = io::Result<Vec<Range<usize>>>;

/// Something that matches: a row.
pub(super) trait Hit {
    /// How it is printed, on one line.
    fn text(&self) -> Vec<u8>;

    /// What follows in parentheses: how often it is there, and where.
    fn uses(&self) -> Option<String> {
        None
    }

    /// The matches in its text as it is printed.
    fn matches_in(&self, text: &[u8], matcher: &Matcher) -> Ranges;

    /// Its object, without the path of its place.
    fn json(&self) -> Json;
}

/// The places of a call.
pub(super) struct Places<P> {
    places: Vec<P>,
}

impl<P> Default for Places<P> {
    fn default() -> Self {
        Places { places: Vec::new() }
    }
}

impl<P: Place> Searched for Places<P> {
    fn open(&mut self, paths: &[PathBuf], call: &Call, messages: &Messages) -> Result<()> {
        let mut places = Vec::new();
        for path in paths {
            let is_let_in = |place: &P| lets_in(call, path, place.path());
            match P::open(path, call, messages) {
                Ok(opened) => places.extend(opened.into_iter().filter(is_let_in)),
                Err(error) => messages.failure(&error),
            }
        }
        if let Some(refusal) = P::REFUSALS.reason(call) {
            bail!(refusal);
        }
        if shows_notes(call, messages) {
            paths.iter().filter_map(|path| P::left_out(path)).for_each(|out| say(&out));
        }
        if let (Some(Sort { reverse, .. }), Order::Path(_)) = (call.options.sort, P::REFUSALS.order)
        {
            places.sort_by(|left, right| left.sorted_by().cmp(right.sorted_by()));
            if reverse {
                places.reverse();
            }
        }
        self.places = places;
        Ok(())
    }

    fn visit(&self, job: &Job<'_>) -> Result<Done> {
        let mut counts = P::Counts::default();
        for place in &self.places {
            if job.is_over() {
                break;
            }
            job.tally.visit();
            let mut page = Page::new(job.call, place.path(), job.tally);
            match job.matcher {
                Some(matcher) => answer(&mut page, place, matcher, &mut counts, job.tally)?,
                None => page.list()?,
            }
            if page.publish(job.tally) == Room::Full {
                break;
            }
        }
        Ok(Done { receipt: (P::FIELDS)(&counts), ..Done::default() })
    }
}

/// Whether a call says what it leaves out.
pub(super) fn shows_notes(call: &Call, messages: &Messages) -> bool {
    messages.shows() && !call.options.quiet
}

/// Searches a place, and counts the matches.
fn answer<P: Place>(
    page: &mut Page<'_>,
    place: &P,
    matcher: &Matcher,
    counts: &mut P::Counts,
    tally: &Tally<'_>,
) -> Result<()> {
    let (started, before) = (Instant::now(), *counts);
    match search(page, place, matcher, counts, tally) {
        Ok(gaps) => gaps.iter().for_each(|gap| tally.messages.failure(gap)),
        Err(error) => {
            let error = match place.named_by() {
                Some(path) => error.context(path.display().to_string()),
                None => error,
            };
            tally.messages.failure(&in_words(&error));
        }
    }
    let searched_len = place.searched_len(&before, counts);
    Ok(page.end(searched_len, started.elapsed(), tally)?)
}

fn search<P: Place>(
    page: &mut Page<'_>,
    place: &P,
    matcher: &Matcher,
    counts: &mut P::Counts,
    tally: &Tally<'_>,
) -> Result<Gaps> {
    let (call, texts) = (page.call, Texts::new(matcher));
    let show = if call.options.quiet { Show::Nothing } else { Show::Progress };
    let mut failed = Ok(());
    let gaps = watched(show, Signals::Plain, |watch| {
        let ask = Ask { call, texts: &texts, watch };
        place.search(&ask, counts, &mut |hit| {
            failed = take(page, hit, P::TYPE, matcher);
            page.pass(failed.is_ok(), P::ROWS, tally)
        })
    })?;
    failed?;
    texts.end()?;
    Ok(gaps)
}

/// Counts a hit and its matches, and prints its row.
fn take(page: &mut Page<'_>, hit: &dyn Hit, kind: &str, matcher: &Matcher) -> io::Result<()> {
    page.count += 1;
    page.count_matches(|| hit.matches_in(&hit.text(), matcher))?;
    match page.call.mode {
        _ if page.call.options.quiet => Ok(()),
        Mode::Search(Find::Json) => {
            let mut data = hit.json();
            data["path"] = json!({ "text": print::path(page.path) });
            writeln!(page.buffer, "{}", typed(kind, json!({ "data": data })))
        }
        Mode::Search(Find::Lines) => {
            page.begin_row()?;
            let text = hit.text();
            let is_colored = page.is_colored();
            let matches = if is_colored { hit.matches_in(&text, matcher)? } else { Vec::new() };
            page.write_text(&text, matches)?;
            match hit.uses() {
                Some(uses) => writeln!(page.buffer, " ({uses})"),
                None => writeln!(page.buffer),
            }
        }
        _ => Ok(()),
    }
}

impl Ask<'_> {
    /// Whether those are wanted that don't match.
    pub(super) fn is_inverted(&self) -> bool {
        self.call.options.invert_match
    }

    /// Whether a pattern has one of these characters, so that it may mean more than a text by
    /// itself.
    pub(super) fn has_any(&self, chars: &[char]) -> bool {
        self.call.patterns.iter().any(|pattern| pattern.contains(chars))
    }
}

/// Ranges of the matches in a text as it is printed, of which the own text of the hit is the part
/// from `start` on: those in that; without any, those in the whole. None if the own text is printed
/// in another way.
pub(super) fn own_or_whole(text: &[u8], own: &[u8], start: usize, matcher: &Matcher) -> Ranges {
    let found = matcher.matches(own)?;
    if found.is_empty() {
        return matcher.matches(text);
    }
    let is_shown = text.get(start..).is_some_and(|rest| rest.starts_with(own));
    Ok(if is_shown { shifted(found, start) } else { Vec::new() })
}

/// Ranges in a part of a text, as ranges of the text.
pub(super) fn shifted(ranges: Vec<Range<usize>>, start: usize) -> Vec<Range<usize>> {
    ranges.into_iter().map(|range| range.start + start..range.end + start).collect()
}

/// A text without control characters: those are escaped.
pub(super) fn on_one_line(text: &str, escape: fn(char) -> String) -> Cow<'_, str> {
    if !text.contains(char::is_control) {
        return text.into();
    }
    let escaped = |char: char| if char.is_control() { escape(char) } else { char.to_string() };
    text.chars().map(escaped).collect::<String>().into()
}
