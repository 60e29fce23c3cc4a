//! `manicule series rewrite`: a block with other series, labels or samples.
//!
//! Callers: series

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use lexopt::prelude::*;
use manicule::blocks::fresh_names;
use manicule::series::rewrite::{Deletion, Relabel, RewriteOptions, Rewritten, Rules, rewrite};
use manicule::series::{Block, Interval, Target};
use serde_json::json;

use super::ask::{selector, time};
use super::made;
use crate::messages::exit_code;
use crate::units::{counted, size};

const HELP: &str = "\
manicule series rewrite -o DIR [OPTIONS] BLOCK
    Makes a new block of a block, which stays as it is. All SELECTORs speak of the labels that it has;
    then labels change by the rules, then values are hidden. Series that have the same labels then
    become one. What tombstones delete is gone, as are symbols that nothing uses.

    -o, --output DIR           where the new block goes; it is made where it is missing
    --keep SELECTOR            only these series stay (several: any of them)
    --drop SELECTOR            these go (several: all of them)
    --delete SELECTOR          samples of these series go (several: all of them), of the times that the
    --start TIME               next --start and --end say, both included: seconds since 1970 or RFC 3339;
    --end TIME                 without them all times
    --relabel FILE             rules as in prometheus.yml: a YAML list, alone or under relabel_configs,
                               metric_relabel_configs or write_relabel_configs (several: one after the other)
    --redact LABEL             values of the label become redacted_HASH, equal ones alike (several)
    --salt-file FILE           what these are hashed with: who has not got it can't find them by trying
    --memory SIZE              memory for posting lists of the index (512MiB)
    --json                     an object rather than sentences
    -h, --help                 this text

    The meta file names BLOCK as a parent: in one data folder Prometheus takes it for replaced, and
    removes it. If no sample is left, no block is made.
    Exit code: 0 when a block was made, 1 when nothing was left, 2 when something failed.
";

const MEMORY: u64 = 512 << 20;

struct Call {
    block: PathBuf,
    output: PathBuf,
    rules: Rules,
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
    let target = Target::open(&call.output).with_context(|| call.output.display().to_string())?;
    let ulid = fresh_names().context("there are no random bytes for the name of a block")?();
    let options = RewriteOptions { ulid, memory: call.memory };
    let done = rewrite(&block, &target, &call.rules, &options)?;
    let text = if call.json { as_json(&done) } else { as_text(&done) };
    io::stdout().write_all(text.as_bytes())?;
    Ok(u8::from(done.block.is_none()))
}

/// `None` where only help was wanted.
fn parse(words: &[OsString]) -> Result<Option<Call>> {
    let (mut block, mut output) = (None, None);
    let (mut rules, mut memory, mut json) = (Rules::default(), MEMORY, false);
    let mut parser = lexopt::Parser::from_args(words.iter().cloned());
    while let Some(word) = parser.next()? {
        match word {
            Short('h') | Long("help") => return Ok(None),
            Short('o') | Long("output") => output = Some(PathBuf::from(parser.value()?)),
            Long("keep") => rules.keep.push(selector(&parser.value()?.string()?)?),
            Long("drop") => rules.drop.push(selector(&parser.value()?.string()?)?),
            Long("delete") => {
                let times = Interval { min_time: i64::MIN, max_time: i64::MAX };
                let selector = selector(&parser.value()?.string()?)?;
                rules.delete.push(Deletion { selector, times });
            }
            Long("start") => {
                last(&mut rules)?.min_time = time("start", &parser.value()?.string()?)?
            }
            Long("end") => last(&mut rules)?.max_time = time("end", &parser.value()?.string()?)?,
            Long("relabel") => rules.relabel.extend(relabel(parser.value()?.into())?),
            Long("redact") => rules.redact.push(parser.value()?.string()?.into_bytes()),
            Long("salt-file") => {
                let path = PathBuf::from(parser.value()?);
                rules.salt = fs::read(&path).with_context(|| path.display().to_string())?;
            }
            Long("memory") => memory = size(&parser.value()?.string()?)?,
            Long("json") => json = true,
            Value(path) if block.is_none() => block = Some(PathBuf::from(path)),
            other => return Err(other.unexpected().into()),
        }
    }
    for deletion in &rules.delete {
        if deletion.times.min_time > deletion.times.max_time {
            bail!("--delete {}: its --end is before its --start", deletion.selector);
        }
    }
    let output = output.context("say with -o DIR where the new block goes")?;
    let block = block.context("a block is wanted: manicule series rewrite -o DIR BLOCK")?;
    Ok(Some(Call { block, output, rules, memory, json }))
}

/// The times of the last `--delete`.
fn last(rules: &mut Rules) -> Result<&mut Interval> {
    let last = rules.delete.last_mut().map(|deletion| &mut deletion.times);
    last.context("--start and --end say the times of a --delete before them")
}

fn relabel(path: PathBuf) -> Result<Vec<Relabel>> {
    let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    Relabel::from_yaml(&text).with_context(|| path.display().to_string())
}

fn as_text(done: &Rewritten) -> String {
    let mut out = match &done.block {
        Some(block) => made::text(block),
        None => "no sample is left: no block was made\n".to_owned(),
    };
    let kept = done.series - done.dropped - done.united;
    out += &format!("{kept} series of {}", done.series);
    if done.dropped > 0 {
        out += &format!(", {} left out", done.dropped);
    }
    if done.united > 0 {
        out += &format!(", {} united with others", counted(done.united, "duplicate"));
    }
    out + "\n"
}

fn as_json(done: &Rewritten) -> String {
    let row = json!({
        "type": "rewritten",
        "block": done.block.as_ref().map(made::json),
        "series": done.series,
        "dropped": done.dropped,
        "united": done.united,
    });
    format!("{row}\n")
}
