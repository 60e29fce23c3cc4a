//! `manicule rows merge`: several SSTables as one.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use manicule::rows::{MergeCall, Purge, Version, merge};

use super::shared::name_left_out;
use super::times::{GC_GRACE, NOW, system_now};
use super::written::{
    AS, BLOCK, CHUNK, CODECS, COMPRESS, GENERATION, NewTable, VERSIONS, print_written,
};
use crate::command::flag::set;
use crate::command::{Command, Declared, Does, Flag, Help, Operand, Usage, exit, shared};
use crate::print::{Print, Reader};
use crate::progress::{Show, Signals, watched};
use crate::units::{counted, human_len};

pub(super) static COMMAND: Command = Command {
    name: "merge",
    operands: "PATH...",
    summary: "merge several SSTables of a table into one, as a compaction does",
    help: Help {
        calls: &[Usage {
            words: "[OPTIONS] PATH... -o DIR",
            about: "\
Merges the SSTables of a table into one: keeps the newest version of each cell, and drops shadowed data; expired cells become
tombstones. With --gc-grace, tombstones older than that are dropped. A PATH is a folder with all its SSTables, or the Data.db of
one.",
        }],
        notes: "\
The rows are those that Cassandra 4.1 leaves when it compacts the same SSTables. A tombstone is dropped by its age alone, whatever
is in SSTables that are not merged: give --gc-grace only with all SSTables of the table, or deleted data may reappear. On equal
timestamps the tombstone wins, then the later expiry, then the greater value, as in Cassandra since 4.0. SSTables of all versions
are merged; mc, md, me, na and nb are written. A column must have the same type in all of them. Each is read once, in parallel;
memory doesn't grow with their size. The new SSTable appears only when complete: TOC.txt is renamed into place last. The inputs
are not changed.",
        exit: "0 when an SSTable was written, 1 when nothing is left to write, 2 when something failed.",
    },
    does: Does::Job(&JOB),
};

static JOB: Declared<Options, MergeCall> = Declared::of(FLAGS, finish, Reader::Optional, answer)
    .at_addresses()
    .taking(&[Operand::Paths(|o| &mut o.paths)]);

static FLAGS: &[Flag<Options>] = &[
    shared::OUTPUT_PLACE.does(set!(|o, value| o.new.output = Some(value.path()))),
    GC_GRACE
        .more("Older tombstones are dropped. Default: none.")
        .does(set!(|o, value| o.gc_grace_s = Some(value.number()?))),
    NOW.does(set!(|o, value| o.now = Some(value.number()?))),
    AS.more("Default: the newest version among the inputs.")
        .does(set!(|o, value| o.version = Some(value.choice(&VERSIONS)?))),
    COMPRESS.does(set!(|o, value| o.new.codec = value.choice(&CODECS)?)),
    CHUNK.does(set!(|o, value| o.new.chunk_len = Some(value.size()?))),
    BLOCK.does(set!(|o, value| o.new.block_len = Some(value.size()?))),
    GENERATION.does(set!(|o, value| o.new.generation = Some(value.number()?))),
    shared::DRY_RUN.sets(|o| &mut o.new.is_dry),
];

#[derive(Default)]
struct Options {
    paths: Vec<PathBuf>,
    gc_grace_s: Option<i64>,
    now: Option<i64>,
    version: Option<Version>,
    new: NewTable,
}

fn finish(options: Options) -> Result<MergeCall> {
    let Options { paths, gc_grace_s, version, new, .. } = options;
    let place = new.place()?;
    let now = options.now.unwrap_or_else(system_now);
    let before = gc_grace_s.map(|gc_grace_s| now.saturating_sub(gc_grace_s));
    let compress = new.compress()?;
    Ok(MergeCall {
        paths,
        place,
        purge: Purge { now, before },
        version,
        compress,
        block_len: new.block_len(),
    })
}

fn answer(call: &MergeCall, out: &mut Print) -> Result<u8> {
    let merged = watched(Show::Progress, Signals::Noted, |watch| merge(call, watch))?;
    name_left_out(&merged.left_out);
    match &merged.written {
        Some(written) => print_written(written, &call.place, out)?,
        None => writeln!(out, "nothing is left: nothing was written")?,
    }
    let sstables = counted(merged.sstable_count as u64, "SSTable");
    writeln!(out, "merged of {sstables}, {} uncompressed", human_len(merged.data_len))?;
    Ok(exit::if_any(merged.written.is_some()))
}
