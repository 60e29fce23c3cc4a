//! `manicule series build`: samples in text into blocks.
//!
//! Callers: series

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use lexopt::prelude::*;
use manicule::blocks::{BuildCall, Input, build};
use manicule::series::build::{BLOCK_RANGE, BuildOptions, BuildReport, block_range};
use manicule::series::openmetrics::Dialect;
use serde_json::json;

use crate::print::{Print, Reader, command};
use crate::progress::{Show, Signals, watched};
use crate::units::{self, counted, duration_ms};

pub(super) const HELP: &str = "\
manicule series build -o DIR [OPTIONS] [FILE...]
    Makes blocks of the samples in text files, or of standard input (no FILE, or -), each of which needs a
    time. The blocks are those of `promtool tsdb create-blocks-from openmetrics`, byte for byte, but that
    nothing is lost where promtool loses it: samples out of order, and such of times before 1970
    (docs/guide/make-blocks.md has the table).

    -o, --output DIR           where the blocks go; it is made where it is missing
    --format FORMAT            openmetrics: times in seconds, `# EOF` at the end (the default)
                               prometheus: times in milliseconds
    --max-block-duration TIME  the longest a block may be, such as 2h or 30d: blocks are two hours long, or
                               the longest of 6h, 18h, 54h and so on that is allowed (2h)
    --memory SIZE              about as much memory for samples, such as 512MiB or 2G; more wait in a file
                               in DIR (512MiB, at least 16MiB). Labels, and the index of one block, come on top
    --json                     an object a line for each block, then a summary
    --quiet                    no summary, no progress
    -h, --help                 this text

    Samples may come in any order. Of several of one series and time the first is kept. Exemplars are left
    out, and so are texts, types and units, but that a type makes numbers of its histogram's bounds and its
    summary's quantiles: le=\"1\" is le=\"1.0\". Neither format can carry native histograms; classic ones, and
    summaries, are plain series.
    Killed at any moment it leaves whole blocks only, and the next run with the same DIR sweeps up.
    Exit code: 0 when all is done, 2 when something failed; what is wrong in a text has line and column.
";

const MEMORY: u64 = 512 << 20;

/// Answers a command line.
pub(super) fn run(words: &[OsString]) -> ExitCode {
    command(Reader::Optional, |out| answer(words, out))
}

/// Form of the summary, if there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Text,
    Json,
    Nothing,
}

fn answer(words: &[OsString], out: &mut Print) -> Result<u8> {
    let Some((call, form)) = parse(words)? else {
        out.write_all(HELP.as_bytes())?;
        return Ok(0);
    };
    let started = Instant::now();
    let show = if form == Form::Nothing { Show::Nothing } else { Show::Progress };
    // Nothing is there before all is read.
    let waits = call.inputs.iter().any(|input| input.text_len().is_none());
    let signals = if waits { Signals::Plain } else { Signals::Noted };
    let report = watched(show, signals, |watch| build(&call, watch))?;
    let text = match form {
        Form::Text => as_text(&report, started.elapsed()),
        Form::Json => as_json(&report, started.elapsed()),
        Form::Nothing => String::new(),
    };
    out.write_all(text.as_bytes())?;
    Ok(0)
}

/// `None` where only help was wanted.
fn parse(words: &[OsString]) -> Result<Option<(BuildCall, Form)>> {
    let mut call = BuildCall {
        inputs: Vec::new(),
        dialect: Dialect::OpenMetrics,
        output: PathBuf::new(),
        options: BuildOptions { range: BLOCK_RANGE, memory: MEMORY },
    };
    let (mut form, mut output) = (Form::Text, None);
    let mut parser = lexopt::Parser::from_args(words.iter().cloned());
    while let Some(word) = parser.next()? {
        match word {
            Short('h') | Long("help") => return Ok(None),
            Short('o') | Long("output") => output = Some(PathBuf::from(parser.value()?)),
            Long("format") => call.dialect = dialect(&parser.value()?.string()?)?,
            Long("max-block-duration") => {
                call.options.range = block_range(duration_ms(&parser.value()?.string()?)?);
            }
            Long("memory") => call.options.memory = units::memory(&parser.value()?.string()?)?,
            Long("json") => form = Form::Json,
            Long("quiet") => form = Form::Nothing,
            Value(path) if path == "-" => call.inputs.push(Input::Stdin),
            Value(path) => call.inputs.push(Input::File(path.into())),
            other => return Err(other.unexpected().into()),
        }
    }
    call.output = output.context("say with -o DIR where the blocks go")?;
    if call.inputs.is_empty() {
        call.inputs.push(Input::Stdin);
    }
    Ok(Some((call, form)))
}

fn dialect(text: &str) -> Result<Dialect> {
    match text {
        "openmetrics" => Ok(Dialect::OpenMetrics),
        "prometheus" => Ok(Dialect::Prometheus),
        _ => bail!("--format is openmetrics or prometheus, not {text:?}"),
    }
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

fn as_json(report: &BuildReport, took: Duration) -> String {
    let mut out = String::new();
    for built in &report.blocks {
        let (meta, stats) = (&built.meta, &built.meta.stats);
        let row = json!({
            "type": "block",
            "ulid": meta.ulid,
            "path": built.path.to_string_lossy(),
            "min_time": meta.min_time,
            "max_time": meta.max_time,
            "series": stats.num_series,
            "samples": stats.num_samples,
            "chunks": stats.num_chunks,
        });
        let _ = writeln!(out, "{row}");
    }
    let summary = json!({
        "type": "summary",
        "blocks": report.blocks.len(),
        "samples": report.samples,
        "repeated": report.repeated,
        "series": report.series,
        "took_ms": took.as_millis() as u64,
    });
    let _ = writeln!(out, "{summary}");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<BuildCall> {
        let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        Ok(parse(&words)?.expect("no help was wanted").0)
    }

    #[test]
    fn what_is_not_said_is_the_default() {
        let call = parsed("-o out").unwrap();
        assert_eq!(call.inputs, [Input::Stdin]);
        assert_eq!((call.options.range, call.options.memory), (7_200_000, 512 << 20));
        let call = parsed("a - --max-block-duration 1d b --memory 1G --output=out").unwrap();
        assert_eq!(call.inputs, [Input::File("a".into()), Input::Stdin, Input::File("b".into())]);
        assert_eq!((call.options.range, call.options.memory), (18 * 3_600_000, 1 << 30));
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (line, want) in [
            ("a", "say with -o DIR where the blocks go"),
            ("-o x --format json", "--format is openmetrics or prometheus, not \"json\""),
            ("-o x --max-block-duration 2", "\"2\" is no length of time such as 2h or 1d12h"),
        ] {
            assert_eq!(format!("{:#}", parsed(line).unwrap_err()), want);
        }
    }
}
