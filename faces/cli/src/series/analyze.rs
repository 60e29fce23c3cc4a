//! `manicule series analyze`: who takes the room in a block.
//!
//! Callers: series

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use lexopt::prelude::*;
use manicule::series::{
    Analysis, AnalyzeOptions, Block, ChunkAnalysis, Chunks, Count, Distribution, LabelCost,
    Matcher, Matrix, MetricRow, analyze, block_paths, open_all,
};
use serde_json::{Value as Json, json};

use super::ask::selector;
use crate::cache::human_len;
use crate::print::{Print, Reader, command};

pub(super) const HELP: &str = "\
manicule series analyze [OPTIONS] BLOCK|INDEX|FOLDER
    Who takes the room: the lists of `promtool tsdb analyze`, with the same numbers, and what each label
    takes in the index. Of a data folder the newest block is analysed, or the one that --block names.

    --match SELECTOR     only series that this selects, as '{job=\"node\"}'
    --limit N            so many rows of each list (20)
    --matrix             which labels the largest metrics have: series and distinct values of each
    --extended           how full the chunks are: samples, bytes and buckets
    --block ULID         this block of a data folder
    --bars WHEN          a picture of each list
                         auto: on a terminal (the default)
                         always: everywhere
                         never: nowhere
    --json               one object
    -h, --help           this text

    Rows with the same count are in the order of their names. A series without chunks lasts no time.
    Exit code: 0, 1 where the matchers select nothing, 2 when something failed.
";

/// Answers a command line.
pub(super) fn run(words: &[OsString]) -> ExitCode {
    command(Reader::Needed, |out| answer(words, out))
}

struct Options {
    path: PathBuf,
    block: Option<String>,
    matchers: Option<(String, Vec<Matcher>)>,
    limit: usize,
    matrix: Matrix,
    chunks: Chunks,
    bars: bool,
    json: bool,
}

/// `None` where only help was wanted.
fn parse(words: &[OsString]) -> Result<Option<Options>> {
    let mut options = Options {
        path: PathBuf::new(),
        block: None,
        matchers: None,
        limit: 20,
        matrix: Matrix::LeaveOut,
        chunks: Chunks::LeaveOut,
        bars: std::io::stdout().is_terminal(),
        json: false,
    };
    let mut path = None;
    let mut parser = lexopt::Parser::from_args(words.iter().cloned());
    while let Some(word) = parser.next()? {
        match word {
            Short('h') | Long("help") => return Ok(None),
            Long("match") => {
                let text = parser.value()?.string()?;
                let selector = selector(&text)?;
                options.matchers = Some((text, selector.matchers().to_vec()));
            }
            Long("limit") => options.limit = parser.value()?.parse()?,
            Long("block") => options.block = Some(parser.value()?.string()?),
            Long("matrix") => options.matrix = Matrix::Count,
            Long("extended") => options.chunks = Chunks::Read,
            Long("bars") => match parser.value()?.string()?.as_str() {
                "auto" => {}
                "always" => options.bars = true,
                "never" => options.bars = false,
                other => bail!("--bars {other}: it is auto, always or never"),
            },
            Long("json") => options.json = true,
            Value(value) if path.is_none() => path = Some(PathBuf::from(value)),
            other => return Err(other.unexpected().into()),
        }
    }
    options.path = path.context("which block? Give its folder, its index, or a data folder")?;
    Ok(Some(options))
}

fn answer(words: &[OsString], out: &mut Print) -> Result<u8> {
    let Some(options) = parse(words)? else {
        out.write_all(HELP.as_bytes())?;
        return Ok(0);
    };
    let block = block(&options)?;
    let matchers = options.matchers.as_ref().map_or(&[][..], |matchers| &matchers.1);
    let (limit, matrix, chunks) = (options.limit, options.matrix, options.chunks);
    let analysis = analyze(&block, &AnalyzeOptions { matchers, limit, matrix, chunks })
        .with_context(|| format!("{} is damaged", block.path().display()))?;
    let text = match options.json {
        true => format!("{}\n", as_json(&block, &analysis)),
        false => as_text(&block, &analysis, &options)?,
    };
    out.write_all(text.as_bytes())?;
    Ok(u8::from(options.matchers.is_some() && analysis.matched_count == 0))
}

/// The block that is meant: the newest of a folder. Where one is named, the others are not opened.
fn block(options: &Options) -> Result<Block> {
    let folder = options.path.display();
    let Some(name) = &options.block else {
        return open_all(&options.path)?.pop().with_context(|| format!("{folder} has no block"));
    };
    let paths = block_paths(&options.path)?;
    let path = paths.iter().find(|path| path.file_name().is_some_and(|file| file == name.as_str()));
    let path = path.with_context(|| format!("{folder} has no block {name}"))?;
    Ok(Block::open(path)?)
}

fn as_text(block: &Block, analysis: &Analysis, options: &Options) -> Result<String> {
    let mut out = String::new();
    match block.meta() {
        Some(meta) => writeln!(out, "Block ID: {}", meta.ulid)?,
        None => writeln!(out, "Index: {}", block.path().display())?,
    }
    let (first, end) = analysis.times;
    writeln!(out, "Duration: {}", duration(end.wrapping_sub(first)))?;
    writeln!(out, "Total Series: {}", analysis.series_count)?;
    if let Some((text, _)) = &options.matchers {
        writeln!(out, "Matcher: {text}")?;
    }
    writeln!(out, "Label names: {}", analysis.name_count)?;
    if options.matchers.is_some() {
        writeln!(out, "Matched series: {}", analysis.matched_count)?;
    }
    writeln!(out, "Postings (unique label pairs): {}", analysis.pair_count)?;
    writeln!(out, "Postings entries (total label pairs): {}", analysis.label_count)?;
    for (title, rows) in lists(analysis) {
        writeln!(out, "\n{title}:")?;
        let largest = rows.iter().map(|row| row.count).max().unwrap_or(0);
        for row in rows {
            line(row.count, largest, &key(title, row), options.bars, &mut out)?;
        }
    }
    costs_as_text(&analysis.costs, options, &mut out)?;
    if let Some(matrix) = &analysis.matrix {
        matrix_as_text(matrix, &mut out)?;
    }
    if let Some(chunks) = &analysis.chunks {
        chunks_as_text(chunks, &mut out)?;
    }
    Ok(out)
}

/// The title of the list of metrics.
const METRICS: &str = "Highest cardinality metric names";

/// The lists, titled as promtool does.
fn lists(analysis: &Analysis) -> [(&'static str, &[Count]); 6] {
    [
        ("Label pairs most involved in churning", &analysis.churning_pairs),
        ("Label names most involved in churning", &analysis.churning_names),
        ("Most common label pairs", &analysis.common_pairs),
        ("Label names with highest cumulative label value length", &analysis.value_lens),
        ("Highest cardinality labels", &analysis.value_counts),
        (METRICS, &analysis.metrics),
    ]
}

/// What a row is about: a label or a pair; of the list of metrics, the metric.
fn key(title: &str, row: &Count) -> String {
    match &row.value {
        None => shown(&row.name),
        Some(value) if title == METRICS => shown(value),
        Some(value) => format!("{}={}", shown(&row.name), shown(value)),
    }
}

/// Text from a file: what isn't text as `\xff`, what a terminal would take for a command escaped.
fn shown(bytes: &[u8]) -> String {
    let mut out = String::new();
    for chunk in bytes.utf8_chunks() {
        for char in chunk.valid().chars() {
            if char.is_control() { out.extend(char.escape_default()) } else { out.push(char) }
        }
        out.extend(chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}")));
    }
    out
}

/// The longest bar.
const BAR_WIDTH: u64 = 30;

/// A row: the count and what it is about; between them a bar, where a picture is wanted.
fn line(count: u64, largest: u64, key: &str, bars: bool, out: &mut String) -> std::fmt::Result {
    if !bars {
        return writeln!(out, "{count} {key}");
    }
    let eighths = (count as f64 / largest.max(1) as f64 * (BAR_WIDTH * 8) as f64).round() as u64;
    let part = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][(eighths % 8) as usize];
    let bar = "█".repeat((eighths / 8) as usize) + part;
    let width = largest.to_string().len();
    writeln!(out, "{count:>width$} {bar:<30} {key}")
}

fn costs_as_text(costs: &[LabelCost], options: &Options, out: &mut String) -> std::fmt::Result {
    writeln!(out, "\nBytes of the index by label name (lists, table entries, values):")?;
    let largest = costs.iter().map(LabelCost::len).max().unwrap_or(0);
    for cost in costs.iter().take(options.limit) {
        let (lists, table) = (human_len(cost.list_len), human_len(cost.table_len));
        let parts = format!("({lists}, {table}, {})", human_len(cost.value_len));
        let key = format!("{} {parts}", shown(&cost.name));
        line(cost.len(), largest, &key, options.bars, out)?;
    }
    Ok(())
}

fn matrix_as_text(matrix: &[MetricRow], out: &mut String) -> std::fmt::Result {
    writeln!(out, "\nLabels of the largest metrics (distinct values, series that have it):")?;
    for row in matrix {
        writeln!(out, "{} {}", row.series_count, shown(&row.metric))?;
        for label in &row.labels {
            let (values, series) = (label.value_count, label.series_count);
            writeln!(out, "    {values} {} ({series})", shown(&label.name))?;
        }
    }
    Ok(())
}

fn chunks_as_text(chunks: &ChunkAnalysis, out: &mut String) -> std::fmt::Result {
    writeln!(out, "\nCompaction analysis:\n")?;
    for (title, distribution) in distributions(chunks) {
        let Some(distribution) = distribution else {
            writeln!(out, "{title}: N/A\n")?;
            continue;
        };
        let Distribution { min, mean, max, steps } = distribution;
        writeln!(out, "{title} (min/avg/max): {min}/{mean}/{max}")?;
        let width = |number: Option<u64>| number.unwrap_or(0).to_string().len();
        let last = steps.last();
        let low_width = width(last.map(|step| step.0 - 1));
        let high_width = width(last.map(|step| step.1));
        let count_width = width(steps.iter().map(|step| step.2).max());
        for (low, high, count) in steps {
            let bar = "#".repeat((100 * count / chunks.chunk_count.max(1)) as usize);
            writeln!(out, "[{low:>low_width$}, {high:>high_width$}]: {count:>count_width$} {bar}")?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn distributions(chunks: &ChunkAnalysis) -> [(&'static str, &Option<Distribution>); 5] {
    [
        ("samples per float chunk", &chunks.float_samples),
        ("bytes per float chunk", &chunks.float_lens),
        ("samples per histogram chunk", &chunks.histogram_samples),
        ("bytes per histogram chunk", &chunks.histogram_lens),
        ("buckets per histogram chunk", &chunks.histogram_buckets),
    ]
}

/// A duration in milliseconds, as Go writes it.
fn duration(ms: i64) -> String {
    let (sign, ms) = (if ms < 0 { "-" } else { "" }, ms.unsigned_abs());
    if ms == 0 {
        return "0s".to_owned();
    }
    if ms < 1000 {
        return format!("{sign}{ms}ms");
    }
    let (hours, minutes, seconds) = (ms / 3_600_000, ms / 60_000 % 60, ms / 1000 % 60);
    let fraction = match ms % 1000 {
        0 => String::new(),
        rest => format!(".{rest:03}").trim_end_matches('0').to_owned(),
    };
    match (hours, minutes) {
        (0, 0) => format!("{sign}{seconds}{fraction}s"),
        (0, _) => format!("{sign}{minutes}m{seconds}{fraction}s"),
        _ => format!("{sign}{hours}h{minutes}m{seconds}{fraction}s"),
    }
}

fn as_json(block: &Block, analysis: &Analysis) -> Json {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let row = |row: &Count| match &row.value {
        None => json!({ "name": text(&row.name), "count": row.count }),
        Some(value) => {
            json!({ "name": text(&row.name), "value": text(value), "count": row.count })
        }
    };
    let rows = |rows: &[Count]| rows.iter().map(row).collect::<Vec<_>>();
    let cost = |cost: &LabelCost| {
        json!({
            "name": text(&cost.name), "values": cost.value_count, "series": cost.series_count,
            "len": cost.len(), "lists_len": cost.list_len, "table_len": cost.table_len,
            "values_len": cost.value_len,
        })
    };
    let metric = |row: &MetricRow| {
        let labels = row.labels.iter().map(|label| {
            let (values, series) = (label.value_count, label.series_count);
            json!({ "name": text(&label.name), "values": values, "series": series })
        });
        let labels = labels.collect::<Vec<_>>();
        json!({ "metric": text(&row.metric), "series": row.series_count, "labels": labels })
    };
    let distribution = |distribution: &Option<Distribution>| {
        distribution.as_ref().map(
            |own| json!({ "min": own.min, "mean": own.mean, "max": own.max, "steps": own.steps }),
        )
    };
    let chunks = analysis.chunks.as_ref().map(|chunks| {
        json!({
            "chunks": chunks.chunk_count,
            "float_samples": distribution(&chunks.float_samples),
            "float_lens": distribution(&chunks.float_lens),
            "histogram_samples": distribution(&chunks.histogram_samples),
            "histogram_lens": distribution(&chunks.histogram_lens),
            "histogram_buckets": distribution(&chunks.histogram_buckets),
        })
    });
    json!({
        "type": "analysis",
        "path": block.path().to_string_lossy(),
        "ulid": block.meta().map(|meta| &meta.ulid),
        "min_time": analysis.times.0,
        "max_time": analysis.times.1,
        "series": analysis.series_count,
        "series_matched": analysis.matched_count,
        "names": analysis.name_count,
        "pairs": analysis.pair_count,
        "labels": analysis.label_count,
        "churning_pairs": rows(&analysis.churning_pairs),
        "churning_names": rows(&analysis.churning_names),
        "common_pairs": rows(&analysis.common_pairs),
        "value_lens": rows(&analysis.value_lens),
        "value_counts": rows(&analysis.value_counts),
        "metrics": rows(&analysis.metrics),
        "costs": analysis.costs.iter().map(cost).collect::<Vec<_>>(),
        "matrix": analysis.matrix.as_ref().map(|rows| rows.iter().map(metric).collect::<Vec<_>>()),
        "chunks": chunks,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_written_as_go_does() {
        for (ms, text) in [
            (0, "0s"),
            (14, "14ms"),
            (45_001, "45.001s"),
            (585_001, "9m45.001s"),
            (7_200_000, "2h0m0s"),
            (3_660_500, "1h1m0.5s"),
        ] {
            assert_eq!(duration(ms), text);
        }
    }

    #[test]
    fn bars_are_as_long_as_their_count() {
        let mut out = String::new();
        line(10, 10, "a", true, &mut out).unwrap();
        line(5, 10, "b", true, &mut out).unwrap();
        line(5, 10, "c", false, &mut out).unwrap();
        let (full, half) = ("█".repeat(30), "█".repeat(15));
        assert_eq!(out, format!("10 {full} a\n 5 {half:<30} b\n5 c\n"));
    }
}
