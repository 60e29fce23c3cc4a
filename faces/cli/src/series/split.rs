//! `manicule series split`: a block cut into several.
//!
//! Callers: series

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use lexopt::prelude::*;
use manicule::blocks::fresh_names;
use manicule::series::split::{PARTS_MAX, SplitBy, split, time_parts};
use manicule::series::{Block, Target};
use serde_json::json;

use super::made;
use crate::messages::exit_code;
use crate::units::{duration_ms, size};

const HELP: &str = "\
manicule series split -o DIR --parts N BLOCK
manicule series split -o DIR --by time --range TIME BLOCK
    Cuts a block, which stays as it is, into whole blocks: by its series, or by time. What tombstones
    delete is gone. Parts without samples are not made.

    -o, --output DIR   where the blocks go; it is made where it is missing
    --by hash|time     by a hash of the labels (the default), or at multiples of --range since 1970
    --parts N          into how many parts series are cut
    --range TIME       how long a part is, such as 2h or 1d
    --memory SIZE      memory for posting lists of an index (512MiB)
    --json             an object a line for each part
    -h, --help         this text

    A series belongs to part H modulo N. H is the first eight bytes, big-endian, of the SHA-256 over its
    labels in order: each the length of its name in four bytes, big-endian, the name, the length of its
    value, the value.
    The meta files name BLOCK as a parent: in one data folder Prometheus takes it for replaced, and
    removes it.
    Exit code: 0 when blocks were made, 1 when there was no sample, 2 when something failed; parts that
    were made before stay.
";

const MEMORY: u64 = 512 << 20;

struct Call {
    block: PathBuf,
    output: PathBuf,
    by: SplitBy,
    memory: u64,
    json: bool,
}

/// Answers a command line.
pub(super) fn run(words: &[OsString]) -> ExitCode {
    exit_code(answer(words))
}

fn answer(words: &[OsString]) -> Result<u8> {
    let Some(call) = parse(words)? else {
        io::stdout().write_all(HELP.as_bytes())?;
        return Ok(0);
    };
    let block = Block::open(&call.block)?;
    if let (SplitBy::Time { range }, Some(meta)) = (call.by, block.meta()) {
        let parts = time_parts(meta.min_time, meta.max_time, range);
        if parts > PARTS_MAX.into() {
            bail!("--range makes {parts} parts of this block; at most {PARTS_MAX} are made");
        }
    }
    let target = Target::open(&call.output).with_context(|| call.output.display().to_string())?;
    let names = fresh_names().context("there are no random bytes for the names of blocks")?;
    let parts = split(&block, &target, call.by, call.memory, names)?;
    let mut out = io::stdout().lock();
    for part in &parts {
        match call.json {
            true => {
                let row = json!({ "part": part.number, "block": made::json(&part.block) });
                writeln!(out, "{row}")?;
            }
            false => write!(out, "part {}  {}", part.number, made::text(&part.block))?,
        }
    }
    Ok(u8::from(parts.is_empty()))
}

/// `None` where only help was wanted.
fn parse(words: &[OsString]) -> Result<Option<Call>> {
    let (mut block, mut output, mut by) = (None, None, None);
    let (mut parts, mut range, mut memory, mut json) = (None, None, MEMORY, false);
    let mut parser = lexopt::Parser::from_args(words.iter().cloned());
    while let Some(word) = parser.next()? {
        match word {
            Short('h') | Long("help") => return Ok(None),
            Short('o') | Long("output") => output = Some(PathBuf::from(parser.value()?)),
            Long("by") => by = Some(parser.value()?.string()?),
            Long("parts") => parts = Some(parser.value()?.parse::<u32>().context("--parts")?),
            Long("range") => range = Some(duration_ms(&parser.value()?.string()?)?),
            Long("memory") => memory = size(&parser.value()?.string()?)?,
            Long("json") => json = true,
            Value(path) if block.is_none() => block = Some(PathBuf::from(path)),
            other => return Err(other.unexpected().into()),
        }
    }
    let by = match (by.as_deref(), parts, range) {
        (None | Some("hash"), Some(parts @ 1..=PARTS_MAX), None) => SplitBy::Hash { parts },
        (Some("time"), None, Some(range @ 1..)) => SplitBy::Time { range },
        (None | Some("hash"), Some(_), None) => bail!("--parts is between 1 and {PARTS_MAX}"),
        (Some(by), ..) if by != "hash" && by != "time" => {
            bail!("--by is hash or time, not {by:?}")
        }
        _ => bail!("say --parts N, or --by time and --range TIME such as 2h"),
    };
    let output = output.context("say with -o DIR where the blocks go")?;
    let block = block.context("a block is wanted: manicule series split -o DIR --parts N BLOCK")?;
    Ok(Some(Call { block, output, by, memory, json }))
}
