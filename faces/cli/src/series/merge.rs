//! `manicule series merge`: blocks into one.

use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use manicule::series::merge::MergeReport;
use manicule::series::{ExternalLabels, Made, MergeCall, merge};
use serde_json::{Value as Json, json};

use super::external::{EXTERNAL_LABEL, add};
use super::input::tell_unread;
use super::{block_row, memory, salvage};
use crate::command::flag::set;
use crate::command::{Command, Declared, Does, Flag, Help, Operand, Usage, exit, shared};
use crate::print::{self, Form, Print, Reader};
use crate::progress::{Show, Signals, watched};
use crate::units::counted;

pub(super) static COMMAND: Command = Command {
    name: "merge",
    operands: "-o DIR BLOCK...",
    summary: "merge several blocks into one, as Prometheus's compactor does",
    help: Help {
        calls: &[Usage {
            words: "-o DIR [OPTIONS] BLOCK...",
            about: "\
Merges several blocks, or all blocks of a folder, into one. The block is the one that Prometheus's compactor would write, byte for
byte except for its name; the inputs are kept.",
        }],
        notes: "\
Chunks that don't overlap are copied. Overlapping chunks are decoded and merged: if a series has several samples at one time, one
is kept, and the others are counted: those with the same value, and those that are lost. Data deleted by tombstones are left out,
and so are series without samples.

The order of BLOCKs is kept in the meta file, and decides which of two samples is kept. Thanos's metadata are kept if all have the
same labels and downsampling, else dropped. The meta file names BLOCKs as parents: in one data folder Prometheus considers them
replaced, and removes them. So does `-o DIR DIR`, which is what the compactor does.

If killed at any moment, it leaves no partial block, and the next run with the same DIR cleans up. In a bucket a block is put file
by file, meta.json last: without that it is no block to Thanos and Mimir, which remove what is left of it.",
        exit: "0 when a block was written, 1 when no sample was left, 2 when something failed.",
    },
    does: Does::Job(&JOB),
};

static JOB: Declared<Call> = Declared::of(FLAGS, finish, Reader::Optional, |call, out| {
    salvage::hinted(call.skip_damaged, answer(call, out))
})
.at_addresses()
.taking(&[Operand::Paths(|o| &mut o.inputs)]);

static FLAGS: &[Flag<Call>] = &[
    shared::OUTPUT_PLACE.does(set!(|call, value| call.output = value.path())),
    EXTERNAL_LABEL.more("Default: those of all BLOCKs.").does(|o, value| add(&mut o.external_labels, &value)),
    memory::MERGE.flag.does(set!(|call, value| call.memory = value.memory()?)),
    shared::DRY_RUN.sets(|call| &mut call.dry_run),
    shared::STRICT
        .here("Exit with 2 and write nothing if a sample would be lost.")
        .more("A sample is lost when overlapping blocks have different values of a series at the same time.")
        .sets(|call| &mut call.strict),
    shared::SKIP_DAMAGED
        .here("Skip damaged blocks, series and chunks; each is reported on standard error.")
        .more("--json lists each too. Decodes every chunk.")
        .sets(|call| &mut call.skip_damaged),
    shared::JSON.here("Print one JSON object that describes the block.").does(set!(|call| call.form = Form::Json)),
    shared::QUIET.does(set!(|call| call.form = Form::Nothing)),
];

#[derive(Clone, Debug, PartialEq, Eq)]
struct Call {
    /// Blocks, or folders of blocks.
    inputs: Vec<PathBuf>,
    output: PathBuf,
    external_labels: ExternalLabels,
    memory: u64,
    dry_run: bool,
    strict: bool,
    skip_damaged: bool,
    form: Form,
}

impl Default for Call {
    fn default() -> Call {
        Call {
            inputs: Vec::new(),
            output: PathBuf::new(),
            external_labels: ExternalLabels::new(),
            memory: memory::MERGE.len,
            dry_run: false,
            strict: false,
            skip_damaged: false,
            form: Form::Text,
        }
    }
}

fn finish(call: Call) -> Result<Call> {
    if call.output.as_os_str().is_empty() {
        bail!("say with -o DIR where the block goes");
    }
    Ok(call)
}

fn answer(call: &Call, out: &mut Print) -> Result<u8> {
    let started = Instant::now();
    let job = MergeCall {
        inputs: call.inputs.clone(),
        output: call.output.clone(),
        external_labels: call.external_labels.clone(),
        memory: call.memory,
        writes: block_row::writes(call.dry_run, call.strict),
        skip_damaged: call.skip_damaged,
    };
    let made = watched(Show::of(call.form), Signals::Noted, |watch| merge(&job, watch))?;
    tell_unread(&made.left_out);
    if made.is_refused {
        bail!(refusal(&made.report));
    }
    tell(call, &made, started.elapsed(), out)?;
    if call.strict && made.report.left_out.lost > 0 {
        bail!(refusal(&made.report));
    }
    if call.form != Form::Nothing {
        block_row::warn_of_parents(&call.output, made.parents_beside);
    }
    Ok(exit::if_any(made.report.meta.stats.num_samples > 0))
}

/// Why `--strict` writes nothing.
fn refusal(report: &MergeReport) -> String {
    format!(
        "nothing was written, as --strict is given: {} would be lost to others of the same time",
        counted(report.left_out.lost, "sample")
    )
}

fn tell(call: &Call, made: &Made<MergeReport>, took: Duration, out: &mut Print) -> Result<()> {
    let (report, salvage) = (&made.report, &made.salvage);
    salvage::tell(salvage);
    match call.form {
        Form::Nothing => {}
        Form::Text => out.write_all(as_text(report, made.block_count, took).as_bytes())?,
        Form::Json => {
            let (kind, mut fields) = as_json(report, call.dry_run, took);
            fields["skipped"] = print::json(salvage);
            out.row(kind, fields)?;
        }
    }
    Ok(())
}

fn as_text(report: &MergeReport, blocks: u64, took: Duration) -> String {
    let mut out = block_row::text_of_try(report.block.as_ref(), &report.meta);
    out += &block_row::samples_text(&report.left_out, report.meta.stats.num_samples);
    let (blocks, took) = (counted(blocks, "block"), took.as_secs_f64());
    match report.block {
        Some(_) => out + &format!("merged {blocks}, {took:.1} s\n"),
        None => out,
    }
}

/// The type of the object, and its fields.
fn as_json(report: &MergeReport, dry_run: bool, took: Duration) -> (&'static str, Json) {
    if report.meta.stats.num_samples == 0 {
        return ("nothing", print::json(report));
    }
    let fields = print::json_with(report, json!({ "took_ms": took.as_millis() as u64 }));
    (if dry_run { "dry_run" } else { "block" }, fields)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_said_is_the_default() {
        let call = JOB.parsed("b a -o out --memory 32M").unwrap();
        let inputs = vec![PathBuf::from("b"), PathBuf::from("a")];
        let output = PathBuf::from("out");
        let (dry_run, strict, skip_damaged, form) = (false, false, false, Form::Text);
        let memory = 32 << 20;
        let external_labels = ExternalLabels::new();
        let want =
            Call { inputs, output, external_labels, memory, dry_run, strict, skip_damaged, form };
        assert_eq!(call, want);
        assert_eq!(JOB.parsed("a -o out").unwrap().memory, 256 << 20);
    }

    #[test]
    fn what_is_missing_is_said() {
        for (line, want) in [
            ("a", "say with -o DIR where the block goes"),
            ("-o out", "missing BLOCK; usage: manicule series merge -o DIR BLOCK..."),
        ] {
            assert_eq!(format!("{:#}", JOB.parsed(line).unwrap_err()), want);
        }
    }
}
