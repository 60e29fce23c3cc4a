//! `manicule blobs history`: every version of a path over all snapshots.

use std::io::Write;
use std::os::unix::ffi::OsStringExt;

use anyhow::{Context, Result, bail};
use manicule::blobs::history::{Entry, HistoryReport, VersionRow};
use manicule::blobs::json::HistoryVersion;
use manicule::blobs::{Ahead, HistoryAsked, HistoryCall, Kept, Repository, Snapshots};
use manicule::output::put_whole;
use manicule::watch::Watch;

use super::repo::{Repo, with_index};
use crate::command::flag::set;
use crate::command::spec::spec;
use crate::command::{Command, Declared, Does, Flag, Help, Operand, Usage, exit, shared};
use crate::messages::say;
use crate::print::{Print, Reader};
use crate::progress::{Signals, watched};
use crate::table::format::Sheet;
use crate::table::listed::{Listed, with_sheet};
use crate::units::{counted, human_len};

pub(super) static COMMAND: Command = Command {
    name: "history",
    operands: "PATH",
    summary: "list every version of a file over all snapshots",
    help: Help {
        calls: &[Usage {
            words: "[OPTIONS] PATH",
            about: "\
Lists every version of a file, folder or link: its first snapshot, its last, and its size. PATH is absolute, as `ls` shows it. A
version ends where content, link target or kind change, not where only times do. Each host has versions of its own.",
        }],
        notes: "\
Snapshots of other paths are skipped: there the file is neither present nor absent.",
        exit: "0 when a snapshot has the path, 1 when none has it, 2 when something can't be read or failed: then there are no versions.",
    },
    does: Does::Job(&JOB),
};

static JOB: Declared<Options> = Declared::of(FLAGS, finish, Reader::Needed, answer)
    .at_addresses()
    .taking(&[Operand::Word(set!(|o, word| o.path = word.into_vec()))]);

static FLAGS: &[Flag<Options>] = with_sheet!(with_index![
    spec("new", "", "Also show which blobs were new to the whole repository; walks all trees.")
        .sets(|o| &mut o.new),
    spec("write", "", "Write the content of the version in line NUM.")
        .takes("NUM")
        .more("To standard output, or to the --output file.")
        .does(set!(|o, value| o.write = Some(value.number()?))),
    spec("sha256", "", "Also show the SHA-256 of each version's content, which is read.")
        .sets(|o| &mut o.sha256),
    shared::JSON.sets(|o| &mut o.json),
]);

#[derive(Default)]
struct Options {
    repo: Repo,
    path: Vec<u8>,
    new: bool,
    sha256: bool,
    write: Option<usize>,
    json: bool,
    /// Its file is that of a version with `--write`, otherwise that of the table.
    sheet: Sheet,
}

/// Number of paths of snapshots that are named.
const SHOWN_MAX: usize = 5;

fn finish(options: Options) -> Result<Options> {
    if !options.path.starts_with(b"/") {
        let path = String::from_utf8_lossy(&options.path);
        bail!("a path begins with /, as snapshots have it: {path}");
    }
    if options.write.is_none() && !options.sheet.is_plain() && options.sheet.format()?.is_none() {
        bail!("--output is for a version, --write says which; or for a table, --format says how");
    }
    Ok(options)
}

/// The versions as a table.
fn listed(call: &Options) -> Result<Listed> {
    let path = str::from_utf8(&call.path).context("a table is asked for a path in UTF-8")?;
    let dear = [("new_bytes", call.new), ("sha256", call.sha256)];
    let dear = dear.into_iter().filter(|(_, is_asked)| *is_asked).map(|(name, _)| name);
    let listed = call.repo.listed("blobs.versions")?.with("file", [path]).dear(dear);
    Ok(listed.refuse(&[("--write", call.write.is_some()), ("--json", call.json)]))
}

fn answer(call: &Options, out: &mut Print) -> Result<u8> {
    if call.sheet.is_format_given() || (call.write.is_none() && !call.sheet.is_plain()) {
        return listed(call)?.print(&call.sheet, out);
    }
    call.repo.ask(Ahead::Index, out, |open, out| answer_of(call, open, out))
}

fn answer_of(call: &Options, open: &Repository, out: &mut Print) -> Result<u8> {
    let asked = HistoryAsked { new_to_repository: call.new, sha256: call.sha256 };
    let asked = HistoryCall { path: call.path.clone(), asked };
    let (snapshots, report) = watched(call.repo.show(), Signals::Noted, |watch| {
        let snapshots = open.snapshots(watch)?;
        let report = open.history(&snapshots, &asked, watch)?;
        Ok::<_, anyhow::Error>((snapshots, report))
    })?;
    if is_broken(&snapshots, &report) {
        return Ok(exit::FAILED);
    }
    out.in_pages();
    if let Some(number) = call.write {
        let at = number.checked_sub(1).and_then(|at| report.versions.get(at));
        let count = report.versions.len();
        let row = at.with_context(|| format!("there is no version {number}: there are {count}"))?;
        return put_version(call, open, row, out);
    }
    for row in &report.versions {
        let version = HistoryVersion { row, kept: &snapshots.kept };
        if call.json { out.line(version)? } else { writeln!(out, "{}", as_text(&version))? }
    }
    let unread = report.versions.iter().filter_map(|row| row.sha256.as_ref()?.as_ref().err());
    let unread = unread.inspect(|why| say(why)).count();
    if unread > 0 {
        return Ok(exit::FAILED);
    }
    if report.versions.is_empty() {
        say(&elsewhere(&call.path, &snapshots.kept));
    }
    Ok(exit::if_any(is_anywhere(&report)))
}

/// Whether a snapshot, or what the path is in one, can't be read: said of each. Any version may
/// begin or end there.
fn is_broken(snapshots: &Snapshots, report: &HistoryReport) -> bool {
    snapshots.broken.iter().for_each(|error| say(error));
    let mut unknown = 0;
    for row in &report.versions {
        if let Entry::Unknown { why } = &row.version.entry {
            say(why);
            unknown += 1;
        }
    }
    unknown > 0 || !snapshots.broken.is_empty()
}

fn put_version(call: &Options, open: &Repository, row: &VersionRow, out: &mut Print) -> Result<u8> {
    let write = |out: &mut dyn Write, watch: &Watch<'_>| -> Result<()> {
        Ok(open.write_version(&row.version, watch, out)?)
    };
    match &call.sheet.output {
        None => write(out, &Watch::none())?,
        Some(path) => watched(call.repo.show(), Signals::Noted, |watch| {
            put_whole(path, |out| write(out, watch))
        })
        .with_context(|| path.display().to_string())?,
    }
    Ok(exit::DONE)
}

/// What snapshots were made of, where none was made of the path.
fn elsewhere(path: &[u8], kept: &[Kept]) -> String {
    let mut paths: Vec<&str> =
        kept.iter().flat_map(|kept| kept.snapshot.paths()).map(String::as_str).collect();
    paths.sort_unstable();
    paths.dedup();
    let more = if paths.len() > SHOWN_MAX { ", and others" } else { "" };
    paths.truncate(SHOWN_MAX);
    let (path, of) = (String::from_utf8_lossy(path), paths.join(", "));
    format!("no snapshot was made of {path}; they were made of {of}{more}")
}

fn is_anywhere(report: &HistoryReport) -> bool {
    report.versions.iter().any(|row| matches!(row.version.entry, Entry::Is(_)))
}

fn as_text(of: &HistoryVersion<'_>) -> String {
    let (first, last, row) = (of.first(), of.last(), of.row);
    let version = &row.version;
    let since = first.snapshot.time;
    let what = match &version.entry {
        Entry::Is(node) if node.kind_word == "file" => {
            let new = counted(version.new_to_path.len() as u64, "new blob");
            format!("file, {}, {new}", human_len(node.size))
        }
        _ => of.state().to_owned(),
    };
    let count = counted(version.snapshots.len() as u64, "snapshot");
    let (from, to) = (first.id.short(), last.id.short());
    let hash = row.sha256.as_ref().and_then(|hash| hash.as_ref().ok());
    let hash = hash.map_or(String::new(), |hash| format!("  {hash}"));
    format!("{since}  {}  {from}..{to} ({count})  {what}{hash}", version.hostname)
}
