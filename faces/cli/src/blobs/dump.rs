//! `manicule blobs dump`: a file of a snapshot, or a folder as an archive.

use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use manicule::blobs::choose::snapshot_at;
use manicule::blobs::{Ahead, ArchiveForm, DumpCall, Repository};
use manicule::output::put_whole;
use manicule::watch::Watch;

use super::choice::{Choice, snapshot_and_folder, with_choice};
use super::repo::Repo;
use crate::command::flag::set;
use crate::command::spec::spec;
use crate::command::{Command, Declared, Does, Flag, Help, Operand, Usage, exit};
use crate::print::{Print, Reader};
use crate::progress::{Signals, watched};

pub(super) static COMMAND: Command = Command {
    name: "dump",
    operands: "SNAPSHOT[:FOLDER] PATH",
    summary: "print a file of a snapshot, or a folder as a tar or zip archive",
    help: Help {
        calls: &[Usage {
            words: "[OPTIONS] SNAPSHOT[:FOLDER] PATH",
            about: "\
Writes the content of a file to standard output, or a folder as a tar or zip archive, as `restic dump` does. / is the whole
snapshot, or FOLDER. SNAPSHOT is an id prefix, or latest.",
        }],
        notes: "\
Each blob is compared with its id before it is written. If one is damaged the command exits with 2, and with --target leaves no
file.",
        exit: "0 when it was written completely, 2 when there is no such path, or something can't be read or failed.",
    },
    does: Does::Job(&JOB),
};

static JOB: Declared<Options, Call> =
    Declared::of(FLAGS, finish, Reader::Needed, answer).at_addresses().taking(&[
        Operand::Word(set!(|o, word| o.snapshot = word)),
        Operand::Word(set!(|o, word| o.path = word.into_vec())),
    ]);

static FLAGS: &[Flag<Options>] = with_choice![
    spec("target", "t", "Write to FILE, which appears only when complete.")
        .takes("FILE")
        .does(set!(|o, value| o.target = Some(value.path()))),
    spec("archive", "a", "Archive format for a folder.")
        .takes("FORM")
        .one_of(&["tar", "zip"])
        .more("Default: tar.")
        .does(set!(|o, value| o.form = Some(value.choice(&[ArchiveForm::Tar, ArchiveForm::Zip])?))),
];

#[derive(Default)]
struct Options {
    repo: Repo,
    choice: Choice,
    snapshot: OsString,
    path: Vec<u8>,
    target: Option<PathBuf>,
    form: Option<ArchiveForm>,
}

struct Call {
    repo: Repo,
    choice: Choice,
    snapshot: String,
    dump: DumpCall,
    target: Option<PathBuf>,
}

fn finish(options: Options) -> Result<Call> {
    let Options { repo, choice, snapshot, path, target, form } = options;
    let (snapshot, below) = snapshot_and_folder(snapshot);
    let form = form.unwrap_or(ArchiveForm::Tar);
    Ok(Call { repo, choice, snapshot, dump: DumpCall { below, path, form }, target })
}

fn answer(call: &Call, out: &mut Print) -> Result<u8> {
    call.repo.ask(Ahead::Index, out, |open, out| answer_of(call, open, out))
}

fn answer_of(call: &Call, open: &Repository, out: &mut Print) -> Result<u8> {
    let write = |out: &mut dyn Write, watch: &Watch<'_>| -> Result<()> {
        let snapshots = open.snapshots(watch)?;
        let at = snapshot_at(&snapshots, &call.snapshot, &call.choice.filter())?;
        Ok(open.dump(&snapshots.kept[at], &call.dump, watch, out)?)
    };
    match &call.target {
        None => {
            if std::io::stdout().is_terminal() && call.dump.path.ends_with(b"/") {
                bail!("an archive is no text: redirect standard output, or use --target");
            }
            out.in_pages();
            write(out, &Watch::none())?;
        }
        Some(path) => watched(call.repo.show(), Signals::Noted, |watch| {
            put_whole(path, |out| write(out, watch))
        })
        .with_context(|| path.display().to_string())?,
    }
    Ok(exit::DONE)
}
