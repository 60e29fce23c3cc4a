//! Graph stores among the paths of a call: IRIs and literals in place of lines, with how they are
//! used.
//!
//! Each term is printed once, as N-Triples writes it, however many quads name it:
//!
//! ```text
//! shop: <http://example.org/anvil> (subject of 12 quads, object of 3)
//! shop: "as light as an anvil"@en (object of 1 quad)
//! ```
//!
//! The text of an IRI or a literal is matched; a pattern with `"`, `<`, `>`, `@` or `^` in it is
//! looked for in the term as it is printed too, so that a printed term finds itself.

use std::io::{self, Write};
use std::ops::Range;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Result, bail};
use manicule::graph::{FindCall, FindCounts, Found, Open, TermRef, Uses, find, open, put_term};
use serde_json::{Value as Json, json};

use super::joint::{Done, Job, Searched};
use super::page::{FilesFlag, Page, asks_for_files, asks_for_lines};
use super::texts::Texts;
use crate::find::call::Call;
use crate::find::matcher::Matcher;
use crate::find::output::Room;
use crate::find::tally::Tally;
use crate::flags::{Find, Mode, Sort, SortKey};
use crate::messages::{Messages, in_words};
use crate::print::{self, typed};
use crate::progress::{Show, Signals, watched};
use crate::units::counted;

/// Characters that a pattern may have of a term as it is printed.
const WRITTEN: [char; 5] = ['"', '<', '>', '@', '^'];

/// The stores of a call.
#[derive(Default)]
pub(super) struct Stores {
    opened: Vec<Open>,
}

impl Searched for Stores {
    fn open(&mut self, paths: &[PathBuf], call: &Call, messages: &Messages) -> Result<()> {
        for path in paths {
            match open(path) {
                Ok(opened) => self.opened.push(opened),
                Err(error) => messages.failure(&error),
            }
        }
        let by_file =
            || asks_for_files(call, &[FilesFlag::Names, FilesFlag::Depth, FilesFlag::Size]);
        if let Some(flag) = asks_for_lines(call).or_else(by_file) {
            bail!("{flag}: a graph store has terms, no lines or files");
        }
        match call.options.sort {
            None => {}
            Some(Sort { key: SortKey::Path, reverse }) => {
                self.opened.sort_by(|left, right| left.path().cmp(right.path()));
                if reverse {
                    self.opened.reverse();
                }
            }
            Some(_) => bail!("graph stores can be sorted by path only"),
        }
        Ok(())
    }

    fn visit(&self, job: &Job<'_>) -> Result<Done> {
        let mut counts = FindCounts::default();
        for store in &self.opened {
            if job.is_over() {
                break;
            }
            job.tally.visit();
            let mut page = Page::new(job.call, store.path(), job.tally);
            match job.matcher {
                Some(matcher) => answer(&mut page, store, matcher, &mut counts, job.tally)?,
                None => page.list()?,
            }
            if page.publish(job.tally) == Room::Full {
                break;
            }
        }
        Ok(Done { receipt: counts.fields(), ..Done::default() })
    }
}

/// Searches a store, and counts the matches. The texts of its terms count as the bytes searched.
fn answer(
    page: &mut Page<'_>,
    store: &Open,
    matcher: &Matcher,
    counts: &mut FindCounts,
    tally: &Tally<'_>,
) -> Result<()> {
    let started = Instant::now();
    let before = counts.terms_len;
    if let Err(error) = search(page, store, matcher, counts, tally) {
        tally.messages.failure(&in_words(&error));
    }
    Ok(page.end(counts.terms_len - before, started.elapsed(), tally)?)
}

fn search(
    page: &mut Page<'_>,
    store: &Open,
    matcher: &Matcher,
    counts: &mut FindCounts,
    tally: &Tally<'_>,
) -> Result<()> {
    let texts = Texts::new(matcher);
    let is_match = |text: &[u8]| texts.is_match(text);
    let asked = FindCall {
        is_match: &is_match,
        with_written: page.call.patterns.iter().any(|pattern| pattern.contains(WRITTEN)),
        is_inverted: page.call.options.invert_match,
    };
    let show = if page.call.options.quiet { Show::Nothing } else { Show::Progress };
    let mut failed = Ok(());
    watched(show, Signals::Plain, |watch| {
        find(store, &asked, counts, watch, &mut |found| {
            page.count += 1;
            failed = page
                .count_matches(|| matches_in(&shown(found.term), found.term, matcher))
                .and_then(|()| print(page, found, matcher));
            page.pass(failed.is_ok(), tally)
        })
    })?;
    failed?;
    texts.end()
}

fn print(page: &mut Page<'_>, found: &Found<'_>, matcher: &Matcher) -> io::Result<()> {
    match page.call.mode {
        _ if page.call.options.quiet => Ok(()),
        Mode::Search(Find::Json) => print_json(page, found),
        Mode::Search(Find::Lines) => {
            page.begin_row()?;
            let text = shown(found.term);
            let matches = if page.is_colored() {
                matches_in(&text, found.term, matcher)?
            } else {
                Vec::new()
            };
            page.write_text(text.as_bytes(), matches)?;
            writeln!(page.buffer, " ({})", uses(&found.uses))
        }
        _ => Ok(()),
    }
}

/// A term as N-Triples writes it, without control characters: those are escaped.
fn shown(term: TermRef<'_>) -> String {
    let mut line = Vec::new();
    put_term(term, &mut line);
    let text = String::from_utf8_lossy(&line).into_owned();
    if !text.contains(char::is_control) {
        return text;
    }
    let escaped = |char: char| {
        if char.is_control() { format!("\\u{:04X}", u32::from(char)) } else { char.to_string() }
    };
    text.chars().map(escaped).collect()
}

/// Its own text, and the parts of a literal: language tag, datatype.
fn parts(term: TermRef<'_>) -> (&str, Option<&str>, Option<&str>) {
    match term {
        TermRef::Blank(_) => ("", None, None),
        TermRef::Iri(text) | TermRef::Simple(text) => (text, None, None),
        TermRef::Tagged(text, language) => (text, Some(language), None),
        TermRef::Typed(text, datatype) => (text, None, Some(datatype)),
    }
}

/// Ranges of the matches in a term as it is printed: in its text, or as a whole. None if the text
/// is not printed as it is.
fn matches_in(shown: &str, term: TermRef<'_>, matcher: &Matcher) -> io::Result<Vec<Range<usize>>> {
    let (text, ..) = parts(term);
    // After the bracket or the quote.
    if shown.get(1..).is_none_or(|rest| !rest.starts_with(text)) {
        return Ok(Vec::new());
    }
    let found = matcher.matches(text.as_bytes())?;
    if found.is_empty() {
        return matcher.matches(shown.as_bytes());
    }
    Ok(found.into_iter().map(|range| range.start + 1..range.end + 1).collect())
}

/// `subject of 12 quads, object of 3`.
fn uses(uses: &Uses) -> String {
    let Uses { subject, predicate, object, graph } = *uses;
    let places =
        [("subject", subject), ("predicate", predicate), ("object", object), ("graph", graph)];
    let mut text = String::new();
    for (place, count) in places.into_iter().filter(|(_, count)| *count > 0) {
        text += &if text.is_empty() {
            format!("{place} of {}", counted(count, "quad"))
        } else {
            format!(", {place} of {}", crate::units::grouped(count))
        };
    }
    text
}

fn print_json(page: &mut Page<'_>, found: &Found<'_>) -> io::Result<()> {
    let (text, language, datatype) = parts(found.term);
    let kind = if matches!(found.term, TermRef::Iri(_)) { "iri" } else { "literal" };
    let Uses { subject, predicate, object, graph } = found.uses;
    let optional = |part: Option<&str>| part.map_or(Json::Null, Json::from);
    let data = json!({
        "path": { "text": print::path(page.path) },
        "kind": kind,
        "value": text,
        "language": optional(language),
        "datatype": optional(datatype),
        "subject": subject,
        "predicate": predicate,
        "object": object,
        "graph": graph,
    });
    writeln!(page.buffer, "{}", typed("term", json!({ "data": data })))
}
