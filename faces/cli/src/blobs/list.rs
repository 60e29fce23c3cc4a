//! `manicule blobs list`: names of a repository's files, and of its blobs.

use std::io::Write;

use anyhow::{Result, bail};
use manicule::blobs::{Ahead, FileKind, Repository};

use super::repo::{Repo, with_repo};
use crate::command::flag::set;
use crate::command::{Command, Declared, Does, Flag, Help, Operand, Usage, exit, shared};
use crate::print::{Print, Reader};
use crate::progress::{Signals, watched};
use crate::table::format::Sheet;
use crate::table::listed::with_sheet;

pub(super) static COMMAND: Command = Command {
    name: "list",
    operands: "blobs|packs|index|snapshots|keys|locks [REPOSITORY]",
    summary: "list the ids of blobs, packs, index files, snapshots, keys or locks",
    help: Help {
        calls: &[Usage {
            words: "[OPTIONS] blobs|packs|index|snapshots|keys|locks [REPOSITORY]",
            about: "\
Lists ids, one per line, as restic does, but sorted. Those of blobs are preceded by their type and come in the order of the index
files: one that is stored twice, or listed by two index files, is listed twice.",
        }],
        exit: "0 when they were listed, 2 when something failed.",
        ..Help::NONE
    },
    does: Does::Job(&JOB),
};

static JOB: Declared<Options, Call> =
    Declared::of(FLAGS, finish, Reader::Needed, answer).at_addresses().taking(&[
        Operand::Word(set!(|o, word| o.what = word.to_string_lossy().into_owned())),
        Operand::Word(|o, word| {
            if let Some(path) = &o.repo.path {
                bail!("the repository is {} already: leave out {}", path.display(), word.display());
            }
            o.repo.path = Some(word.into());
            Ok(())
        }),
    ]);

static FLAGS: &[Flag<Options>] = with_sheet!(with_repo![
    shared::JSON.more("Files have id, and len in bytes.").sets(|o| &mut o.json),
]);

#[derive(Default)]
struct Options {
    repo: Repo,
    what: String,
    json: bool,
    sheet: Sheet,
}

#[derive(Clone, Copy)]
enum What {
    Blobs,
    Files(FileKind),
}

struct Call {
    repo: Repo,
    what: What,
    json: bool,
    sheet: Sheet,
}

fn kind(word: &str) -> Result<What> {
    Ok(match word {
        "blobs" => What::Blobs,
        "packs" => What::Files(FileKind::Pack),
        "index" => What::Files(FileKind::Index),
        "snapshots" => What::Files(FileKind::Snapshot),
        "keys" => What::Files(FileKind::Key),
        "locks" => What::Files(FileKind::Lock),
        _ => {
            bail!("{word:?} can't be listed: wanted blobs, packs, index, snapshots, keys or locks")
        }
    })
}

fn finish(options: Options) -> Result<Call> {
    let Options { repo, what, json, sheet } = options;
    let what = kind(&what)?;
    if json && matches!(what, What::Blobs) {
        bail!("--json is for files: blobs are a line each");
    }
    Ok(Call { repo, what, json, sheet })
}

/// The table of what is listed.
fn table_of(what: What) -> Result<&'static str> {
    Ok(match what {
        What::Blobs => "blobs.blobs",
        What::Files(FileKind::Pack) => "blobs.packs",
        What::Files(FileKind::Snapshot) => "blobs.snapshots",
        What::Files(_) => bail!("there is no table of these: there are of blobs, packs, snapshots"),
    })
}

fn answer(call: &Call, out: &mut Print) -> Result<u8> {
    if !call.sheet.is_plain() {
        let listed = call.repo.listed(table_of(call.what)?)?;
        return listed.refuse(&[("--json", call.json)]).print(&call.sheet, out);
    }
    call.repo.ask(Ahead::Nothing, out, |open, out| answer_of(call, open, out))
}

fn answer_of(call: &Call, open: &Repository, out: &mut Print) -> Result<u8> {
    out.in_pages();
    match call.what {
        What::Blobs => {
            watched(call.repo.show(), Signals::Noted, |watch| {
                open.blobs(watch, |lines| out.write_all(lines))
            })??;
        }
        What::Files(kind) => {
            for file in open.files(kind)? {
                if call.json { out.line(file)? } else { writeln!(out, "{}", file.id)? }
            }
        }
    }
    Ok(exit::DONE)
}
