//! Prometheus blocks among the paths of a call: names and values of labels in place of lines.
//!
//! Each name and each value is looked at once, however many series have it:
//!
//! ```text
//! data/01M7YV9DA539J3RD3VS93JZGWY: __name__="http_requests_total" (72 series)
//! data/01M7YV9DA539J3RD3VS93JZGWY: method (2 values, 72 series)
//! ```
//!
//! A pattern with `=` in it is looked for in the label as it is printed too, so that a printed label finds itself.
//!
//! Callers: find/kinds

use std::io::{self, Write};
use std::ops::{ControlFlow, Range};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use grep_printer::Stats;
use manicule::series::query::{Occurrence, Work, occurrences, open_dealt};
use manicule::series::{Block, ShownLabel, ShownName};
use serde_json::{Value, json};
use termcolor::{Buffer, WriteColor};

use super::joint::{Done, Job, Searched};
use crate::find::call::Call;
use crate::find::matcher::Matcher;
use crate::find::output::Room;
use crate::find::tally::Tally;
use crate::flags::{Context, Find, Mode, Sort, SortKey};
use crate::messages::Messages;
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
                // A path given itself is let in, as ripgrep lets files in.
                Ok(opened) => blocks.extend(
                    opened
                        .into_iter()
                        .filter(|block| block.path() == path || call.lets_in(block.path())),
                ),
                Err(error) => messages.failure(&error),
            }
        }
        if let Some(refusal) = refusal(call) {
            bail!(refusal);
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
            let mut page = Page::new(job.call, block, job.tally);
            match job.matcher {
                Some(matcher) => page.answer(block, matcher, &mut work, job.tally)?,
                None => page.write_path(if job.call.options.null { b"\0" } else { b"\n" })?,
            }
            if page.publish(job.tally) == Room::Full {
                break;
            }
        }
        Ok(Done { receipt: work.fields(), ..Done::default() })
    }
}

/// Reason why blocks can't be searched with these options: they ask for lines, which blocks don't have, or for times.
fn refusal(call: &Call) -> Option<String> {
    let options = &call.options;
    let by_time = options.sort.is_some_and(|sort| sort.key != SortKey::Path);
    let what = [
        (options.context != Context::default(), "-A, -B, -C and --passthru"),
        (options.only_matching, "-o"),
        (options.replace.is_some(), "-r"),
        (options.multiline, "-U"),
        (options.pre.is_some(), "--pre"),
    ];
    let what = what.iter().find(|row| row.0).map(|row| row.1);
    match what {
        Some(flag) => Some(format!("{flag}: a Prometheus block has names and values, no lines")),
        None => by_time.then(|| "blocks can be sorted by path only".to_owned()),
    }
}

/// Printer of one block's results.
struct Page<'c> {
    call: &'c Call,
    path: &'c Path,
    buffer: Buffer,
    /// Counts of the matches.
    count: u64,
}

impl<'c> Page<'c> {
    fn new(call: &'c Call, block: &'c Block, tally: &Tally<'_>) -> Self {
        // The path of the current folder itself would become empty.
        let path = Some(call.shown(block.path())).filter(|path| *path != Path::new(""));
        let path = path.unwrap_or(block.path());
        Page { call, path, buffer: tally.out.buffer(), count: 0 }
    }

    /// Searches the block, and counts the matches.
    fn answer(
        &mut self,
        block: &Block,
        matcher: &Matcher,
        work: &mut Work,
        tally: &Tally<'_>,
    ) -> Result<()> {
        let started = Instant::now();
        if let Err(error) = self.search(block, matcher, work) {
            tally.messages.failure(&format_args!("{}: {error}", block.path().display()));
        }
        self.finish()?;
        if self.call.stats {
            tally.add(&self.stats(block, started.elapsed()));
        }
        let find_none = self.call.mode == Mode::Search(Find::FilesWithout);
        if (self.count > 0) != find_none {
            tally.found();
        }
        Ok(())
    }

    fn search(&mut self, block: &Block, matcher: &Matcher, work: &mut Work) -> Result<()> {
        let call = self.call;
        let inverted = call.options.invert_match;
        // A label is matched as it is printed, too, if a pattern may mean that.
        let with_labels = call.patterns.iter().any(|pattern| pattern.contains('='));
        let held = call.text().filter(|_| !inverted && !with_labels);
        let most = call.options.max_count.unwrap_or(u64::MAX);
        let is_one_enough = call.options.quiet
            || matches!(call.mode, Mode::Search(Find::FilesWith | Find::FilesWithout));
        let (mut failed, mut refused) = (Ok(()), Ok(()));
        occurrences(
            block.index(),
            &held.unwrap_or_default(),
            &mut |name, value| {
                let own = matcher.is_match(value.unwrap_or(name));
                let as_label =
                    |value| matcher.is_match(ShownLabel(name, value).to_string().as_bytes());
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
                self.count += 1;
                failed = self.print(&occurrence, matcher);
                match failed.is_ok() && self.count < most && !is_one_enough {
                    true => ControlFlow::Continue(()),
                    false => ControlFlow::Break(()),
                }
            },
            work,
        )?;
        Ok(failed.and(refused)?)
    }

    /// The numbers of this block: a name or value with a match counts as a line with a match, and the index as bytes
    /// searched.
    fn stats(&self, block: &Block, elapsed: Duration) -> Stats {
        let mut stats = Stats::new();
        stats.add_elapsed(elapsed);
        stats.add_searches(1);
        stats.add_bytes_searched(block.index().bytes().len() as u64);
        stats.add_searches_with_match(u64::from(self.count > 0));
        stats.add_matches(self.count);
        stats.add_matched_lines(self.count);
        stats.add_bytes_printed(self.buffer.as_slice().len() as u64);
        stats
    }

    fn print(&mut self, occurrence: &Occurrence<'_>, matcher: &Matcher) -> io::Result<()> {
        match self.call.mode {
            _ if self.call.options.quiet => Ok(()),
            Mode::Search(Find::Json) => self.print_json(occurrence),
            Mode::Search(Find::Lines) => {
                let call = self.call;
                if call.with_filename && (!call.heading || self.count == 1) {
                    let end = if call.heading { "\n" } else { ": " };
                    self.write_path(if call.options.null { b"\0" } else { end.as_bytes() })?;
                }
                let (label, counts) = shown(occurrence);
                self.write_label(&label, occurrence, matcher)?;
                writeln!(self.buffer, " ({counts})")
            }
            _ => Ok(()),
        }
    }

    /// Writes a label, with its matches coloured if colours are on.
    fn write_label(
        &mut self,
        label: &str,
        occurrence: &Occurrence<'_>,
        matcher: &Matcher,
    ) -> io::Result<()> {
        let is_colored = self.buffer.supports_color() && !self.call.options.invert_match;
        let matches = if is_colored { matches_in(label, occurrence, matcher)? } else { Vec::new() };
        let mut end = 0;
        for found in matches.into_iter().filter(|found| !found.is_empty()) {
            self.buffer.write_all(&label.as_bytes()[end..found.start])?;
            self.buffer.set_color(self.call.colors.matched())?;
            self.buffer.write_all(&label.as_bytes()[found.clone()])?;
            self.buffer.reset()?;
            end = found.end;
        }
        self.buffer.write_all(&label.as_bytes()[end..])
    }

    fn print_json(&mut self, occurrence: &Occurrence<'_>) -> io::Result<()> {
        let text = |bytes: &[u8]| -> Value { String::from_utf8_lossy(bytes).into() };
        let data = json!({
            "path": { "text": print::path(self.path) },
            "name": text(occurrence.name),
            "value": occurrence.value.map(text),
            "values": occurrence.value_count,
            "series": occurrence.series_count,
        });
        writeln!(self.buffer, "{}", typed("label", json!({ "data": data })))
    }

    /// Prints the collected text on standard output.
    fn publish(&self, tally: &Tally<'_>) -> Room {
        tally.out.print(&self.buffer).unwrap_or_else(|error| {
            tally.lose(error);
            Room::Full
        })
    }

    /// Prints what only the end of a search knows: paths and counts.
    fn finish(&mut self) -> io::Result<()> {
        let options = &self.call.options;
        let Mode::Search(find) = self.call.mode else { return Ok(()) };
        let end: &[u8] = if options.null { b"\0" } else { b"\n" };
        match find {
            _ if options.quiet => Ok(()),
            Find::FilesWith if self.count > 0 => self.write_path(end),
            Find::FilesWithout if self.count == 0 => self.write_path(end),
            Find::Count | Find::CountMatches if self.count > 0 || options.include_zero => {
                if self.call.with_filename {
                    self.write_path(if options.null { b"\0" } else { b":" })?;
                }
                writeln!(self.buffer, "{}", self.count)
            }
            _ => Ok(()),
        }
    }

    fn write_path(&mut self, end: &[u8]) -> io::Result<()> {
        self.buffer.set_color(self.call.colors.path())?;
        write!(self.buffer, "{}", self.path.display())?;
        self.buffer.reset()?;
        self.buffer.write_all(end)
    }
}

/// Ranges of the matches in a label as it is printed: in its value or name, or as a whole. None if the text that
/// matches is not printed as it is.
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
