//! `manicule blobs ls`: the paths of a snapshot.
//!
//! Callers: blobs

use std::ffi::OsString;
use std::io::Write;
use std::os::unix::ffi::OsStringExt;

use anyhow::{Context, Result, bail};
use manicule::blobs::open::snapshot_at;
use manicule::blobs::{LsCall, ls};

use super::repo::{Repo, with_index};
use crate::command::spec::spec;
use crate::command::{Command, Declared, Does, Flag, Help, Operands, Syntax, Usage, exit, shared};
use crate::messages::say;
use crate::print::{Print, Reader};
use crate::progress::{Show, Signals, watched};

pub(super) static COMMAND: Command = Command {
    name: "ls",
    operands: "SNAPSHOT [PATH...]",
    summary: "the paths of a snapshot",
    help: Help {
        calls: &[Usage {
            words: "[OPTIONS] SNAPSHOT [PATH...]",
            about: "\
The paths of a snapshot: all of them, or each PATH with what lies directly in it. SNAPSHOT is the beginning of an id, or latest.",
        }],
        notes: "\
A name is any bytes, and one with a line break makes two lines: under --json there is one object a path, in restic's form.",
        exit: "0 when a path was listed, 1 when there is none, 2 when a tree can't be read or something failed.",
        ..Help::NONE
    },
    does: Does::Job(&JOB),
};

static JOB: Declared<Options, Call> = Declared {
    syntax: Syntax::gnu(
        FLAGS,
        Operands::Call(|options, word| {
            match &options.snapshot {
                None => options.snapshot = Some(word.to_string_lossy().into_owned()),
                Some(_) => options.paths.push(word),
            }
            Ok(())
        }),
    ),
    new: Options::default,
    finish,
    reader: Reader::Needed,
    answer,
};

static FLAGS: &[Flag<Options>] = with_index![
    spec("recursive", "R", "Also what lies deeper in each PATH.").sets(|o| &mut o.recursive),
    shared::JSON.more("The first is the snapshot.").sets(|o| &mut o.json),
];

#[derive(Default)]
struct Options {
    repo: Repo,
    snapshot: Option<String>,
    paths: Vec<OsString>,
    recursive: bool,
    json: bool,
}

struct Call {
    repo: Repo,
    snapshot: String,
    ls: LsCall,
}

fn finish(options: Options) -> Result<Call> {
    let Options { repo, snapshot, paths, recursive, json } = options;
    let snapshot = snapshot.context("a snapshot is wanted: manicule blobs ls latest")?;
    let paths: Vec<Vec<u8>> = paths.into_iter().map(OsString::into_vec).collect();
    if let Some(path) = paths.iter().find(|path| !path.starts_with(b"/")) {
        bail!("a path begins with /, as snapshots have it: {}", String::from_utf8_lossy(path));
    }
    Ok(Call { repo, snapshot, ls: LsCall { paths, recursive, json } })
}

fn answer(call: &Call, out: &mut Print) -> Result<u8> {
    let open = call.repo.open()?;
    out.in_pages();
    let (mut listed, mut is_broken) = (false, false);
    watched(Show::Progress, Signals::Noted, |watch| {
        let snapshots = open.snapshots(watch)?;
        let kept = &snapshots.kept[snapshot_at(&snapshots.kept, &call.snapshot)?];
        ls(&open, kept, &call.ls, watch, |line| {
            match line {
                Ok(line) => {
                    listed = true;
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
