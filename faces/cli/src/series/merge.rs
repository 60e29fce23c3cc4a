//! `manicule series merge`: blocks into one.
//!
//! Callers: series

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use lexopt::prelude::*;
use manicule::blocks::fresh_names;
use manicule::series::merge::{MergeOptions, Merged, merge};
use manicule::series::{Block, Target, block_paths};
use serde_json::json;

use crate::messages::exit_code;
use crate::units::{counted, size};

const HELP: &str = "\
manicule series merge -o DIR [OPTIONS] BLOCK...
    Makes one block of several, or of all that are in a folder. The block is the one that Prometheus's
    compactor would make, byte for byte but for its name; the given ones stay.

    -o, --output DIR           where the block goes; it is made where it is missing
    --memory SIZE              about as much memory for posting lists, such as 64MiB; more lists take more
                               passes (256MiB). Labels and places of chunks come on top
    --json                     an object about the block
    --quiet                    no summary
    -h, --help                 this text

    Chunks that overlap no others are copied. Those that do are decoded and merged: of several samples of
    a series and time one is kept. What tombstones delete is left out, and series without samples with it.
    The order of BLOCKs is kept in the meta file, and decides which of two samples is kept. What Thanos
    says of them stays where they have the same labels and downsampling, else it is left out.
    Killed at any moment it leaves no half block, and the next run with the same DIR sweeps up.
    Exit code: 0 when a block was made, 1 when no sample was left, 2 when something failed.
";

const MEMORY: u64 = 256 << 20;

const NOTHING: u8 = 1;

/// Answers a command line.
pub(super) fn run(words: &[OsString]) -> ExitCode {
    exit_code(answer(words))
}

/// How much is said of what was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Text,
    Json,
    Nothing,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Call {
    /// Blocks, or folders of blocks.
    inputs: Vec<PathBuf>,
    output: PathBuf,
    memory: u64,
    form: Form,
}

fn answer(words: &[OsString]) -> Result<u8> {
    let Some(call) = parse(words)? else {
        io::stdout().write_all(HELP.as_bytes())?;
        return Ok(0);
    };
    let started = Instant::now();
    let mut blocks = Vec::new();
    for input in &call.inputs {
        for path in block_paths(input)? {
            blocks.push(Block::open(&path)?);
        }
    }
    let target = Target::open(&call.output);
    let target = target.with_context(|| call.output.display().to_string())?;
    let mut names = fresh_names().context("there are no random bytes for the block's name")?;
    let options = MergeOptions { ulid: names(), memory: call.memory };
    let merged = merge(&blocks, &target, &options)?;
    let took = started.elapsed();
    let text = match (&merged, call.form) {
        (_, Form::Nothing) => String::new(),
        (Some(merged), Form::Text) => as_text(merged, blocks.len(), took),
        (Some(merged), Form::Json) => as_json(merged, took),
        (None, Form::Text) => "no sample is left: no block was made\n".to_owned(),
        (None, Form::Json) => format!("{}\n", json!({ "type": "nothing" })),
    };
    io::stdout().write_all(text.as_bytes())?;
    Ok(if merged.is_some() { 0 } else { NOTHING })
}

/// `None` where only help was wanted.
fn parse(words: &[OsString]) -> Result<Option<Call>> {
    let (mut inputs, mut output) = (Vec::new(), None);
    let (mut memory, mut form) = (MEMORY, Form::Text);
    let mut parser = lexopt::Parser::from_args(words.iter().cloned());
    while let Some(word) = parser.next()? {
        match word {
            Short('h') | Long("help") => return Ok(None),
            Short('o') | Long("output") => output = Some(PathBuf::from(parser.value()?)),
            Long("memory") => memory = size(&parser.value()?.string()?)?,
            Long("json") => form = Form::Json,
            Long("quiet") => form = Form::Nothing,
            Value(path) => inputs.push(PathBuf::from(path)),
            other => return Err(other.unexpected().into()),
        }
    }
    let output = output.context("say with -o DIR where the block goes")?;
    if inputs.is_empty() {
        bail!("blocks to merge are wanted: manicule series merge -o DIR BLOCK...");
    }
    Ok(Some(Call { inputs, output, memory, form }))
}

fn as_text(merged: &Merged, blocks: usize, took: Duration) -> String {
    let stats = &merged.meta.stats;
    format!(
        "{}  {} series, {}, {}\nmerged {}, {:.1} s\n",
        merged.path.display(),
        stats.num_series,
        counted(stats.num_samples, "sample"),
        counted(stats.num_chunks, "chunk"),
        counted(blocks as u64, "block"),
        took.as_secs_f64(),
    )
}

fn as_json(merged: &Merged, took: Duration) -> String {
    let (meta, stats) = (&merged.meta, &merged.meta.stats);
    let row = json!({
        "type": "block",
        "ulid": meta.ulid,
        "path": merged.path.to_string_lossy(),
        "min_time": meta.min_time,
        "max_time": meta.max_time,
        "series": stats.num_series,
        "samples": stats.num_samples,
        "chunks": stats.num_chunks,
        "parents": meta.compaction.parents.len(),
        "level": meta.compaction.level,
        "took_ms": took.as_millis() as u64,
    });
    format!("{row}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Call> {
        let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        Ok(parse(&words)?.expect("no help was wanted"))
    }

    #[test]
    fn what_is_not_said_is_the_default() {
        let call = parsed("b a -o out --memory 1M").unwrap();
        let inputs = vec![PathBuf::from("b"), PathBuf::from("a")];
        let output = PathBuf::from("out");
        assert_eq!(call, Call { inputs, output, memory: 1 << 20, form: Form::Text });
        assert_eq!(parsed("a -o out").unwrap().memory, 256 << 20);
    }

    #[test]
    fn what_is_missing_is_said() {
        for (line, want) in [
            ("a", "say with -o DIR where the block goes"),
            ("-o out", "blocks to merge are wanted: manicule series merge -o DIR BLOCK..."),
        ] {
            assert_eq!(format!("{:#}", parsed(line).unwrap_err()), want);
        }
    }
}
