//! `manicule blobs find`: files and folders of snapshots by patterns of their paths, or by the
//! blobs, trees and packs that they need.

use std::os::unix::ffi::OsStringExt;

use anyhow::{Context, Result, bail};
use manicule::blobs::find::{FindBy, FindForm, Moment};
use manicule::blobs::{Ahead, FindCall, Repository};

use super::choice::{Choice, with_choice};
use super::found::Found;
use super::repo::Repo;
use crate::command::flag::set;
use crate::command::spec::spec;
use crate::command::{Command, Declared, Does, Flag, Help, Operand, Usage, exit, shared};
use crate::messages::say;
use crate::print::{Print, Reader};
use crate::progress::{Signals, watched};

pub(super) static COMMAND: Command = Command {
    name: "find",
    operands: "ID|PATH|GLOB...",
    summary: "find the snapshots and files that have a path, or use a blob, tree or pack",
    help: Help {
        calls: &[Usage {
            words: "[OPTIONS] ID|PATH|GLOB...",
            about: "\
Lists files and folders whose paths match, snapshot by snapshot, the newest first, as `restic find` does. A pattern matches names,
`*.c`; several with slashes between them, `src/*.c`; from the root with a leading slash, `/home/*/src`; `**` is any number of
names. Everything below a match matches, too. A word of 8 to 64 hexadecimal digits that is the prefix of the id of a blob, tree or
pack of the index is taken as that id: lists its locations in packs, and all files and folders that use it.",
        }],
        notes: "\
Times are in UTC, those of --oldest and --newest too unless they have a time zone. With --tree the search of a snapshot ends, as
restic's does, once as many trees were found as were given; the word alone, without --tree, finds all. Digits that match no index
entry are searched as ids that trees refer to, and then as a pattern. What can't be read is reported on standard error.",
        exit: "0 when something was found, 1 when nothing was, 2 when a tree can't be read or something failed.",
    },
    does: Does::Job(&JOB),
};

static JOB: Declared<Options, Call> = Declared::of(FLAGS, finish, Reader::Needed, answer)
    .at_addresses()
    .taking(&[Operand::Words(set!(|o, word| o.words.push(word.into_vec())))]);

static FLAGS: &[Flag<Options>] = with_choice![
    spec("blob", "", "Take the arguments as ids of data blobs.").sets(|o| &mut o.blob),
    spec("tree", "", "Take the arguments as ids of trees.").sets(|o| &mut o.tree),
    spec("pack", "", "Take the arguments as ids of packs: find all blobs and trees in them.")
        .sets(|o| &mut o.pack),
    shared::IGNORE_CASE.here("Ignore case in patterns.").sets(|o| &mut o.ignore_case),
    spec("newest", "N", "Only files modified at TIME or before.")
        .takes("TIME")
        .more(
            "2006-01-02 or 02.01.2006, optionally followed by 15:04 or 15:04:05 and -0700, or RFC 3339."
        )
        .does(set!(|o, value| o.newest = Some(moment(value.text()?)?))),
    spec("oldest", "O", "Only files modified at TIME or later.")
        .takes("TIME")
        .does(set!(|o, value| o.oldest = Some(moment(value.text()?)?))),
    spec("snapshot", "s", "Search this snapshot: an id prefix, or latest.")
        .takes("ID")
        .more("May be repeated.")
        .does(set!(|o, value| o.snapshots.push(value.text()?.to_owned()))),
    spec("long", "l", "Also show mode, owner, group, size and time.").sets(|o| &mut o.long),
    spec("human-readable", "", "Show sizes with units.").sets(|o| &mut o.human),
    spec("reverse", "R", "List the oldest snapshot first.").sets(|o| &mut o.reverse),
    spec("show-pack-id", "", "Also show the packs that the blobs are in.").sets(|o| &mut o.packs),
    spec("json", "", "Print one list of objects, as restic does.").sets(|o| &mut o.json),
];

#[derive(Default)]
struct Options {
    repo: Repo,
    words: Vec<Vec<u8>>,
    blob: bool,
    tree: bool,
    pack: bool,
    ignore_case: bool,
    newest: Option<Moment>,
    oldest: Option<Moment>,
    snapshots: Vec<String>,
    choice: Choice,
    long: bool,
    human: bool,
    reverse: bool,
    packs: bool,
    json: bool,
}

struct Call {
    repo: Repo,
    find: FindCall,
}

fn moment(text: &str) -> Result<Moment> {
    Moment::parse_option(text)
        .with_context(|| format!("{text:?} is no time: wanted such as 2006-01-02 15:04:05"))
}

fn finish(options: Options) -> Result<Call> {
    if let (Some(oldest), Some(newest)) = (options.oldest, options.newest)
        && oldest > newest
    {
        bail!("--oldest is after --newest: nothing was changed in such a time");
    }
    let by = match (options.blob, options.tree, options.pack) {
        (false, false, false) => FindBy::Word,
        (true, false, false) => FindBy::Blob,
        (false, true, false) => FindBy::Tree,
        (false, false, true) => FindBy::Pack,
        _ => bail!("--blob, --tree and --pack exclude each other"),
    };
    let form = match (options.json, options.long) {
        (true, _) => FindForm::Json,
        (false, true) => FindForm::Long { is_human: options.human },
        (false, false) => FindForm::Path,
    };
    let find = FindCall {
        words: options.words,
        by,
        snapshots: options.snapshots,
        filter: options.choice.filter(),
        oldest_first: options.reverse,
        ignores_case: options.ignore_case,
        oldest: options.oldest,
        newest: options.newest,
        form,
        places: options.packs,
    };
    Ok(Call { repo: options.repo, find })
}

fn answer(call: &Call, out: &mut Print) -> Result<u8> {
    call.repo.ask(Ahead::Index, out, |open, out| answer_of(call, open, out))
}

fn answer_of(call: &Call, open: &Repository, out: &mut Print) -> Result<u8> {
    out.in_pages();
    let mut found = Found::new(&call.find);
    let broken = watched(call.repo.show(), Signals::Noted, |watch| {
        let snapshots = open.snapshots(watch)?;
        open.find(&snapshots, &call.find, watch, |row| {
            found.row(row, out).context("standard output")
        })?;
        Ok::<_, anyhow::Error>(snapshots.broken)
    })?;
    found.finish(out)?;
    broken.iter().for_each(|error| say(error));
    let is_broken = found.is_broken() || !broken.is_empty();
    Ok(if is_broken { exit::FAILED } else { exit::if_any(found.is_any()) })
}
