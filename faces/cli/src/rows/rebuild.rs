//! `manicule rows rebuild`: new components beside sound data.

use std::path::PathBuf;

use anyhow::Result;
use manicule::rows::{RebuildCall, rebuild};

use super::written::{BLOCK, CHANCE, GENERATION, NewTable, print_written};
use crate::command::flag::set;
use crate::command::{Command, Declared, Does, Flag, Help, Operand, Usage, exit, shared};
use crate::print::{Print, Reader};
use crate::progress::{Show, Signals, watched};

pub(super) static COMMAND: Command = Command {
    name: "rebuild",
    operands: "PATH",
    summary: "rebuild an SSTable's index, filter, summary, statistics and checksums",
    help: Help {
        calls: &[Usage {
            words: "[OPTIONS] PATH -o DIR",
            about: "\
Writes an SSTable with the data of another, and rebuilds every other component: Index.db, Filter.db, Summary.db, Statistics.db,
CRC.db, Digest.crc32, TOC.txt. Needs only Data.db, the header in Statistics.db, and CompressionInfo.db if the data are compressed.
PATH is the Data.db, or a folder with a single SSTable.",
        }],
        notes: "\
Versions mc, md, me, na and nb. The new components are byte for byte those that Cassandra writes for these rows, if the index has
the same block length, which no file records. Every row is read: damaged data are an error, and nothing is written; `manicule rows
verify` has the details. Data.db is hard-linked, not copied, if the file system can. Level, repair time, host and commit log
positions are kept if the old Statistics.db can be read. Scylla.db and files of secondary indexes are left out. The SSTable
appears only when complete: TOC.txt is renamed into place last.",
        exit: "0 when it was written, 2 when something failed.",
    },
    does: Does::Job(&JOB),
};

static JOB: Declared<Options, RebuildCall> = Declared::of(FLAGS, finish, Reader::Optional, answer)
    .at_addresses()
    .taking(&[Operand::Path(|o| &mut o.path)]);

static FLAGS: &[Flag<Options>] = &[
    shared::OUTPUT_PLACE.does(set!(|o, value| o.new.output = Some(value.path()))),
    GENERATION.does(set!(|o, value| o.new.generation = Some(value.number()?))),
    shared::DRY_RUN.sets(|o| &mut o.new.is_dry),
    CHANCE
        .more("Default: the value in the old statistics, or 0.01.")
        .does(set!(|o, value| o.filter_chance = Some(value.number()?))),
    BLOCK.does(set!(|o, value| o.new.block_len = Some(value.size()?))),
];

#[derive(Default)]
struct Options {
    path: PathBuf,
    filter_chance: Option<f64>,
    new: NewTable,
}

fn finish(options: Options) -> Result<RebuildCall> {
    let Options { path, filter_chance, new } = options;
    let place = new.place()?;
    Ok(RebuildCall { path, place, filter_chance, block_len: new.block_len() })
}

fn answer(call: &RebuildCall, out: &mut Print) -> Result<u8> {
    let written = watched(Show::Progress, Signals::Noted, |watch| rebuild(call, watch))?;
    print_written(&written, &call.place, out)?;
    Ok(exit::DONE)
}
