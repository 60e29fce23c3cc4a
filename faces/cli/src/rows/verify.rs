//! `manicule rows verify`: whether SSTables are right.
//!
//! Callers: rows

use std::path::PathBuf;

use anyhow::{Result, bail};
use manicule::inspect::Error;
use manicule::rows::{Depth, VerifyCall, verify};

use crate::command::spec::spec;
use crate::command::{Command, Declared, Does, Flag, Help, Operands, Syntax, Usage, shared};
use crate::inspect;
use crate::print::{Print, Reader};

pub(super) static COMMAND: Command = Command {
    name: "verify",
    operands: "PATH...",
    summary: "whether SSTables are right: every checksum, row and index",
    help: Help {
        calls: &[Usage { words: "[--quick] [--json] PATH...", about: inspect::SSTABLES_ARE_RIGHT }],
        notes: NOTES,
        exit: "0 when all is right, 1 when something is wrong, 2 when a path can't be read.",
        ..Help::NONE
    },
    does: Does::Job(&JOB),
};

const NOTES: &str = "\
Of a damaged partition the first finding is listed, and those after it are still read. What readers make again or do without is a
warning: a missing filter or summary, counts that only estimates are made of. With --quick rows are not read: checksums, small
components and the index by itself are. Nothing is written.";

static JOB: Declared<Options> = Declared {
    syntax: Syntax::gnu(FLAGS, Operands::Many(|o| &mut o.paths)),
    new: Options::default,
    finish,
    reader: Reader::Optional,
    answer,
};

static FLAGS: &[Flag<Options>] = &[
    spec("quick", "", "Read no rows: checksums, and the small components and the index alone.")
        .sets(|o| &mut o.is_quick),
    shared::JSON.more("One for each finding, then a summary.").sets(|o| &mut o.json),
];

#[derive(Default)]
struct Options {
    paths: Vec<PathBuf>,
    is_quick: bool,
    json: bool,
}

fn finish(options: Options) -> Result<Options> {
    match options.paths.is_empty() {
        true => bail!("a path is wanted: manicule rows verify FOLDER"),
        false => Ok(options),
    }
}

fn answer(options: &Options, out: &mut Print) -> Result<u8> {
    let depth = if options.is_quick { Depth::Quick } else { Depth::Whole };
    let mut worst = 0;
    for path in &options.paths {
        let call = VerifyCall { path: path.clone(), depth };
        let code = inspect::verify(path, None, options.json, out, |watch, failed| {
            verify(&call, watch, &mut |error| failed(Error::Rows(error))).map_err(Error::Rows)
        })?;
        worst = worst.max(code);
    }
    Ok(worst)
}
