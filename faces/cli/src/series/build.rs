//! `manicule series build`: samples in text into blocks.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use manicule::series::build::{BuildReport, Dialect, Input, block_range};
use manicule::series::{BuildCall, build};
use serde_json::json;

use super::external::{EXTERNAL_LABEL, add};
use super::memory;
use crate::command::flag::set;
use crate::command::spec::spec;
use crate::command::{Command, Declared, Does, Flag, Help, Operand, Usage, exit, shared};
use crate::print::{self, Form, Print, Reader};
use crate::progress::{Show, Signals, watched};
use crate::units::counted;

pub(super) static COMMAND: Command = Command {
    name: "build",
    operands: "-o DIR [FILE...]",
    summary: "build blocks from samples in OpenMetrics or Prometheus text",
    help: Help {
        calls: &[Usage {
            words: "-o DIR [OPTIONS] [FILE...]",
            about: concat!(
                "\
Builds blocks from samples in text files, or from standard input (no FILE, or -), each with a timestamp. The blocks are
those of `promtool tsdb create-blocks-from openmetrics`, byte for byte, but keep what promtool loses: samples out of
order, and samples before 1970. The table: ",
                env!("CARGO_PKG_REPOSITORY"),
                "/tree/main/docs/guide/make-blocks.md"
            ),
        }],
        notes: "\
Samples may come in any order. If a series has several samples at one time, the first is kept. Exemplars are dropped, and so are
help texts, types and units, except that a type normalizes histogram bounds and summary quantiles: le=\"1\" becomes le=\"1.0\".
Neither format can represent native histograms; classic ones, and summaries, are plain series.

If killed at any moment, it leaves only complete blocks, and the next run with the same DIR cleans up. In a bucket a block is put
file by file, meta.json last: without that it is no block to Thanos and Mimir, which remove what is left of it.",
        exit: "0 on success, 2 when something failed; errors in the input have line and column.",
    },
    does: Does::Job(&JOB),
};

static JOB: Declared<Options, Call> = Declared::of(FLAGS, finish, Reader::Optional, answer)
    .at_addresses()
    .taking(&[Operand::Words(set!(|o, word| o.call.inputs.push(input(word))))]);

static FLAGS: &[Flag<Options>] = &[
    shared::OUTPUT_PLACE.does(set!(|o, value| o.output = Some(value.path()))),
    shared::FORMAT
        .choices(&[
            ("openmetrics", "times in seconds, `# EOF` at the end"),
            ("prometheus", "times in milliseconds"),
        ])
        .does(set!(|o, value| o.call.dialect =
            value.choice(&[Dialect::OpenMetrics, Dialect::Prometheus])?)),
    spec("max-block-duration", "", "Maximum duration of a block, such as 2h or 30d.")
        .takes("TIME")
        .more("Blocks are two hours long, or the longest of 6h, 18h, 54h and so on that is allowed. Default: 2h.")
        .does(set!(|o, value| o.call.options.range = block_range(value.duration_ms()?))),
    EXTERNAL_LABEL.does(|o, value| add(&mut o.call.external_labels, &value)),
    memory::BUILD.flag.does(set!(|o, value| o.call.options.memory = value.memory()?)),
    shared::JSON.here("Print one JSON object per line: one for each block, then a summary.").does(set!(|o| o.form = Form::Json)),
    shared::QUIET.does(set!(|o| o.form = Form::Nothing)),
];

struct Options {
    call: BuildCall,
    output: Option<PathBuf>,
    form: Form,
}

impl Default for Options {
    fn default() -> Options {
        let call = BuildCall::new(Vec::new(), PathBuf::new());
        Options { call, output: None, form: Form::Text }
    }
}

#[derive(Debug)]
struct Call {
    call: BuildCall,
    form: Form,
}

/// Standard input for `-`, else a file.
fn input(word: OsString) -> Input {
    if word == "-" { Input::Stdin } else { Input::File(word.into()) }
}

fn finish(options: Options) -> Result<Call> {
    let Options { mut call, output, form } = options;
    call.output = output.context("say with -o DIR where the blocks go")?;
    if call.inputs.is_empty() {
        call.inputs.push(Input::Stdin);
    }
    Ok(Call { call, form })
}

fn answer(asked: &Call, out: &mut Print) -> Result<u8> {
    let Call { call, form } = asked;
    let started = Instant::now();
    // Nothing is there before all is read.
    let waits = call.inputs.iter().any(|input| input.text_len().is_none());
    let signals = if waits { Signals::Plain } else { Signals::Noted };
    let report = watched(Show::of(*form), signals, |watch| build(call, watch))?;
    match form {
        Form::Text => out.write_all(as_text(&report, started.elapsed()).as_bytes())?,
        Form::Json => print_json(&report, started.elapsed(), out)?,
        Form::Nothing => {}
    }
    Ok(exit::DONE)
}

fn as_text(report: &BuildReport, took: Duration) -> String {
    let mut out = String::new();
    for built in &report.blocks {
        let stats = &built.meta.stats;
        let _ = writeln!(
            out,
            "{}  {} series, {}, {}",
            built.path.display(),
            stats.num_series,
            counted(stats.num_samples, "sample"),
            counted(stats.num_chunks, "chunk"),
        );
    }
    let (blocks, samples) = (report.blocks.len() as u64, report.samples);
    let _ = write!(out, "built {} from {}", counted(blocks, "block"), counted(samples, "sample"));
    let _ = writeln!(out, " of {} series, {:.1} s", report.series, took.as_secs_f64());
    if report.repeated > 0 {
        let repeated = counted(report.repeated, "sample");
        let _ = writeln!(out, "left out {repeated}: their series had one of the same time before");
    }
    out
}

fn print_json(report: &BuildReport, took: Duration, out: &mut Print) -> Result<()> {
    for built in &report.blocks {
        out.report("block", built)?;
    }
    let took = json!({ "took_ms": took.as_millis() as u64 });
    Ok(out.row("summary", print::json_with(report, took))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_said_is_the_default() {
        let call = JOB.parsed("-o out").unwrap().call;
        assert_eq!(call.inputs, [Input::Stdin]);
        assert_eq!((call.options.range, call.options.memory), (7_200_000, 512 << 20));
        let call =
            JOB.parsed("a - --max-block-duration 1d b --memory 1G --output=out").unwrap().call;
        assert_eq!(call.inputs, [Input::File("a".into()), Input::Stdin, Input::File("b".into())]);
        assert_eq!((call.options.range, call.options.memory), (18 * 3_600_000, 1 << 30));
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (line, want) in [
            ("a", "say with -o DIR where the blocks go"),
            ("-o x --format json", "--format is openmetrics or prometheus, not \"json\""),
            (
                "-o x --max-block-duration 2",
                "--max-block-duration: \"2\" is no length of time such as 2h or 1d12h",
            ),
        ] {
            assert_eq!(format!("{:#}", JOB.parsed(line).unwrap_err()), want);
        }
    }
}
