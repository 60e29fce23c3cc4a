//! `manicule blobs ls`: the paths of a snapshot.

use std::ffi::OsString;
use std::io::Write;
use std::os::unix::ffi::OsStringExt;

use anyhow::{Context, Result, bail};
use manicule::blobs::choose::snapshot_at;
use manicule::blobs::snapshots::in_words;
use manicule::blobs::{Ahead, LsCall, LsForm, LsOrder, Repository};

use super::choice::{Choice, snapshot_and_folder, with_choice};
use super::repo::Repo;
use crate::command::flag::set;
use crate::command::spec::spec;
use crate::command::{Command, Declared, Does, Flag, Help, Operand, Usage, exit, shared};
use crate::messages::say;
use crate::print::{Print, Reader};
use crate::progress::{Signals, watched};
use crate::table::format::Sheet;
use crate::table::listed::{Listed, with_sheet};

pub(super) static COMMAND: Command = Command {
    name: "ls",
    operands: "SNAPSHOT[:FOLDER] [PATH...]",
    summary: "list the paths of a snapshot",
    help: Help {
        calls: &[Usage {
            words: "[OPTIONS] SNAPSHOT[:FOLDER] [PATH...]",
            about: "\
Lists the paths of a snapshot, as `restic ls` does: all of them, or each PATH with its direct children; with FOLDER those below
that folder, which is then the root. SNAPSHOT is an id prefix, or latest. The first line names the snapshot; --quiet leaves it
out.",
        }],
        notes: "\
A name may have any bytes, and one with a line break takes two lines: with --json there is one object per path, in restic's form.
Times are in UTC.",
        exit: "0 when a path was listed, 1 when there is none, 2 when a tree can't be read or something failed.",
    },
    does: Does::Job(&JOB),
};

static JOB: Declared<Options, Call> =
    Declared::of(FLAGS, finish, Reader::Needed, answer).at_addresses().taking(&[
        Operand::Word(set!(|o, word| o.snapshot = word)),
        Operand::Words(set!(|o, word| o.paths.push(word.into_vec()))),
    ]);

static FLAGS: &[Flag<Options>] = with_sheet!(with_choice![
    spec("recursive", "R", "Also list everything below each PATH.").sets(|o| &mut o.recursive),
    spec("long", "l", "Also show mode, owner, group, size and time.").sets(|o| &mut o.long),
    spec("human-readable", "", "Show sizes with units.").sets(|o| &mut o.human),
    spec("sort", "s", "Sort the paths by WHAT, then by path.")
        .takes("WHAT")
        .one_of(&["name", "size", "time", "mtime", "atime", "ctime", "extension"])
        .more("`time` is `mtime`. Default: name, a folder before its contents.")
        .does(set!(|o, value| o.order = Some(value.choice(&ORDERS)?))),
    spec("reverse", "", "Reverse the order.").sets(|o| &mut o.reverse),
    spec("ncdu", "", "Print one list that `ncdu -f` shows.").sets(|o| &mut o.ncdu),
    shared::JSON.more("The first object is the snapshot.").sets(|o| &mut o.json),
]);

const ORDERS: [LsOrder; 7] = [
    LsOrder::Name,
    LsOrder::Size,
    LsOrder::Mtime,
    LsOrder::Mtime,
    LsOrder::Atime,
    LsOrder::Ctime,
    LsOrder::Extension,
];

#[derive(Default)]
struct Options {
    repo: Repo,
    choice: Choice,
    snapshot: OsString,
    paths: Vec<Vec<u8>>,
    recursive: bool,
    long: bool,
    human: bool,
    order: Option<LsOrder>,
    reverse: bool,
    ncdu: bool,
    json: bool,
    sheet: Sheet,
}

struct Call {
    repo: Repo,
    choice: Choice,
    snapshot: String,
    /// What the first line names beside the snapshot.
    filters: Vec<Vec<u8>>,
    ls: LsCall,
    sheet: Sheet,
}

fn finish(options: Options) -> Result<Call> {
    let (snapshot, below) = snapshot_and_folder(options.snapshot);
    let Options { repo, choice, paths, recursive, reverse, sheet, .. } = options;
    if let Some(path) = paths.iter().find(|path| !path.starts_with(b"/")) {
        bail!("a path begins with /, as snapshots have it: {}", String::from_utf8_lossy(path));
    }
    let form = match (options.json, options.ncdu, options.long) {
        (true, true, _) => bail!("one of --json and --ncdu is taken at a time"),
        (true, false, _) => LsForm::Json,
        (false, true, _) => LsForm::Ncdu,
        (false, false, true) => LsForm::Long { is_human: options.human },
        (false, false, false) => LsForm::Path,
    };
    let order = options.order.unwrap_or(LsOrder::Name);
    if form == LsForm::Ncdu && (reverse || order != LsOrder::Name) {
        bail!("--ncdu has an order of its own: leave out --sort and --reverse");
    }
    let filters = paths.clone();
    let ls = LsCall { below, paths, recursive, form, order, reverse };
    Ok(Call { repo, choice, snapshot, filters, ls, sheet })
}

/// The paths as a table, whose rows have a form and an order of their own.
fn listed(call: &Call) -> Result<Listed> {
    let LsCall { below, paths, recursive, form, order, reverse } = &call.ls;
    let filter = call.choice.filter();
    // Of other snapshots they say nothing.
    let is_latest = call.snapshot == "latest";
    let path = |path: &Vec<u8>| String::from_utf8(path.clone());
    let below_paths: Vec<String> = paths
        .iter()
        .map(path)
        .collect::<Result<_, _>>()
        .context("a table is asked for paths that are valid UTF-8")?;
    let listed = call.repo.listed("blobs.files")?.with("snapshots", [&call.snapshot]);
    Ok(listed.with("below", below_paths).refuse(&[
        ("FOLDER", !below.is_empty()),
        ("PATH without --recursive", !paths.is_empty() && !recursive),
        ("--long", matches!(form, LsForm::Long { .. })),
        ("--json", *form == LsForm::Json),
        ("--ncdu", *form == LsForm::Ncdu),
        ("--sort", *order != LsOrder::Name),
        ("--reverse", *reverse),
        ("--host or RESTIC_HOST", is_latest && !filter.hosts.is_empty()),
        ("--tag", is_latest && !filter.tags.is_empty()),
        ("--path", is_latest && !filter.paths.is_empty()),
    ]))
}

fn answer(call: &Call, out: &mut Print) -> Result<u8> {
    if !call.sheet.is_plain() {
        return listed(call)?.print(&call.sheet, out);
    }
    call.repo.ask(Ahead::Index, out, |open, out| answer_of(call, open, out))
}

fn answer_of(call: &Call, open: &Repository, out: &mut Print) -> Result<u8> {
    out.in_pages();
    let is_text = matches!(call.ls.form, LsForm::Path | LsForm::Long { .. });
    let (mut listed, mut is_broken) = (false, false);
    watched(call.repo.show(), Signals::Noted, |watch| {
        let snapshots = open.snapshots(watch)?;
        let at = snapshot_at(&snapshots, &call.snapshot, &call.choice.filter())?;
        let kept = &snapshots.kept[at];
        if is_text && !call.repo.quiet {
            let filters = call.filters.join(&b' ');
            let start = format!("{} filtered by [", in_words(kept)).into_bytes();
            out.write_all(&[&start[..], &filters, b"]:\n"].concat())?;
        }
        open.ls(kept, &call.ls, watch, |line| {
            match line {
                Ok(line) => {
                    listed |= !line.is_empty();
                    out.write_all(line)?;
                }
                Err(why) => {
                    is_broken = true;
                    say(&why);
                }
            }
            Ok::<(), anyhow::Error>(())
        })
    })?;
    Ok(if is_broken { exit::FAILED } else { exit::if_any(listed) })
}
