//! Prometheus blocks among the paths of a call: names and values of labels in place of lines.
//!
//! Each name and each value is looked at once, however many series have it:
//!
//! ```text
//! data/01M7YV9DA539J3RD3VS93JZGWY: __name__="http_requests_total" (72 series)
//! data/01M7YV9DA539J3RD3VS93JZGWY: method (2 values, 72 series)
//! ```
//!
//! A pattern with `=` in it is looked for in the label as it is printed too, so that a printed
//! label finds itself.

use std::io::{self, Write};
use std::ops::{ControlFlow, Range};
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Result, bail};
use manicule::series::query::{Occurrence, Work, log_left_out, occurrences, open_dealt};
use manicule::series::{Block, ShownLabel, ShownName};
use serde_json::{Value, json};

use super::joint::{Done, Job, Searched};
use super::page::{FilesFlag, Page, asks_for_files, asks_for_lines, lets_in};
use crate::find::call::Call;
use crate::find::matcher::Matcher;
use crate::find::output::Room;
use crate::find::tally::Tally;
use crate::flags::{Find, Mode, Sort, SortKey};
use crate::messages::{Messages, say};
use crate::print::{self, typed};
use crate::units::grouped;

/// The blocks of a call.
#[derive(Default)]
pub(super) struct Blocks {
    blocks: Vec<Block>,
}

impl Searched for Blocks {
    fn open(&mut self, paths: &[PathBuf], call: &Call, messages: &Messages) -> Result<()> {
        let mut blocks = Vec::new();
        for path in paths {
            match open_dealt(&call.deal, path, &mut |error| messages.failure(&error)) {
                Ok(opened) => blocks
                    .extend(opened.into_iter().filter(|block| lets_in(call, path, block.path()))),
                Err(error) => messages.failure(&error),
            }
        }
        if let Some(refusal) = refusal(call) {
            bail!(refusal);
        }
        if messages.shows() && !call.options.quiet {
            paths.iter().filter_map(|path| log_left_out(path)).for_each(|log| {
                say(&format_args!("{}: labels that only this log has are left out", log.display()));
            });
        }
        if let Some(Sort { key: SortKey::Path, reverse }) = call.options.sort {
            blocks.sort_by(|left, right| left.path().cmp(right.path()));
            if reverse {
                blocks.reverse();
            }
        }
        self.blocks = blocks;
        Ok(())
    }

    fn visit(&self, job: &Job<'_>) -> Result<Done> {
        let mut work = Work::default();
        for block in &self.blocks {
            if job.is_over() {
                break;
            }
            job.tally.visit();
            let mut page = Page::new(job.call, block.path(), job.tally);
            match job.matcher {
                Some(matcher) => answer(&mut page, block, matcher, &mut work, job.tally)?,
                None => page.list()?,
            }
            if page.publish(job.tally) == Room::Full {
                break;
            }
        }
        Ok(Done { receipt: work.fields(), ..Done::default() })
    }
}

/// Reason why blocks can't be searched with these options: they ask for lines, which blocks don't
/// have, or for times.
fn refusal(call: &Call) -> Option<String> {
    let by_time = call.options.sort.is_some_and(|sort| sort.key != SortKey::Path);
    let by_file = || asks_for_files(call, &[FilesFlag::Size]);
    match asks_for_lines(call).or_else(by_file) {
        Some(flag) => {
            Some(format!("{flag}: a Prometheus block has names and values, no lines or files"))
        }
        None => by_time.then(|| "blocks can be sorted by path only".to_owned()),
    }
}

/// Searches a block, and counts the matches. The index counts as the bytes searched.
fn answer(
    page: &mut Page<'_>,
    block: &Block,
    matcher: &Matcher,
    work: &mut Work,
    tally: &Tally<'_>,
) -> Result<()> {
    let started = Instant::now();
    if let Err(error) = search(page, block, matcher, work) {
        tally.messages.failure(&format_args!("{}: {error}", block.index_path().display()));
    }
    let searched_len = block.index().bytes().len() as u64;
    Ok(page.end(searched_len, started.elapsed(), tally)?)
}

fn search(page: &mut Page<'_>, block: &Block, matcher: &Matcher, work: &mut Work) -> Result<()> {
    let call = page.call;
    let inverted = call.options.invert_match;
    // A label is matched as it is printed, too, if a pattern may mean that.
    let with_labels = call.patterns.iter().any(|pattern| pattern.contains('='));
    let held = call.text().filter(|_| !inverted && !with_labels);
    let most = page.matches_max();
    let (mut failed, mut refused) = (Ok(()), Ok(()));
    occurrences(
        block.index(),
        &held.unwrap_or_default(),
        &mut |name, value| {
            let own = matcher.is_match(value.unwrap_or(name));
            let as_label = |value| matcher.is_match(ShownLabel(name, value).to_string().as_bytes());
            let is_match = match (own, value) {
                (Ok(false), Some(value)) if with_labels => as_label(value),
                (own, _) => own,
            };
            match is_match {
                Ok(is_match) => is_match != inverted,
                Err(error) => {
                    refused = Err(error);
                    false
                }
            }
        },
        &mut |occurrence| {
            page.count += 1;
            let label = || shown(&occurrence).0;
            failed = page
                .count_matches(|| matches_in(&label(), &occurrence, matcher))
                .and_then(|()| print(page, &occurrence, matcher));
            if failed.is_ok() && page.count < most {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        },
        work,
    )?;
    Ok(failed.and(refused)?)
}

fn print(page: &mut Page<'_>, occurrence: &Occurrence<'_>, matcher: &Matcher) -> io::Result<()> {
    match page.call.mode {
        _ if page.call.options.quiet => Ok(()),
        Mode::Search(Find::Json) => print_json(page, occurrence),
        Mode::Search(Find::Lines) => {
            page.begin_row()?;
            let (label, counts) = shown(occurrence);
            let matches = if page.is_colored() {
                matches_in(&label, occurrence, matcher)?
            } else {
                Vec::new()
            };
            page.write_text(label.as_bytes(), matches)?;
            writeln!(page.buffer, " ({counts})")
        }
        _ => Ok(()),
    }
}

fn print_json(page: &mut Page<'_>, occurrence: &Occurrence<'_>) -> io::Result<()> {
    let text = |bytes: &[u8]| -> Value { String::from_utf8_lossy(bytes).into() };
    let data = json!({
        "path": { "text": print::path(page.path) },
        "name": text(occurrence.name),
        "value": occurrence.value.map(text),
        "values": occurrence.value_count,
        "series": occurrence.series_count,
    });
    writeln!(page.buffer, "{}", typed("label", json!({ "data": data })))
}

/// Ranges of the matches in a label as it is printed: in its value or name, or as a whole. None if
/// the text that matches is not printed as it is.
fn matches_in(
    label: &str,
    occurrence: &Occurrence<'_>,
    matcher: &Matcher,
) -> io::Result<Vec<Range<usize>>> {
    let text = occurrence.value.unwrap_or(occurrence.name);
    let found = matcher.matches(text)?;
    if found.is_empty() {
        return matcher.matches(label.as_bytes());
    }
    // A value is followed by its quote; a name may be in quotes.
    let quote = usize::from(label.ends_with('"'));
    let start = label.len().saturating_sub(quote + text.len());
    let is_shown = label.as_bytes().get(start..start + text.len()) == Some(text);
    let shift = |range: Range<usize>| range.start + start..range.end + start;
    Ok(if is_shown { found.into_iter().map(shift).collect() } else { Vec::new() })
}

/// `job="api"` and `2 series`; `job` and `3 values, 9 series`.
fn shown(occurrence: &Occurrence<'_>) -> (String, String) {
    let series = grouped(occurrence.series_count);
    match occurrence.value {
        Some(value) => (ShownLabel(occurrence.name, value).to_string(), format!("{series} series")),
        None => {
            let values = match occurrence.value_count {
                1 => "1 value".to_owned(),
                count => format!("{} values", grouped(count)),
            };
            (ShownName(occurrence.name).to_string(), format!("{values}, {series} series"))
        }
    }
}
