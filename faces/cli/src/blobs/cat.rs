//! `manicule blobs cat`: single things of a repository.

use std::ffi::OsString;
use std::io::Write;

use anyhow::{Context, Result, bail};
use manicule::blobs::cat::Cat;
use manicule::blobs::{Ahead, FileKind, Repository};

use super::choice::snapshot_and_folder;
use super::repo::{Repo, with_index};
use crate::command::flag::set;
use crate::command::{Command, Declared, Does, Flag, Help, Operand, Usage, exit};
use crate::messages::say;
use crate::print::{Print, Reader};
use crate::progress::{Signals, watched};

pub(super) static COMMAND: Command = Command {
    name: "cat",
    operands: "config|masterkey|KIND [ID]",
    summary: "print one object of a repository: config, key, snapshot, index file, lock, pack, blob, tree",
    help: Help {
        calls: &[
            Usage { words: "[OPTIONS] config|masterkey", about: "" },
            Usage { words: "[OPTIONS] snapshot|index|key|lock|pack|blob ID", about: "" },
            Usage {
                words: "[OPTIONS] tree SNAPSHOT[:FOLDER]",
                about: "\
Prints an object as `restic cat` does: JSON as text, packs and blobs as raw bytes. An id prefix is enough, except for blobs.",
            },
        ],
        notes: "\
masterkey prints the key that decrypts everything. A pack whose content does not match its id is still printed, with a warning on
standard error.",
        exit: "0 when it was printed, 2 when there is no such object, it is damaged, or something failed.",
    },
    does: Does::Job(&JOB),
};

static JOB: Declared<Options, Call> =
    Declared::of(FLAGS, finish, Reader::Needed, answer).at_addresses().taking(&[
        Operand::Word(set!(|o, word| o.what = word.to_string_lossy().into_owned())),
        Operand::Word(set!(|o, word| o.id = Some(word))),
    ]);

static FLAGS: &[Flag<Options>] = with_index![];

#[derive(Default)]
struct Options {
    repo: Repo,
    what: String,
    id: Option<OsString>,
}

struct Call {
    repo: Repo,
    what: Cat,
}

fn finish(options: Options) -> Result<Call> {
    let Options { repo, what, id } = options;
    let named = || id.clone().with_context(|| format!("missing ID of the {what}"));
    let text = || named().map(|id| id.to_string_lossy().into_owned());
    let what = match what.as_str() {
        "config" => Cat::Config,
        "masterkey" => Cat::MasterKey,
        "index" => Cat::File(FileKind::Index, text()?),
        "snapshot" => Cat::File(FileKind::Snapshot, text()?),
        "key" => Cat::File(FileKind::Key, text()?),
        "lock" => Cat::File(FileKind::Lock, text()?),
        "pack" => Cat::Pack(text()?),
        "blob" => Cat::Blob(text()?),
        "tree" => {
            let (word, below) = snapshot_and_folder(named()?);
            Cat::Tree { word, below }
        }
        _ => bail!(
            "{what:?} can't be printed: wanted config, masterkey, snapshot, index, key, lock, pack, blob or tree"
        ),
    };
    Ok(Call { repo, what })
}

fn answer(call: &Call, out: &mut Print) -> Result<u8> {
    call.repo.ask(Ahead::Nothing, out, |open, out| answer_of(call, open, out))
}

fn answer_of(call: &Call, open: &Repository, out: &mut Print) -> Result<u8> {
    let printed = watched(call.repo.show(), Signals::Noted, |watch| open.cat(&call.what, watch))?;
    out.in_pages();
    out.write_all(&printed.bytes)?;
    match &printed.warning {
        None => Ok(exit::DONE),
        Some(warning) => {
            say(warning);
            Ok(exit::FAILED)
        }
    }
}
