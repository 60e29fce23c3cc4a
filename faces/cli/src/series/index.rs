//! `manicule series index`: the index of a block written again, with what other systems keep beside it.
//!
//! Callers: series

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use lexopt::prelude::*;
use manicule::series::write::SymbolChoice;
use manicule::series::{Block, ReindexOptions, reindex};
use serde_json::json;

use crate::print::{Print, Reader, command};
use crate::progress::{Show, Signals, watched};
use crate::units::{self, counted};

pub(super) const HELP: &str = "\
manicule series index -o DIR [OPTIONS] BLOCK|INDEX
    Writes the index of a block anew into DIR, from its own series: byte for byte what Prometheus's writer
    makes of them. An index of version 1 becomes one of version 2.

    -o, --output DIR   where the files go; it is made where it is missing, files of these names are replaced
    --label-indices    with the label indices of older releases, which today's readers pass over
    --index-header     and Thanos's index-header
    --sparse-header    and Mimir's sparse-index-header
    --used-symbols     without symbols that no series has, such as merging leaves
    --memory SIZE      memory for posting lists, such as 64MiB; more lists take more passes (256MiB, at
                       least 16MiB)
    -j, --threads N    from 2 on, one encodes and another writes
    --json             an object rather than a sentence
    -h, --help         this text

    Exit code: 0 when it is done, 2 when something failed. What has its name is whole.
";

const MEMORY: u64 = 256 << 20;

struct Call {
    block: PathBuf,
    output: PathBuf,
    options: ReindexOptions,
    json: bool,
}

/// Answers a command line.
pub(super) fn run(words: &[OsString]) -> ExitCode {
    command(Reader::Optional, |out| answer(words, out))
}

fn answer(words: &[OsString], out: &mut Print) -> Result<u8> {
    let Some(call) = parse(words)? else {
        out.write_all(HELP.as_bytes())?;
        return Ok(0);
    };
    let block = Block::open(&call.block)?;
    let written = watched(Show::Progress, Signals::Noted, |watch| {
        reindex(&block, &call.output, &call.options, watch)
    })?;
    let path = call.output.join("index");
    if call.json {
        let row = json!({
            "type": "index",
            "path": path.to_string_lossy(),
            "len": written.len,
            "series": written.series,
            "symbols": written.symbols,
            "lists": written.lists,
        });
        writeln!(out, "{row}")?;
    } else {
        let symbols = counted(written.symbols.into(), "symbol");
        let (path, series, len) = (path.display(), written.series, written.len);
        writeln!(out, "{path}: {series} series, {symbols}, {len} bytes")?;
    }
    Ok(0)
}

/// `None` where only help was wanted.
fn parse(words: &[OsString]) -> Result<Option<Call>> {
    let (mut block, mut output, mut json) = (None, None, false);
    let mut options = ReindexOptions {
        memory: MEMORY,
        symbols: SymbolChoice::All,
        label_indices: false,
        index_header: false,
        sparse_header: false,
        threads: std::thread::available_parallelism().map_or(1, usize::from),
    };
    let mut parser = lexopt::Parser::from_args(words.iter().cloned());
    while let Some(word) = parser.next()? {
        match word {
            Short('h') | Long("help") => return Ok(None),
            Short('o') | Long("output") => output = Some(PathBuf::from(parser.value()?)),
            Long("label-indices") => options.label_indices = true,
            Long("index-header") => options.index_header = true,
            Long("sparse-header") => options.sparse_header = true,
            Long("used-symbols") => options.symbols = SymbolChoice::Used,
            Long("memory") => options.memory = units::memory(&parser.value()?.string()?)?,
            Short('j') | Long("threads") => {
                options.threads = parser.value()?.parse().context("--threads")?;
            }
            Long("json") => json = true,
            Value(path) if block.is_none() => block = Some(PathBuf::from(path)),
            other => return Err(other.unexpected().into()),
        }
    }
    let output = output.context("say with -o DIR where the index goes")?;
    let block = block.context("a block is wanted: manicule series index -o DIR BLOCK")?;
    Ok(Some(Call { block, output, options, json }))
}
