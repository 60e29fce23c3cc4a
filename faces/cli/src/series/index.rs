//! `manicule series index`: the index of a block written again, with what other systems keep beside it.
//!
//! Callers: series

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result};
use manicule::series::write::SymbolChoice;
use manicule::series::{Block, ReindexOptions, reindex};
use serde_json::json;

use super::memory;
use crate::command::flag::{set, spec};
use crate::command::parse::Syntax;
use crate::command::{
    Command, Declared, Does, Flag, Help, Spelling, Usage, cores, exit, one_path, shared,
};
use crate::print::{self, Print, Reader};
use crate::progress::{Show, Signals, watched};
use crate::units::counted;

pub(super) static COMMAND: Command = Command {
    name: "index",
    operands: "-o DIR BLOCK|INDEX",
    summary: "its index written again, with Thanos's and Mimir's side files",
    help: Help {
        calls: &[Usage {
            words: "-o DIR [OPTIONS] BLOCK|INDEX",
            about: "\
Writes the index of a block again into DIR, from its own series: byte for byte what Prometheus's writer makes of them. An
index of version 1 becomes one of version 2.",
        }],
        notes: "Files of the same names in DIR are replaced. What has its name is whole.",
        exit: "0 when it is done, 2 when something failed.",
        elsewhere: &[],
    },
    does: Does::Job(&JOB),
};

static JOB: Declared<Options, Call> = Declared {
    syntax: Syntax {
        spelling: Spelling::Gnu,
        flags: FLAGS,
        operand: |options, word| one_path(&mut options.block, word),
    },
    new: Options::new,
    finish,
    reader: Reader::Optional,
    answer,
};

static FLAGS: &[Flag<Options>] = &[
    shared::OUTPUT_DIR.does(set!(|o, value| o.output = Some(value.path()))),
    spec("label-indices", "", "With the label indices of older releases.")
        .more("Today's readers pass over them.")
        .sets(|o| &mut o.how.label_indices),
    spec("index-header", "", "And Thanos's index-header.").sets(|o| &mut o.how.index_header),
    spec("sparse-header", "", "And Mimir's sparse-index-header.")
        .sets(|o| &mut o.how.sparse_header),
    spec("used-symbols", "", "Without symbols that no series has, such as merging leaves.")
        .does(set!(|o| o.how.symbols = SymbolChoice::Used)),
    memory::INDEX.flag.does(set!(|o, value| o.how.memory = value.memory()?)),
    shared::THREADS
        .more("From 2 on, one encodes and another writes.")
        .does(set!(|o, value| o.how.threads = value.threads()?)),
    shared::JSON.more("It is one, rather than a sentence.").sets(|o| &mut o.json),
];

struct Options {
    block: Option<PathBuf>,
    output: Option<PathBuf>,
    how: ReindexOptions,
    json: bool,
}

impl Options {
    fn new() -> Options {
        let how = ReindexOptions {
            memory: memory::INDEX.len,
            symbols: SymbolChoice::All,
            label_indices: false,
            index_header: false,
            sparse_header: false,
            threads: cores(),
        };
        Options { block: None, output: None, how, json: false }
    }
}

struct Call {
    block: PathBuf,
    output: PathBuf,
    options: ReindexOptions,
    json: bool,
}

fn finish(options: Options) -> Result<Call> {
    let Options { block, output, how, json } = options;
    let output = output.context("say with -o DIR where the index goes")?;
    let block = block.context("a block is wanted: manicule series index -o DIR BLOCK")?;
    Ok(Call { block, output, options: how, json })
}

fn answer(call: &Call, out: &mut Print) -> Result<u8> {
    let block = Block::open(&call.block)?;
    let written = watched(Show::Progress, Signals::Noted, |watch| {
        reindex(&block, &call.output, &call.options, watch)
    })?;
    let path = call.output.join("index");
    if call.json {
        let fields = json!({
            "path": print::path(&path),
            "len": written.len,
            "series": written.series,
            "symbols": written.symbols,
            "lists": written.lists,
        });
        out.row("index", fields)?;
    } else {
        let symbols = counted(written.symbols.into(), "symbol");
        let (path, series, len) = (path.display(), written.series, written.len);
        writeln!(out, "{path}: {series} series, {symbols}, {len} bytes")?;
    }
    Ok(exit::DONE)
}
