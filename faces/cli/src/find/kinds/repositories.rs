//! restic repositories among the paths of a call: names of files and folders in place of lines.
//!
//! Each path is printed once, however many snapshots have it:
//!
//! ```text
//! backups: /srv/fleet/anvil/etc/1.conf (5 snapshots, 2026-01-01 90b1ecba to 2026-01-10 de696bad)
//! ```
//!
//! A name is matched; a pattern with `/` in it is looked for in the whole path too, so that a
//! printed path finds itself.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Result, anyhow, bail};
use manicule::blobs::paths::{PathRow, PathsCall, PathsCounts, paths};
use manicule::blobs::{Kept, OpenCall, open};
use manicule::code::shards::find::Admit;
use manicule::watch::Watch;
use serde_json::json;

use super::joint::{Done, Job, Searched};
use super::page::{FilesFlag, Page, asks_for_files, asks_for_lines};
use super::texts::Texts;
use crate::blobs::password_of_variables;
use crate::find::call::Call;
use crate::find::matcher::Matcher;
use crate::find::output::Room;
use crate::find::tally::Tally;
use crate::flags::{Find, Mode, Sort, SortKey};
use crate::messages::{Messages, in_words};
use crate::print::{self, typed};
use crate::units::counted;

/// The repositories of a call.
#[derive(Default)]
pub(super) struct Repositories {
    paths: Vec<PathBuf>,
}

impl Searched for Repositories {
    /// They are opened when they are searched: that takes a password, which a list of paths
    /// doesn't.
    fn open(&mut self, paths: &[PathBuf], call: &Call, _: &Messages) -> Result<()> {
        let by_file = || asks_for_files(call, &[FilesFlag::Depth, FilesFlag::Size]);
        if let Some(flag) = asks_for_lines(call).or_else(by_file) {
            bail!("{flag}: a restic repository has names and paths, no lines or files");
        }
        match call.options.sort {
            None | Some(Sort { key: SortKey::Path, reverse: false }) => {}
            Some(_) => bail!("the paths of a restic repository come in their order only"),
        }
        self.paths = paths.to_vec();
        Ok(())
    }

    fn visit(&self, job: &Job<'_>) -> Result<Done> {
        let mut counts = PathsCounts::default();
        for path in &self.paths {
            if job.is_over() {
                break;
            }
            job.tally.visit();
            let mut page = Page::new(job.call, path, job.tally);
            match job.matcher {
                Some(matcher) => answer(&mut page, path, matcher, &mut counts, job.tally)?,
                None => page.list()?,
            }
            if page.publish(job.tally) == Room::Full {
                break;
            }
        }
        Ok(Done { receipt: counts.fields(), ..Done::default() })
    }
}

/// Searches a repository, and counts the matches.
fn answer(
    page: &mut Page<'_>,
    path: &Path,
    matcher: &Matcher,
    counts: &mut PathsCounts,
    tally: &Tally<'_>,
) -> Result<()> {
    let started = Instant::now();
    match search(page, path, matcher, counts) {
        Ok(gaps) => gaps.iter().for_each(|gap| tally.messages.failure(gap)),
        Err(error) => {
            let error = error.context(path.display().to_string());
            tally.messages.failure(&in_words(&error));
        }
    }
    Ok(page.end(0, started.elapsed(), tally)?)
}

/// With what could not be searched.
fn search(
    page: &mut Page<'_>,
    path: &Path,
    matcher: &Matcher,
    counts: &mut PathsCounts,
) -> Result<Vec<String>> {
    let password = password_of_variables()?.ok_or_else(|| {
        anyhow!(
            "a restic repository, which needs its password: set RESTIC_PASSWORD_FILE, RESTIC_PASSWORD_COMMAND or RESTIC_PASSWORD to search it"
        )
    })?;
    let call = page.call;
    let (path, threads) = (path.to_owned(), call.threads);
    let opened = open(&OpenCall { path, password, key_hint: None, threads, index_cache: None })?;
    let watch = Watch::none();
    let snapshots = opened.snapshots(&watch)?;
    let texts = Texts::new(matcher);
    let is_match = |text: &[u8]| texts.is_match(text);
    let with_paths = call.patterns.iter().any(|pattern| pattern.contains('/'));
    let is_inverted = call.options.invert_match;
    let asked = PathsCall { is_match: &is_match, with_paths, is_inverted };
    let admit = Admit { globs: call.globs.clone(), types: call.types.clone(), max_filesize: None };
    let most = page.matches_max();
    let mut failed = Ok(());
    let gaps = paths(&opened, &snapshots, &asked, counts, &watch, |row| {
        // As of a tree at the root: `-g /srv/a` means what it says.
        if !admit.admits_name(row.path.strip_prefix(b"/").unwrap_or(row.path)) {
            return ControlFlow::Continue(());
        }
        page.count += 1;
        failed = page
            .count_matches(|| matches_in(row.path, matcher))
            .and_then(|()| print(page, &row, matcher));
        if failed.is_ok() && page.count < most {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    })?;
    failed?;
    texts.end()?;
    Ok(gaps)
}

fn print(page: &mut Page<'_>, row: &PathRow<'_>, matcher: &Matcher) -> io::Result<()> {
    match page.call.mode {
        _ if page.call.options.quiet => Ok(()),
        Mode::Search(Find::Json) => print_json(page, row),
        Mode::Search(Find::Lines) => {
            page.begin_row()?;
            let is_colored = page.is_colored();
            let matches = if is_colored { matches_in(row.path, matcher)? } else { Vec::new() };
            page.write_text(row.path, matches)?;
            writeln!(page.buffer, " ({})", snapshots(row))
        }
        _ => Ok(()),
    }
}

/// Ranges of the matches in a path: in its name, or in the whole.
fn matches_in(path: &[u8], matcher: &Matcher) -> io::Result<Vec<std::ops::Range<usize>>> {
    let start = path.iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1);
    let found = matcher.matches(&path[start..])?;
    if found.is_empty() {
        matcher.matches(path)
    } else {
        Ok(found.into_iter().map(|range| range.start + start..range.end + start).collect())
    }
}

/// `1 snapshot, 2026-01-01 90b1ecba`; of several, the first and the last.
fn snapshots(row: &PathRow<'_>) -> String {
    let count = counted(row.snapshot_count as u64, "snapshot");
    match row.snapshot_count {
        1 => format!("{count}, {}", day_and_id(row.first)),
        _ => format!("{count}, {} to {}", day_and_id(row.first), day_and_id(row.last)),
    }
}

fn day_and_id(kept: &Kept) -> String {
    let time = kept.snapshot.time.to_string();
    let day = time.split('T').next().unwrap_or_default();
    format!("{day} {}", kept.id.short())
}

fn print_json(page: &mut Page<'_>, row: &PathRow<'_>) -> io::Result<()> {
    let snapshot =
        |kept: &Kept| json!({ "id": kept.id.to_string(), "time": kept.snapshot.time.to_string() });
    let data = json!({
        "path": { "text": print::path(page.path) },
        "name": String::from_utf8_lossy(row.path),
        "snapshots": row.snapshot_count,
        "first": snapshot(row.first),
        "last": snapshot(row.last),
    });
    writeln!(page.buffer, "{}", typed("snapshot_path", json!({ "data": data })))
}
