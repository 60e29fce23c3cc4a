//! `manicule blobs export`: the index as a table.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result};
use manicule::blobs::export::TableForm;
use manicule::blobs::{Ahead, Repository};
use manicule::output::put_whole;
use manicule::watch::Watch;

use super::repo::{Repo, with_repo};
use crate::command::flag::set;
use crate::command::{Command, Declared, Does, Flag, Help, Usage, exit, shared};
use crate::print::{Print, Reader};
use crate::progress::{Signals, watched};

pub(super) static COMMAND: Command = Command {
    name: "export",
    operands: "",
    summary: "export the index as CSV or JSON lines: every blob with its location",
    help: Help {
        calls: &[Usage {
            words: "[OPTIONS]",
            about: "\
Writes every entry of every index file: type (data or tree), id, pack, offset and length of the stored blob in it, uncompressed_length (0
where it isn't compressed), and the index file. CSV has these names in its first line. A blob that is stored twice is listed
twice, and so is one that two index files list.",
        }],
        exit: "0 when there was an entry, 1 when there was none, 2 when something failed.",
        ..Help::NONE
    },
    does: Does::Job(&JOB),
};

static JOB: Declared<Options> = Declared::of(FLAGS, Ok, Reader::Needed, answer).at_addresses();

static FLAGS: &[Flag<Options>] = with_repo![
    shared::OUTPUT_FILE.does(set!(|o, value| o.output = Some(value.path()))),
    shared::JSON.more("Default: CSV.").sets(|o| &mut o.json),
];

#[derive(Default)]
struct Options {
    repo: Repo,
    output: Option<PathBuf>,
    json: bool,
}

fn answer(options: &Options, out: &mut Print) -> Result<u8> {
    options.repo.ask(Ahead::Index, out, |open, out| answer_of(options, open, out))
}

fn answer_of(options: &Options, open: &Repository, out: &mut Print) -> Result<u8> {
    let form = if options.json { TableForm::JsonLines } else { TableForm::Csv };
    let write = |out: &mut dyn Write, watch: &Watch<'_>| -> Result<u64> {
        Ok(open.export(form, watch, out)?)
    };
    out.in_pages();
    let count = match &options.output {
        None => write(out, &Watch::none())?,
        Some(path) => watched(options.repo.show(), Signals::Noted, |watch| {
            put_whole(path, |out| write(out, watch))
        })
        .with_context(|| path.display().to_string())?,
    };
    Ok(exit::if_any(count > 0))
}
