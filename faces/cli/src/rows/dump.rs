//! `manicule rows dump`: an SSTable as JSON.
//!
//! Callers: rows

use std::io::Write;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail};
use manicule::rows::{DumpCall, OpenCall, dump, open};

use crate::command::spec::spec;
use crate::command::{Command, Declared, Does, Flag, Help, Operands, Syntax, Usage, exit};
use crate::messages::say;
use crate::print::{Print, Reader};
use crate::progress::{Show, Signals, watched};

pub(super) static COMMAND: Command = Command {
    name: "dump",
    operands: "PATH",
    summary: "an SSTable as JSON, as sstabledump prints it",
    help: Help {
        calls: &[Usage {
            words: "[OPTIONS] PATH",
            about: "\
Everything in an SSTable: partitions, rows, range tombstones, cells, with their times, as one JSON array, byte for byte as the sstabledump
of the release that writes its version prints it. PATH is its Data.db, or a folder that has no other.",
        }],
        notes: "\
Where sstabledump ends with an exception, at an empty boolean or collection, \"\" or null is printed. Times of expiry are compared with now.",
        exit: "0 when all was printed, 2 when something failed: of a damaged table what was printed until then is no whole array.",
        ..Help::NONE
    },
    does: Does::Job(&JOB),
};

static JOB: Declared<Options, Call> = Declared {
    syntax: Syntax::gnu(
        FLAGS,
        Operands::Call(|options, word| match options.path.replace(word.into()) {
            None => Ok(()),
            Some(_) => bail!("one path is wanted"),
        }),
    ),
    new: Options::default,
    finish,
    reader: Reader::Needed,
    answer,
};

static FLAGS: &[Flag<Options>] =
    &[spec("raw-times", "t", "Print times as the numbers that are stored.")
        .more("Microseconds of writing, seconds of deletion and expiry.")
        .sets(|o| &mut o.has_raw_times)];

#[derive(Default)]
struct Options {
    path: Option<PathBuf>,
    has_raw_times: bool,
}

struct Call {
    path: PathBuf,
    dump: DumpCall,
}

fn finish(options: Options) -> Result<Call> {
    let path = options.path.context("a path is wanted: manicule rows dump me-1-big-Data.db")?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_secs() as i64);
    Ok(Call { path, dump: DumpCall { now, has_raw_times: options.has_raw_times } })
}

fn answer(call: &Call, out: &mut Print) -> Result<u8> {
    let opened = open(&OpenCall::new(call.path.clone()))?;
    opened.left_out.iter().for_each(|left_out| say(&left_out.why));
    out.in_pages();
    watched(Show::Progress, Signals::Noted, |watch| {
        dump(&opened, &call.dump, watch, |part| {
            Ok::<(), anyhow::Error>(out.write_all(part.as_bytes())?)
        })
    })?;
    Ok(exit::DONE)
}
