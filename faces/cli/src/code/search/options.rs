//! What `manicule code search` takes.

use std::io::{self, IsTerminal as _};
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use manicule::code::search::{RankLimits, RankOptions, Scoring, Unit};
use termcolor::ColorChoice;

use crate::code::show::{Listing, Style};
use crate::command::flag::set;
use crate::command::spec::spec;
use crate::command::{Flag, FlagValue, cores, shared};
use crate::picture::{color, colors_are_wanted};
use crate::table::format::Sheet;
use crate::table::listed::{Listed, with_sheet};

pub(super) static FLAGS: &[Flag<Options>] = with_sheet![
    shared::FILES_WITH_MATCHES.does(set!(|o| o.listing = Listing::Names)),
    shared::COUNT_LINES.does(set!(|o| o.listing = Listing::Counts)),
    shared::JSON
        .here("Print one JSON object per line, as ripgrep does, with repository, language, branches and scores.")
        .does(set!(|o| o.listing = Listing::Json)),
    spec("chunks", "", "With --json, print chunks of lines: matches whose lines overlap are in one.")
        .more("-C adds lines around.")
        .sets(|o| &mut o.chunks),
    spec("sort", "", "Order of the documents.")
        .takes("SORTBY")
        .choices(&[("none", "that of shards and documents"), ("score", "the best first")])
        .more("Default: none.")
        .does(set!(|o, value| o.sort = Some(value.choice(&[Sort::None, Sort::Score])?))),
    spec("bm25", "", "Score by how often words occur, not by where they are.")
        .more("Sorts by score.")
        .sets(|o| &mut o.bm25),
    spec("max-docs", "", "Print the NUM best documents of all.")
        .takes("NUM")
        .more("Sorts by score.")
        .does(set!(|o, value| o.max_documents = Some(count(&value)?))),
    spec("max-matches", "", "Print the NUM first matches of the best documents.")
        .takes("NUM")
        .more("Sorts by score; within a document the best lines stay.")
        .does(set!(|o, value| o.max_matches = Some(count(&value)?))),
    shared::AFTER_CONTEXT.does(set!(|o, value| o.after = context(&value)?)),
    shared::BEFORE_CONTEXT.does(set!(|o, value| o.before = context(&value)?)),
    shared::CONTEXT.does(|o, value| {
        o.before = context(&value)?;
        o.after = o.before;
        Ok(())
    }),
    shared::HEADING.does(set!(|o, value| o.heading = Some(value.on))),
    shared::COLOR.does(set!(|o, value| o.color = Some(color(&value)?))),
    shared::LIMIT
        .here("Print at most NUM lines or names: the first in the order of shards and documents.")
        .does(set!(|o, value| o.limit = value.number()?)),
    spec("deadline", "", "Stop after this time: 500ms, 5s, 1m.")
        .takes("TIME")
        .does(set!(|o, value| o.deadline = Some(time(value.text()?)?))),
    shared::THREADS.does(set!(|o, value| o.threads = value.threads()?)),
    shared::RECEIPT
        .more("On standard error; with --json in the last object. Also counts documents that are not indexed.")
        .sets(|o| &mut o.receipt),
];

/// Order of the documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sort {
    None,
    Score,
}

pub(super) struct Options {
    pub(super) query: String,
    pub(super) paths: Vec<PathBuf>,
    pub(super) listing: Listing,
    pub(super) limit: u64,
    pub(super) deadline: Option<Duration>,
    pub(super) threads: usize,
    pub(super) receipt: bool,
    pub(super) sheet: Sheet,
    chunks: bool,
    sort: Option<Sort>,
    bm25: bool,
    max_documents: Option<usize>,
    max_matches: Option<usize>,
    /// `None`: as for a terminal.
    color: Option<ColorChoice>,
    /// `None`: on a terminal.
    heading: Option<bool>,
    before: usize,
    after: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            query: String::new(),
            paths: Vec::new(),
            listing: Listing::Lines,
            limit: u64::MAX,
            deadline: None,
            threads: cores(),
            receipt: false,
            sheet: Sheet::default(),
            chunks: false,
            sort: None,
            bm25: false,
            max_documents: None,
            max_matches: None,
            color: None,
            heading: None,
            before: 0,
            after: 0,
        }
    }
}

impl Options {
    /// The limits of an answer that is sorted by score, if it is to be.
    pub(super) fn ranked(&self) -> Option<RankLimits> {
        let is_ranked = self.sort == Some(Sort::Score) || self.wants_scores();
        is_ranked.then_some(RankLimits { documents: self.max_documents, matches: self.max_matches })
    }

    fn wants_scores(&self) -> bool {
        self.bm25 || self.max_documents.is_some() || self.max_matches.is_some()
    }

    pub(super) fn scores(&self) -> RankOptions {
        RankOptions {
            scoring: if self.bm25 { Scoring::Frequency } else { Scoring::Place },
            unit: if self.chunks { Unit::Chunks { context: self.before } } else { Unit::Lines },
        }
    }

    /// The lines or documents as a table.
    pub(super) fn listed(&self) -> Listed {
        let table = if self.listing == Listing::Names { "code.documents" } else { "code.lines" };
        Listed::of(table, self.paths.clone())
            .with("query", [&self.query])
            .limit(Some(self.limit).filter(|limit| *limit < u64::MAX))
            .threads(Some(self.threads))
            .refuse(&[
                ("--count", self.listing == Listing::Counts),
                ("--json", self.listing == Listing::Json),
                ("--sort", self.sort == Some(Sort::Score)),
                ("--bm25", self.bm25),
                ("--max-docs", self.max_documents.is_some()),
                ("--max-matches", self.max_matches.is_some()),
                ("--after-context", self.after > 0),
                ("--before-context", self.before > 0),
                ("--heading", self.heading.is_some()),
                ("--color", self.color.is_some()),
                ("--deadline", self.deadline.is_some()),
                ("--receipt", self.receipt),
            ])
    }

    pub(super) fn style(&self) -> Style {
        if self.listing == Listing::Json {
            return Style::PLAIN;
        }
        let is_terminal = io::stdout().is_terminal();
        Style {
            color: colors_are_wanted(self.color.unwrap_or(ColorChoice::Auto)),
            heading: self.listing == Listing::Lines && self.heading.unwrap_or(is_terminal),
            before: self.before,
            after: self.after,
        }
    }
}

pub(super) fn finish(mut options: Options) -> Result<Options> {
    if options.chunks {
        if options.listing != Listing::Json {
            bail!("--chunks is of --json: add that");
        }
        if options.before != options.after {
            bail!("--chunks has as many lines before a match as after it: write -C");
        }
    } else if options.listing == Listing::Json && (options.before > 0 || options.after > 0) {
        bail!("--json has the lines that match alone: leave out -A, -B and -C, or add --chunks");
    }
    if options.sort == Some(Sort::None) && options.wants_scores() {
        bail!("--bm25, --max-docs and --max-matches sort by score: leave out --sort none");
    }
    if options.paths.is_empty() {
        options.paths.push(PathBuf::from("."));
    }
    Ok(options)
}

fn count(value: &FlagValue) -> Result<usize> {
    Ok(usize::try_from(value.number::<u64>()?).unwrap_or(usize::MAX))
}

fn context(value: &FlagValue) -> Result<usize> {
    // No text has more lines.
    Ok(usize::try_from(value.number::<u64>()?).unwrap_or(usize::MAX / 2).min(usize::MAX / 2))
}

/// A time with its unit.
fn time(text: &str) -> Result<Duration> {
    let digits = text.trim_end_matches(|last: char| last.is_ascii_alphabetic());
    let unit_ms = match &text[digits.len()..] {
        "ms" => 1.0,
        "s" | "" => 1e3,
        "m" | "min" => 60e3,
        _ => bail!("{text:?} is no time: a number, and ms, s or m after it"),
    };
    let number: f64 = digits.parse().with_context(|| format!("{text:?} is no time"))?;
    Duration::try_from_secs_f64(number * unit_ms / 1e3)
        .with_context(|| format!("{text:?} is no time"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        assert_eq!(time("500ms").unwrap(), Duration::from_millis(500));
        assert_eq!(time("2").unwrap(), Duration::from_secs(2));
        assert_eq!(time("1.5m").unwrap(), Duration::from_secs(90));
        for wrong in ["", "s", "-1s", "1h", "nans"] {
            assert!(time(wrong).is_err(), "{wrong}");
        }
    }
}
