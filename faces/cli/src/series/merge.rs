//! `manicule series merge`: blocks into one.
//!
//! Callers: series

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use lexopt::prelude::*;
use manicule::blocks::fresh_names;
use manicule::series::merge::{MergeOptions, MergeReport, merge};
use manicule::series::{Block, Salvage, Target, block_paths};
use serde_json::{Value as Json, json};

use super::{made, salvage};
use crate::print::{Print, Reader, command};
use crate::progress::{Show, Signals, watched};
use crate::units::{self, counted};

pub(super) const HELP: &str = "\
manicule series merge -o DIR [OPTIONS] BLOCK...
    Makes one block of several, or of all that are in a folder. The block is the one that Prometheus's
    compactor would make, byte for byte but for its name; the given ones stay.

    -o, --output DIR           where the block goes; it is made where it is missing
    --memory SIZE              about as much memory for posting lists, such as 64MiB; more lists take more
                               passes (256MiB, at least 16MiB). Labels and places of chunks come on top
    --dry-run                  say what would be done; nothing is written
    --strict                   exit with 2, and write nothing, if a sample would be lost: blocks that
                               overlap have other values of a series at the same times
    --skip-damaged             leave out blocks, series and chunks that are damaged: standard error and --json
                               name each; every chunk is decoded for it
    --json                     an object about the block
    --quiet                    no summary, no progress
    -h, --help                 this text

    Chunks that overlap no others are copied. Those that do are decoded and merged: of several samples of
    a series and time one is kept, and the others are counted: those of the same value, and those that are
    lost. What tombstones delete is left out, and series without samples with it.
    The order of BLOCKs is kept in the meta file, and decides which of two samples is kept. What Thanos
    says of them stays where they have the same labels and downsampling, else it is left out.
    The meta file names BLOCKs as parents: in one data folder Prometheus takes them for replaced, and
    removes them. So does `-o DIR DIR`, which is what the compactor does.
    Killed at any moment it leaves no half block, and the next run with the same DIR sweeps up.
    Exit code: 0 when a block was made, 1 when no sample was left, 2 when something failed.
";

const MEMORY: u64 = 256 << 20;

const NOTHING: u8 = 1;

/// Answers a command line.
pub(super) fn run(words: &[OsString]) -> ExitCode {
    command(Reader::Optional, |out| salvage::hinted(words, answer(words, out)))
}

/// Form of the summary, if there is one.
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
    dry_run: bool,
    strict: bool,
    skip_damaged: bool,
    form: Form,
}

fn answer(words: &[OsString], out: &mut Print) -> Result<u8> {
    let Some(call) = parse(words)? else {
        out.write_all(HELP.as_bytes())?;
        return Ok(0);
    };
    let started = Instant::now();
    let salvage = salvage::new();
    let blocks = open(&call, &salvage)?;
    let ulid = fresh_names().context("there are no random bytes for the block's name")?();
    let show = if call.form == Form::Nothing { Show::Nothing } else { Show::Progress };
    let run = |target: Option<&Target>, salvage: &Salvage| {
        let skip_damaged = call.skip_damaged.then_some(salvage);
        let options = MergeOptions { ulid, memory: call.memory, skip_damaged };
        watched(show, Signals::Noted, |watch| merge(&blocks, target, &options, watch))
    };
    if call.strict && !call.dry_run {
        refuse_loss(&run(None, &Salvage::new(0))?)?;
    }
    let target = || Target::open(&call.output).with_context(|| call.output.display().to_string());
    let target = (!call.dry_run).then(target).transpose()?;
    let report = run(target.as_ref(), &salvage)?;
    tell(&call, &report, &salvage, blocks.len(), started.elapsed(), out)?;
    if call.strict {
        refuse_loss(&report)?;
    }
    if report.block.is_some() && call.form != Form::Nothing {
        made::warn_of_parents(&call.output, &blocks);
    }
    Ok(if report.meta.stats.num_samples > 0 { 0 } else { NOTHING })
}

/// Opens the blocks in the order in which they are given.
fn open(call: &Call, salvage: &Salvage) -> Result<Vec<Block>> {
    let mut blocks = Vec::new();
    for input in &call.inputs {
        for path in block_paths(input)? {
            match Block::open(&path) {
                Err(error) if call.skip_damaged => salvage.block(&path, &error),
                block => blocks.push(block?),
            }
        }
    }
    Ok(blocks)
}

/// An error if samples would be lost.
fn refuse_loss(report: &MergeReport) -> Result<()> {
    let lost = report.left_out.lost;
    if lost > 0 {
        let lost = counted(lost, "sample");
        bail!(
            "nothing was written, as --strict wants it: {lost} would be lost to others of the \
             same time"
        );
    }
    Ok(())
}

fn tell(
    call: &Call,
    report: &MergeReport,
    salvage: &Salvage,
    blocks: usize,
    took: Duration,
    out: &mut Print,
) -> Result<()> {
    salvage::tell(salvage);
    let text = match call.form {
        Form::Nothing => return Ok(()),
        Form::Text => as_text(report, blocks, took),
        Form::Json => {
            let mut row = as_json(report, call.dry_run, took);
            row["skipped"] = salvage::json(salvage);
            format!("{row}\n")
        }
    };
    out.write_all(text.as_bytes())?;
    Ok(())
}

/// `None` where only help was wanted.
fn parse(words: &[OsString]) -> Result<Option<Call>> {
    let (mut inputs, mut output) = (Vec::new(), None);
    let (mut memory, mut form) = (MEMORY, Form::Text);
    let (mut dry_run, mut strict, mut skip_damaged) = (false, false, false);
    let mut parser = lexopt::Parser::from_args(words.iter().cloned());
    while let Some(word) = parser.next()? {
        match word {
            Short('h') | Long("help") => return Ok(None),
            Short('o') | Long("output") => output = Some(PathBuf::from(parser.value()?)),
            Long("memory") => memory = units::memory(&parser.value()?.string()?)?,
            Long("dry-run") => dry_run = true,
            Long("strict") => strict = true,
            Long("skip-damaged") => skip_damaged = true,
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
    Ok(Some(Call { inputs, output, memory, dry_run, strict, skip_damaged, form }))
}

fn as_text(report: &MergeReport, blocks: usize, took: Duration) -> String {
    let mut out = made::text_of_try(report.block.as_ref(), &report.meta);
    out += &made::samples_text(&report.left_out, report.meta.stats.num_samples);
    let (blocks, took) = (counted(blocks as u64, "block"), took.as_secs_f64());
    match report.block {
        Some(_) => out + &format!("merged {blocks}, {took:.1} s\n"),
        None => out,
    }
}

fn as_json(report: &MergeReport, dry_run: bool, took: Duration) -> Json {
    let (meta, stats) = (&report.meta, &report.meta.stats);
    let source_samples = made::samples_json(&report.left_out, stats.num_samples);
    if stats.num_samples == 0 {
        return json!({ "type": "nothing", "source_samples": source_samples });
    }
    json!({
        "type": if dry_run { "dry_run" } else { "block" },
        "ulid": report.block.as_ref().map(|_| &meta.ulid),
        "path": report.block.as_ref().map(|block| block.path.to_string_lossy()),
        "min_time": meta.min_time,
        "max_time": meta.max_time,
        "series": stats.num_series,
        "samples": stats.num_samples,
        "chunks": stats.num_chunks,
        "source_samples": source_samples,
        "parents": meta.compaction.parents.len(),
        "level": meta.compaction.level,
        "took_ms": took.as_millis() as u64,
    })
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
        let call = parsed("b a -o out --memory 32M").unwrap();
        let inputs = vec![PathBuf::from("b"), PathBuf::from("a")];
        let output = PathBuf::from("out");
        let (dry_run, strict, skip_damaged, form) = (false, false, false, Form::Text);
        let memory = 32 << 20;
        let want = Call { inputs, output, memory, dry_run, strict, skip_damaged, form };
        assert_eq!(call, want);
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
