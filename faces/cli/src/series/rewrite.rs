//! `manicule series rewrite`: a block with other series, labels or samples.
//!
//! Callers: series

use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use lexopt::prelude::*;
use manicule::blocks::fresh_names;
use manicule::series::rewrite::{
    Deletion, Effect, Relabel, RewriteOptions, Rewritten, RuleRef, Rules, rewrite,
};
use manicule::series::{Block, Interval, Salvage, Target};
use serde_json::json;

use super::ask::{selector, text, time};
use super::{made, salvage};
use crate::messages::say;
use crate::print::{Print, Reader, command};
use crate::progress::{Show, Signals, watched};
use crate::units::{self, counted};

pub(super) const HELP: &str = "\
manicule series rewrite -o DIR [OPTIONS] BLOCK
    Makes a new block of a block, which stays as it is. All SELECTORs speak of the labels that it has;
    then labels change by the rules, then values are hidden. Series that have the same labels then
    become one. What tombstones delete is gone, as are symbols that nothing uses.

    -o, --output DIR           where the new block goes; it is made where it is missing
    --keep SELECTOR            only these series stay (several: any of them)
    --drop SELECTOR            these go (several: all of them)
    --delete SELECTOR          samples of these series go (several: all of them), of all times unless
                               --start or --end follow
    --start TIME               ... only those from this time on: seconds since 1970, RFC 3339,
                               2024-04-05 (UTC), now, -2h
    --end TIME                 ... only those up to this time
    --relabel FILE             rules as in prometheus.yml: a YAML list, alone or under relabel_configs,
                               metric_relabel_configs or write_relabel_configs (several: one after the other)
    --redact LABEL             values of the label become redacted_HASH, equal ones alike (several)
    --salt-file FILE           what these are hashed with: who has not got it can't find them by trying
    --dry-run                  say what would be done; nothing is written
    --strict                   exit with 2, and write nothing, where there would be a warning
    --skip-damaged             leave out series and chunks that are damaged: standard error and --json name
                               each; every chunk is decoded for it
    --memory SIZE              memory for posting lists of the index (512MiB, at least 16MiB)
    --json                     an object rather than sentences
    -h, --help                 this text

    Every series and sample that the new block lacks is counted, by selector, rule and label. Standard
    error warns of one that took nothing, of a labelmap to an empty name, and of samples that are lost
    because series that became one have other values at the same times.
    The meta file names BLOCK as a parent: in one data folder Prometheus takes it for replaced, and
    removes it. If no sample is left, no block is made.
    Exit code: 0 when a block was made, 1 when nothing was left, 2 when something failed.
";

const MEMORY: u64 = 512 << 20;

struct Call {
    block: PathBuf,
    output: PathBuf,
    rules: Rules,
    /// Where each of the relabelling rules stands.
    rule_names: Vec<String>,
    memory: u64,
    dry_run: bool,
    strict: bool,
    skip_damaged: bool,
    json: bool,
}

/// Answers a command line.
pub(super) fn run(words: &[OsString]) -> ExitCode {
    command(Reader::Optional, |out| salvage::hinted(words, answer(words, out)))
}

fn answer(words: &[OsString], out: &mut Print) -> Result<u8> {
    let Some(call) = parse(words)? else {
        out.write_all(HELP.as_bytes())?;
        return Ok(0);
    };
    let block = Block::open(&call.block)?;
    let ulid = fresh_names().context("there are no random bytes for the name of a block")?();
    let run = |target: Option<&Target>, salvage: &Salvage| {
        let skip_damaged = call.skip_damaged.then_some(salvage);
        let options = RewriteOptions { ulid, memory: call.memory, skip_damaged };
        watched(Show::Progress, Signals::Noted, |watch| {
            rewrite(&block, target, &call.rules, &options, watch)
        })
    };
    if call.strict && !call.dry_run {
        let warnings = warnings(&call, &run(None, &Salvage::new(0))?);
        if !warnings.is_empty() {
            warnings.iter().for_each(|warning| say(warning));
            bail!(REFUSED);
        }
    }
    let target = || Target::open(&call.output).with_context(|| call.output.display().to_string());
    let target = (!call.dry_run).then(target).transpose()?;
    let salvage = salvage::new();
    let done = run(target.as_ref(), &salvage)?;
    let warnings = warnings(&call, &done);
    warnings.iter().for_each(|warning| say(warning));
    salvage::tell(&salvage);
    let text = match call.json {
        true => as_json(&call, &done, &warnings, &salvage),
        false => as_text(&call, &done),
    };
    out.write_all(text.as_bytes())?;
    if call.strict && !warnings.is_empty() {
        bail!(REFUSED);
    }
    if done.block.is_some() {
        made::warn_of_parents(&call.output, std::slice::from_ref(&block));
    }
    Ok(u8::from(done.meta.stats.num_samples == 0))
}

const REFUSED: &str = "nothing was written, as --strict wants it after a warning";

/// `None` where only help was wanted.
fn parse(words: &[OsString]) -> Result<Option<Call>> {
    let (mut block, mut output) = (None, None);
    let (mut rules, mut rule_names) = (Rules::default(), Vec::new());
    let (mut memory, mut json) = (MEMORY, false);
    let (mut dry_run, mut strict, mut skip_damaged) = (false, false, false);
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
            Long("relabel") => {
                let path = PathBuf::from(parser.value()?);
                for (at, rule) in relabel(&path)?.into_iter().enumerate() {
                    let (path, number, action) = (path.display(), at + 1, rule.action().as_str());
                    rule_names.push(format!("{path}, rule {number} ({action})"));
                    rules.relabel.push(rule);
                }
            }
            Long("redact") => rules.redact.push(parser.value()?.string()?.into_bytes()),
            Long("salt-file") => {
                let path = PathBuf::from(parser.value()?);
                rules.salt = fs::read(&path).with_context(|| path.display().to_string())?;
            }
            Long("dry-run") => dry_run = true,
            Long("strict") => strict = true,
            Long("skip-damaged") => skip_damaged = true,
            Long("memory") => memory = units::memory(&parser.value()?.string()?)?,
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
    Ok(Some(Call { block, output, rules, rule_names, memory, dry_run, strict, skip_damaged, json }))
}

/// The times of the last `--delete`.
fn last(rules: &mut Rules) -> Result<&mut Interval> {
    let last = rules.delete.last_mut().map(|deletion| &mut deletion.times);
    last.context("--start and --end say the times of a --delete before them")
}

fn relabel(path: &Path) -> Result<Vec<Relabel>> {
    let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
    Relabel::from_yaml(&text).with_context(|| path.display().to_string())
}

/// A selector, rule or label as the command line has it.
fn name_of(call: &Call, rule: RuleRef) -> String {
    let rules = &call.rules;
    match rule {
        RuleRef::Keep(number) => format!("--keep {}", rules.keep[number]),
        RuleRef::Drop(number) => format!("--drop {}", rules.drop[number]),
        RuleRef::Delete(number) => format!("--delete {}", rules.delete[number].selector),
        RuleRef::Relabel(number) => call.rule_names[number].clone(),
        RuleRef::Redact(number) => format!("--redact {}", text(&rules.redact[number])),
    }
}

/// What is nearly always a mistake.
fn warnings(call: &Call, done: &Rewritten) -> Vec<String> {
    let mut warnings = Vec::new();
    for effect in &done.effects {
        let (name, series) = (name_of(call, effect.rule), effect.series);
        if effect.nameless > 0 {
            let labels = counted(effect.nameless, "label");
            warnings.push(format!(
                "{name}: {labels} would get an empty name and are left out; the replacement takes a \
                 group that the expression has not got, or that is empty"
            ));
        } else if effect.is_idle() {
            warnings.push(match effect.rule {
                RuleRef::Keep(_) | RuleRef::Drop(_) => format!("{name}: selects no series"),
                RuleRef::Delete(_) if series == 0 => {
                    format!("{name}: selects no series that stays")
                }
                RuleRef::Delete(_) => {
                    format!("{name}: no sample of its {series} series lies in these times")
                }
                RuleRef::Relabel(_) => format!("{name}: changes no series and drops none"),
                RuleRef::Redact(_) => format!("{name}: no series that stays has this label"),
            });
        }
    }
    let left = &done.left_out;
    if left.lost > 0 {
        let lost = counted(left.lost, "sample");
        warnings.push(format!(
            "lost {lost}: series that became one have other values at the same times"
        ));
    }
    if left.uncounted > 0 {
        warnings.push(format!(
            "{} that went can't be read: the samples are in no count",
            counted(left.uncounted, "chunk")
        ));
    }
    warnings
}

fn as_text(call: &Call, done: &Rewritten) -> String {
    let mut out = made::text_of_try(done.block.as_ref(), &done.meta);
    out += &format!("{} series of {}", done.meta.stats.num_series, done.series);
    if done.dropped > 0 {
        out += &format!(", {} left out", done.dropped);
    }
    if done.unread > 0 {
        out += &format!(", {} damaged", done.unread);
    }
    if done.united > 0 {
        out += &format!(", {} united with others", counted(done.united, "duplicate"));
    }
    if done.emptied > 0 {
        out += &format!(", {} without a sample", done.emptied);
    }
    out += "\n";
    out += &made::samples_text(&done.left_out, done.meta.stats.num_samples);
    for effect in &done.effects {
        out += &format!("{}: {} series", name_of(call, effect.rule), effect.series);
        if effect.samples > 0 {
            out += &format!(", {}", counted(effect.samples, "sample"));
        }
        out += "\n";
    }
    out
}

fn as_json(call: &Call, done: &Rewritten, warnings: &[String], salvage: &Salvage) -> String {
    let effect = |effect: &Effect| {
        json!({
            "rule": name_of(call, effect.rule),
            "series": effect.series,
            "dropped": effect.dropped,
            "samples": effect.samples,
        })
    };
    let row = json!({
        "type": "rewritten",
        "dry_run": call.dry_run,
        "block": done.block.as_ref().map(made::json),
        "series": done.series,
        "dropped": done.dropped,
        "united": done.united,
        "emptied": done.emptied,
        "samples": made::samples_json(&done.left_out, done.meta.stats.num_samples),
        "rules": done.effects.iter().map(effect).collect::<Vec<_>>(),
        "warnings": warnings,
        "unread": done.unread,
        "skipped": salvage::json(salvage),
    });
    format!("{row}\n")
}
