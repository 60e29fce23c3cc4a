//! `manicule series rewrite`: a block with other series, labels or samples.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use manicule::json::text;
use manicule::series::rewrite::{Deletion, Effect, Relabel, Rewritten, RuleRef, Rules};
use manicule::series::{ExternalLabels, Interval, RewriteCall, Salvage, rewrite};
use serde_json::{Value as Json, json};

use super::external::{EXTERNAL_LABEL, add};
use super::input::{only_block, selector, time};
use super::{block_row, memory, salvage};
use crate::command::flag::set;
use crate::command::spec::spec;
use crate::command::{Command, Declared, Does, Flag, Help, Operand, Usage, exit, shared};
use crate::messages::say;
use crate::print::{self, Print, Reader};
use crate::progress::{Show, Signals, watched};
use crate::units::counted;

pub(super) static COMMAND: Command = Command {
    name: "rewrite",
    operands: "-o DIR BLOCK",
    summary: "rewrite a block with other series, labels or samples",
    help: Help {
        calls: &[Usage {
            words: "-o DIR [OPTIONS] BLOCK",
            about: "\
Writes a new block from a block, which is not changed. All SELECTORs apply to its original labels; then labels change by the
rules, then values are redacted. Series that then have the same labels are merged. Data deleted by tombstones and unused symbols
are dropped.",
        }],
        notes: "\
Every dropped series and sample is counted, by selector, rule and label. Warnings on standard error report one that matched
nothing, a labelmap to an empty name, and samples that are lost because merged series have different values at the same time.

The meta file names BLOCK as a parent: in one data folder Prometheus considers it replaced, and removes it. If no sample is left,
no block is written.",
        exit: "0 when a block was written, 1 when nothing was left, 2 when something failed.",
    },
    does: Does::Job(&JOB),
};

static JOB: Declared<Options, Call> = Declared::of(FLAGS, finish, Reader::Optional, |call, out| {
    salvage::hinted(call.job.skip_damaged, answer(call, out))
})
.at_addresses()
.taking(&[Operand::Path(|o| &mut o.block)]);

static FLAGS: &[Flag<Options>] = &[
    shared::OUTPUT_PLACE.does(set!(|o, value| o.output = Some(value.path()))),
    spec("keep", "", "Keep only these series (several: any of them).")
        .takes("SELECTOR")
        .does(set!(|o, value| o.rules.keep.push(selector(value.text()?)?))),
    spec("drop", "", "Drop these series (several: all of them).")
        .takes("SELECTOR")
        .does(set!(|o, value| o.rules.drop.push(selector(value.text()?)?))),
    spec("delete", "", "Delete samples of these series (several: all of them).")
        .takes("SELECTOR")
        .more("At all times, unless followed by --start or --end.")
        .does(|o, value| {
            let times = Interval { min_time: i64::MIN, max_time: i64::MAX };
            o.rules.delete.push(Deletion { selector: selector(value.text()?)?, times });
            Ok(())
        }),
    shared::START
        .here("Start of the time range of the preceding --delete.")
        .does(set!(|o, value| last(&mut o.rules)?.min_time = time(&value)?)),
    shared::END.here("End of the time range of the preceding --delete.").does(set!(|o, value| last(&mut o.rules)?.max_time = time(&value)?)),
    spec("relabel", "", "Apply the rules of FILE, as in prometheus.yml (several: in order).")
        .takes("FILE")
        .more("A YAML list, at the top level or under relabel_configs, metric_relabel_configs or write_relabel_configs.")
        .does(|o, value| o.add_rules(&value.path())),
    spec("redact", "", "Replace values of the label by redacted_HASH; equal values get equal hashes (several).")
        .takes("LABEL")
        .does(set!(|o, value| o.rules.redact.push(value.string()?.into_bytes()))),
    spec("salt-file", "", "Salt for the hashes: without it the values can't be recovered by guessing.")
        .takes("FILE")
        .does(|o, value| {
            let path = value.path();
            o.rules.salt = fs::read(&path).with_context(|| path.display().to_string())?;
            Ok(())
        }),
    shared::DRY_RUN.sets(|o| &mut o.dry_run),
    shared::STRICT.here("Exit with 2 and write nothing if there would be a warning.").sets(|o| &mut o.strict),
    shared::SKIP_DAMAGED
        .here("Skip damaged series and chunks; each is reported on standard error.")
        .more("--json lists each too. Decodes every chunk.")
        .sets(|o| &mut o.skip_damaged),
    EXTERNAL_LABEL.more("Default: those of BLOCK.").does(|o, value| add(&mut o.external_labels, &value)),
    memory::REWRITE.flag.does(set!(|o, value| o.memory = Some(value.memory()?))),
    shared::JSON_ONE.sets(|o| &mut o.json),
];

#[derive(Default)]
struct Options {
    block: PathBuf,
    output: Option<PathBuf>,
    external_labels: ExternalLabels,
    rules: Rules,
    rule_names: Vec<String>,
    memory: Option<u64>,
    dry_run: bool,
    strict: bool,
    skip_damaged: bool,
    json: bool,
}

impl Options {
    /// Adds the relabelling rules of a file.
    fn add_rules(&mut self, path: &Path) -> Result<()> {
        for (at, rule) in relabel(path)?.into_iter().enumerate() {
            let (path, number, action) = (path.display(), at + 1, rule.action().as_str());
            self.rule_names.push(format!("{path}, rule {number} ({action})"));
            self.rules.relabel.push(rule);
        }
        Ok(())
    }
}

struct Call {
    job: RewriteCall,
    /// Where each of the relabelling rules stands.
    rule_names: Vec<String>,
    dry_run: bool,
    strict: bool,
    json: bool,
}

fn finish(options: Options) -> Result<Call> {
    let Options { block, output, external_labels, rules, rule_names, .. } = options;
    let Options { memory, dry_run, strict, skip_damaged, json, .. } = options;
    for deletion in &rules.delete {
        if deletion.times.min_time > deletion.times.max_time {
            bail!("--delete {}: its --end is before its --start", deletion.selector);
        }
    }
    let output = output.context("say with -o DIR where the new block goes")?;
    let block = only_block(block);
    let memory = memory.unwrap_or(memory::REWRITE.len);
    let writes = block_row::writes(dry_run, strict);
    let job = RewriteCall { block, output, external_labels, rules, memory, writes, skip_damaged };
    Ok(Call { job, rule_names, dry_run, strict, json })
}

fn answer(call: &Call, out: &mut Print) -> Result<u8> {
    let made = watched(Show::Progress, Signals::Noted, |watch| rewrite(&call.job, watch))?;
    let (done, salvage) = (&made.report, &made.salvage);
    let warnings = warnings(call, done);
    warnings.iter().for_each(|warning| say(warning));
    if made.is_refused {
        bail!(REFUSED);
    }
    salvage::tell(salvage);
    if call.json {
        out.row("rewritten", as_json(call, done, &warnings, salvage))?
    } else {
        out.write_all(as_text(call, done).as_bytes())?
    }
    if call.strict && !warnings.is_empty() {
        bail!(REFUSED);
    }
    block_row::warn_of_parents(&call.job.output, made.parents_beside);
    Ok(exit::if_any(done.meta.stats.num_samples > 0))
}

const REFUSED: &str = "nothing was written: --strict makes a warning an error";

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
    let rules = &call.job.rules;
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
    let chooses = !call.job.rules.keep.is_empty() || !call.job.rules.drop.is_empty();
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
                RuleRef::Delete(_) if series == 0 && chooses => {
                    format!("{name}: selects no series that is kept")
                }
                RuleRef::Keep(_) | RuleRef::Drop(_) => format!("{name}: selects no series"),
                RuleRef::Delete(_) if series == 0 => format!("{name}: selects no series"),
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
    let mut out = block_row::text_of_try(done.block.as_ref(), &done.meta);
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
    out += &block_row::samples_text(&done.left_out, done.meta.stats.num_samples);
    for effect in &done.effects {
        out += &format!("{}: {} series", name_of(call, effect.rule), effect.series);
        if effect.samples > 0 {
            out += &format!(", {}", counted(effect.samples, "sample"));
        }
        out += "\n";
    }
    out
}

/// What the call says is added to the report: names of rules, warnings.
fn as_json(call: &Call, done: &Rewritten, warnings: &[String], salvage: &Salvage) -> Json {
    let effect =
        |effect: &Effect| print::json_with(effect, json!({ "rule": name_of(call, effect.rule) }));
    let of_call = json!({
        "dry_run": call.dry_run,
        "rules": done.effects.iter().map(effect).collect::<Vec<_>>(),
        "warnings": warnings,
        "skipped": print::json(salvage),
    });
    print::json_with(done, of_call)
}
