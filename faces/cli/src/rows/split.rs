//! `manicule rows split`: an SSTable as several of a size.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Result, bail};
use manicule::rows::SplitCall;

use super::shared::open_table;
use super::written::{BLOCK, CHUNK, CODECS, COMPRESS, GENERATION, NewTable, print_written};
use crate::command::flag::set;
use crate::command::spec::spec;
use crate::command::{Command, Declared, Does, Flag, Help, Operand, Usage, exit, shared};
use crate::print::{Print, Reader};
use crate::progress::{Show, Signals, watched};
use crate::units::counted;

/// As of sstablesplit.
const LEN_MAX: u64 = 50 << 20;

pub(super) static COMMAND: Command = Command {
    name: "split",
    operands: "PATH",
    summary: "split an SSTable into several of about the same size, as sstablesplit does",
    help: Help {
        calls: &[Usage {
            words: "[OPTIONS] PATH -o DIR",
            about: "\
Writes the partitions of an SSTable in order as several SSTables: each ends with the partition that makes its Data.db longer than
--size. Everything is copied, tombstones and shadowed cells included, with timestamps. PATH is the Data.db, or a folder with a
single SSTable.",
        }],
        notes: "\
Versions mc, md, me, na and nb; the new SSTables have the version of the old one, and level 0. A partition is never split. The old
SSTable stays: to replace it, stop the node, put the new ones into the table's folder, and move the old one away. They appear only
when all are complete: TOC.txt is renamed into place last.",
        exit: "0 when SSTables were written, 1 when there is nothing to write, 2 when something failed.",
    },
    does: Does::Job(&JOB),
};

static JOB: Declared<Options, Call> = Declared::of(FLAGS, finish, Reader::Optional, answer)
    .at_addresses()
    .taking(&[Operand::Path(|o| &mut o.path)]);

static FLAGS: &[Flag<Options>] = &[
    shared::OUTPUT_PLACE.does(set!(|o, value| o.new.output = Some(value.path()))),
    spec("size", "s", "Start a new part when its Data.db is longer than this.")
        .takes("SIZE")
        .more("Default: 50MiB. sstablesplit takes a number of MiB.")
        .does(set!(|o, value| o.len_max = Some(value.size()?))),
    COMPRESS.does(set!(|o, value| o.new.codec = value.choice(&CODECS)?)),
    CHUNK.does(set!(|o, value| o.new.chunk_len = Some(value.size()?))),
    BLOCK.does(set!(|o, value| o.new.block_len = Some(value.size()?))),
    GENERATION
        .more("Later parts have the generations after it.")
        .does(set!(|o, value| o.new.generation = Some(value.number()?))),
    shared::DRY_RUN.sets(|o| &mut o.new.is_dry),
];

#[derive(Default)]
struct Options {
    path: PathBuf,
    len_max: Option<u64>,
    new: NewTable,
}

struct Call {
    path: PathBuf,
    split: SplitCall,
}

fn finish(options: Options) -> Result<Call> {
    let Options { path, len_max, new } = options;
    let len_max = len_max.unwrap_or(LEN_MAX);
    if len_max == 0 {
        bail!("--size 0 is no size of a part: 50MiB is what sstablesplit has");
    }
    let (place, compress) = (new.place()?, new.compress()?);
    let split = SplitCall { place, len_max, compress, block_len: new.block_len() };
    Ok(Call { path, split })
}

fn answer(call: &Call, out: &mut Print) -> Result<u8> {
    let written = watched(Show::Progress, Signals::Noted, |watch| {
        open_table(&call.path)?.split(&call.split, watch)
    })?;
    for written in &written {
        print_written(written, &call.split.place, out)?;
    }
    match written.len() as u64 {
        0 => writeln!(out, "no partition is there: nothing was written")?,
        count => writeln!(out, "{}", counted(count, "SSTable"))?,
    }
    Ok(exit::if_any(!written.is_empty()))
}
