//! SSTables among the paths of a call: keys, clusterings and values in place of lines.
//!
//! Each SSTable is searched by itself, and what it holds is printed as CQL writes it:
//!
//! ```text
//! users/me-1-big-Data.db: 'anvil'
//! users/me-1-big-Data.db: 'anvil' (2026, 'x') note = 'as light as an anvil'
//! users/me-1-big-Data.db: 'anvil' static owner = 'anvil works'
//! ```

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::ops::Range;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Result, bail};
use manicule::rows::{FindCall, FindCounts, Found, FoundRow, Open, OpenCall, Sstable, find, open};
use serde_json::json;

use super::joint::{Done, Job, Searched};
use super::page::{FilesFlag, Page, asks_for_files, asks_for_lines, lets_in};
use super::texts::Texts;
use crate::find::call::Call;
use crate::find::matcher::Matcher;
use crate::find::output::Room;
use crate::find::tally::Tally;
use crate::flags::{Find, Mode, Sort, SortKey};
use crate::messages::{Messages, in_words, say};
use crate::print::{self, typed};
use crate::progress::{Show, Signals, watched};

/// The tables of a call.
#[derive(Default)]
pub(super) struct Tables {
    opened: Vec<(PathBuf, Open)>,
    is_reversed: bool,
}

impl Searched for Tables {
    fn open(&mut self, paths: &[PathBuf], call: &Call, messages: &Messages) -> Result<()> {
        for path in paths {
            match open(&OpenCall::new(path.clone())) {
                Ok(opened) => {
                    if messages.shows() && !call.options.quiet {
                        let out = opened.left_out.iter();
                        out.for_each(|out| {
                            say(&format_args!("{}: {}", out.path.display(), out.why));
                        });
                    }
                    self.opened.push((path.clone(), opened));
                }
                Err(error) => messages.failure(&error),
            }
        }
        let by_file = || asks_for_files(call, &[FilesFlag::Size]);
        if let Some(flag) = asks_for_lines(call).or_else(by_file) {
            bail!("{flag}: an SSTable has keys and values, no lines or files");
        }
        match call.options.sort {
            None => {}
            Some(Sort { key: SortKey::Path, reverse }) => {
                self.opened.sort_by(|left, right| left.0.cmp(&right.0));
                self.is_reversed = reverse;
            }
            Some(_) => bail!("SSTables can be sorted by path only"),
        }
        Ok(())
    }

    fn visit(&self, job: &Job<'_>) -> Result<Done> {
        let mut counts = FindCounts::default();
        let sstables = self.opened.iter().flat_map(|(path, opened)| {
            let let_in = move |sstable: &&Sstable| lets_in(job.call, path, sstable.path());
            opened.sstables.iter().filter(let_in).map(move |sstable| (opened, sstable))
        });
        let mut sstables: Vec<_> = sstables.collect();
        if self.is_reversed {
            sstables.reverse();
        }
        for (opened, sstable) in sstables {
            if job.is_over() {
                break;
            }
            job.tally.visit();
            let mut page = Page::new(job.call, sstable.path(), job.tally);
            match job.matcher {
                Some(matcher) => {
                    answer(&mut page, opened, sstable, matcher, &mut counts, job.tally)?;
                }
                None => page.list()?,
            }
            if page.publish(job.tally) == Room::Full {
                break;
            }
        }
        Ok(Done { receipt: counts.fields(), ..Done::default() })
    }
}

/// Searches an SSTable, and counts the matches.
fn answer(
    page: &mut Page<'_>,
    opened: &Open,
    sstable: &Sstable,
    matcher: &Matcher,
    counts: &mut FindCounts,
    tally: &Tally<'_>,
) -> Result<()> {
    let started = Instant::now();
    let before = counts.data_len;
    if let Err(error) = search(page, opened, sstable, matcher, counts, tally) {
        tally.messages.failure(&in_words(&error));
    }
    Ok(page.end(counts.data_len - before, started.elapsed(), tally)?)
}

fn search(
    page: &mut Page<'_>,
    opened: &Open,
    sstable: &Sstable,
    matcher: &Matcher,
    counts: &mut FindCounts,
    tally: &Tally<'_>,
) -> Result<()> {
    let texts = Texts::new(matcher);
    let is_match = |text: &[u8]| texts.is_match(text);
    let asked = FindCall { is_match: &is_match, is_inverted: page.call.options.invert_match };
    let mut failed = Ok(());
    let show = if page.call.options.quiet { Show::Nothing } else { Show::Progress };
    watched(show, Signals::Plain, |watch| {
        find(opened, sstable, &asked, counts, watch, &mut |found| {
            page.count += 1;
            failed = page
                .count_matches(|| matches_in(&shown(found), found, matcher))
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
            let text = shown(found);
            let is_colored = page.is_colored();
            let matches = if is_colored { matches_in(&text, found, matcher)? } else { Vec::new() };
            page.write_text(text.as_bytes(), matches)?;
            writeln!(page.buffer)
        }
        _ => Ok(()),
    }
}

/// `'anvil' (2026, 'x') note = 'text'`, on one line whatever the texts hold.
fn shown(found: &Found<'_>) -> String {
    let mut text = one_line(found.key).into_owned();
    // A String takes everything.
    let _ = match found.row {
        FoundRow::None => Ok(()),
        FoundRow::Static => write!(text, " static"),
        FoundRow::Row(row) => write!(text, " {}", one_line(row)),
    };
    if let Some((column, value)) = found.cell {
        let _ = write!(text, " {} = {}", one_line(column), one_line(value));
    }
    text
}

/// A text without control characters: those are escaped.
fn one_line(text: &str) -> Cow<'_, str> {
    if !text.contains(char::is_control) {
        return text.into();
    }
    let escaped = |char: char| {
        if char.is_control() { char.escape_default().to_string() } else { char.to_string() }
    };
    text.chars().map(escaped).collect::<String>().into()
}

/// Ranges of the matches in the part of a line that matches: the value, the clustering or the key.
fn matches_in(text: &str, found: &Found<'_>, matcher: &Matcher) -> io::Result<Vec<Range<usize>>> {
    let part = match (found.cell, found.row) {
        (Some((column, value)), _) => one_line(column).len() + 3 + one_line(value).len(),
        (None, FoundRow::Row(row)) => one_line(row).len(),
        (None, _) => text.len(),
    };
    let start = text.len() - part;
    let found = matcher.matches(&text.as_bytes()[start..])?;
    Ok(found.into_iter().map(|range| range.start + start..range.end + start).collect())
}

fn print_json(page: &mut Page<'_>, found: &Found<'_>) -> io::Result<()> {
    let row = match found.row {
        FoundRow::Row(row) => Some(row),
        FoundRow::None | FoundRow::Static => None,
    };
    let data = json!({
        "path": { "text": print::path(page.path) },
        "key": found.key,
        "row": row,
        "static": found.row == FoundRow::Static,
        "column": found.cell.map(|(column, _)| column),
        "value": found.cell.map(|(_, value)| value),
    });
    writeln!(page.buffer, "{}", typed("cell", json!({ "data": data })))
}
