//! `manicule rows salvage`: a sound SSTable of what is left of a damaged one.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use manicule::rows::{SalvageCall, salvage};

use super::losses::Losses;
use super::written::{BLOCK, CHUNK, CODECS, COMPRESS, GENERATION, NewTable, print_written};
use crate::command::flag::set;
use crate::command::{Command, Declared, Does, Flag, Help, Operand, Usage, exit, shared};
use crate::print::{Print, Reader};
use crate::progress::{Show, Signals, watched};

pub(super) static COMMAND: Command = Command {
    name: "salvage",
    operands: "PATH",
    summary: "write what can be read of a damaged SSTable as a valid one, and list what was lost",
    help: Help {
        calls: &[Usage {
            words: "[OPTIONS] PATH -o DIR",
            about: "\
Writes every partition, row and tombstone that can be read of a damaged SSTable as a new one, and reports on standard error what
is lost: partition, bytes and offset in the uncompressed data. PATH is its Data.db, or a folder with a single SSTable. Needs
Data.db, Statistics.db, and CompressionInfo.db if the data are compressed.",
        }],
        notes: "\
Versions mc, md, me, na and nb; the new SSTable has the version of the old one. Rows whose bytes don't match their checksum in
CRC.db are written and reported: a flipped bit of a value leaves no other trace. A range deletion whose end is lost ends at the
last row that was read under it. A key that is neither in the index nor in the filter is not written. Cells keep their timestamps,
so that a repair of the cluster restores what is missing. `manicule rows dump --salvage` shows what can be read and writes
nothing; if the data are intact, `manicule rows rebuild` is enough.",
        exit: "0 when nothing was lost, 1 when damage was found or nothing is left to write, 2 when something failed.",
    },
    does: Does::Job(&JOB),
};

static JOB: Declared<Options, SalvageCall> = Declared::of(FLAGS, finish, Reader::Optional, answer)
    .at_addresses()
    .taking(&[Operand::Path(|o| &mut o.path)]);

static FLAGS: &[Flag<Options>] = &[
    shared::OUTPUT_PLACE.does(set!(|o, value| o.new.output = Some(value.path()))),
    COMPRESS.does(set!(|o, value| o.new.codec = value.choice(&CODECS)?)),
    CHUNK.does(set!(|o, value| o.new.chunk_len = Some(value.size()?))),
    BLOCK.does(set!(|o, value| o.new.block_len = Some(value.size()?))),
    GENERATION.does(set!(|o, value| o.new.generation = Some(value.number()?))),
    shared::DRY_RUN.sets(|o| &mut o.new.is_dry),
];

#[derive(Default)]
struct Options {
    path: PathBuf,
    new: NewTable,
}

fn finish(options: Options) -> Result<SalvageCall> {
    let Options { path, new } = options;
    let place = new.place()?;
    let compress = new.compress()?;
    Ok(SalvageCall { path, place, compress, block_len: new.block_len() })
}

fn answer(call: &SalvageCall, out: &mut Print) -> Result<u8> {
    let mut losses = Losses::default();
    let written = watched(Show::Progress, Signals::Noted, |watch| {
        salvage(call, watch, |loss, key| losses.tell(loss, key))
    })?;
    match &written {
        Some(written) => print_written(written, &call.place, out)?,
        None => writeln!(out, "no partition is left: nothing was written")?,
    }
    Ok(exit::if_any(losses.sum_up() && written.is_some()))
}
