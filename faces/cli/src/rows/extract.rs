//! `manicule rows extract`: some partitions of an SSTable as one of their own.

use std::io::Write;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use anyhow::{Result, bail};
use manicule::rows::{ExtractCall, Taken};

use super::chosen::{KEY, OTHERS, TOKENS, tokens};
use super::shared::open_table;
use super::written::{BLOCK, CHUNK, CODECS, COMPRESS, GENERATION, NewTable, print_written};
use crate::command::flag::set;
use crate::command::{Command, Declared, Does, Flag, Help, Operand, Usage, exit, shared};
use crate::print::{Print, Reader};
use crate::progress::{Show, Signals, watched};

pub(super) static COMMAND: Command = Command {
    name: "extract",
    operands: "PATH",
    summary: "write some partitions of an SSTable, or all others, as a new SSTable",
    help: Help {
        calls: &[Usage {
            words: "[OPTIONS] PATH -o DIR",
            about: "\
Writes partitions of an SSTable, selected by keys or tokens, as a new SSTable; with --others all the other partitions. They are
copied completely, tombstones and shadowed cells included, with their timestamps. PATH is the Data.db, or a folder with a single
SSTable.",
        }],
        notes: "\
KEY is in CQL syntax, 'text', 5, (4, 'text'), in sstabledump's, text, 5, 4:text, or its bytes, 0x00ff. Versions mc, md, me, na and
nb; the new SSTable has the version of the old one. The index is read once, and only the selected data. Memory doesn't grow with a
partition. The SSTable appears only when complete: TOC.txt is renamed into place last.",
        exit: "0 when an SSTable was written, 1 when there is nothing to write, 2 when something failed.",
    },
    does: Does::Job(&JOB),
};

static JOB: Declared<Options, Call> = Declared::of(FLAGS, finish, Reader::Optional, answer)
    .at_addresses()
    .taking(&[Operand::Path(|o| &mut o.path)]);

static FLAGS: &[Flag<Options>] = &[
    shared::OUTPUT_PLACE.does(set!(|o, value| o.new.output = Some(value.path()))),
    KEY.does(set!(|o, value| o.keys.push(value.string()?))),
    TOKENS.does(set!(|o, value| o.tokens.push(tokens(value.text()?)?))),
    OTHERS.sets(|o| &mut o.is_others),
    COMPRESS.does(set!(|o, value| o.new.codec = value.choice(&CODECS)?)),
    CHUNK.does(set!(|o, value| o.new.chunk_len = Some(value.size()?))),
    BLOCK.does(set!(|o, value| o.new.block_len = Some(value.size()?))),
    GENERATION.does(set!(|o, value| o.new.generation = Some(value.number()?))),
    shared::DRY_RUN.sets(|o| &mut o.new.is_dry),
];

#[derive(Default)]
struct Options {
    path: PathBuf,
    keys: Vec<String>,
    tokens: Vec<RangeInclusive<i64>>,
    is_others: bool,
    new: NewTable,
}

struct Call {
    path: PathBuf,
    extract: ExtractCall,
}

fn finish(options: Options) -> Result<Call> {
    let Options { path, keys, tokens, is_others, new } = options;
    let place = new.place()?;
    match (keys.is_empty(), tokens.is_empty()) {
        (true, true) => bail!("which partitions? -k KEY, or --tokens FROM..TO"),
        (false, false) => bail!("-k and --tokens exclude each other: leave out one of them"),
        _ => {}
    }
    let compress = new.compress()?;
    let taken = if is_others { Taken::Others } else { Taken::These };
    let block_len = new.block_len();
    let extract = ExtractCall { place, keys, tokens, taken, compress, block_len };
    Ok(Call { path, extract })
}

fn answer(call: &Call, out: &mut Print) -> Result<u8> {
    let written = watched(Show::Progress, Signals::Noted, |watch| {
        open_table(&call.path)?.extract(&call.extract, watch)
    })?;
    match &written {
        Some(written) => print_written(written, &call.extract.place, out)?,
        None => writeln!(out, "no partition is taken: nothing was written")?,
    }
    Ok(exit::if_any(written.is_some()))
}
