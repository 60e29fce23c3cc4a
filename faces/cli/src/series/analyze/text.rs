//! An analysis for people.

use std::borrow::Cow;
use std::fmt::Write as _;

use anyhow::Result;
use manicule::series::analyze::{
    Analysis, ChunkAnalysis, Count, Distribution, LabelCost, MetricRow, Picked, SampleBytes,
    ValueRow,
};
use manicule::times::utc;

use super::options::Options;
use crate::picture;
use crate::shown::shown;
use crate::units::counted;
use crate::units::human_len;

pub(super) fn analysis(picked: &Picked, analysis: &Analysis, options: &Options) -> Result<String> {
    let mut out = String::new();
    which(picked, &mut out)?;
    let (first, end) = analysis.times;
    writeln!(out, "Times: {} to {}", utc(first), utc(end))?;
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
    if let Some(bytes) = &analysis.bytes {
        bytes_as_text(bytes, options, &mut out)?;
    }
    if let (Some(label), Some(rows)) = (&options.by, &analysis.by) {
        by_as_text(label, rows, options, &mut out)?;
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

/// Which block it is, and out of how many.
pub(super) fn which(picked: &Picked, out: &mut String) -> std::fmt::Result {
    match picked.block.meta() {
        Some(meta) => writeln!(out, "Block ID: {}", meta.ulid)?,
        None => writeln!(out, "Index: {}", picked.block.path().display())?,
    }
    match &picked.folder {
        Some((folder, count @ 2..)) => {
            writeln!(out, "Folder: {} ({count} blocks; --block names one)", folder.display())
        }
        _ => Ok(()),
    }
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
fn key<'r>(title: &str, row: &'r Count) -> Cow<'r, str> {
    match &row.value {
        None => shown(&row.name),
        Some(value) if title == METRICS => shown(value),
        Some(value) => format!("{}={}", shown(&row.name), shown(value)).into(),
    }
}

/// The longest bar.
const BAR_WIDTH: u64 = 30;

/// A row: the count and what it is about; between them a bar, where a picture is wanted.
fn line(count: u64, largest: u64, key: &str, bars: bool, out: &mut String) -> std::fmt::Result {
    if !bars {
        return writeln!(out, "{count} {key}");
    }
    let width = largest.to_string().len();
    writeln!(out, "{count:>width$} {:<30} {key}", bar(count, largest))
}

/// A row of bytes: for people in their units, for programs as a number.
fn line_of_bytes(
    len: u64,
    largest: u64,
    key: &str,
    bars: bool,
    out: &mut String,
) -> std::fmt::Result {
    if !bars {
        writeln!(out, "{len} {key}")
    } else {
        writeln!(out, "{:>9} {:<30} {key}", human_len(len), bar(len, largest))
    }
}

/// A bar as long as its count.
pub(super) fn bar(count: u64, largest: u64) -> String {
    picture::bar(count, largest, BAR_WIDTH)
}

fn costs_as_text(costs: &[LabelCost], options: &Options, out: &mut String) -> std::fmt::Result {
    writeln!(out, "\nBytes of the index by label name (lists, table entries, values):")?;
    let largest = costs.iter().map(LabelCost::len).max().unwrap_or(0);
    for cost in costs.iter().take(options.limit) {
        let (lists, table) = (human_len(cost.list_len), human_len(cost.table_len));
        let parts = format!("({lists}, {table}, {})", human_len(cost.value_len));
        let key = format!("{} {parts}", shown(&cost.name));
        line_of_bytes(cost.len(), largest, &key, options.bars, out)?;
    }
    Ok(())
}

fn bytes_as_text(bytes: &SampleBytes, options: &Options, out: &mut String) -> std::fmt::Result {
    let lists = [
        ("Bytes of samples by metric", &bytes.metrics, METRICS),
        ("Bytes of samples by label pair", &bytes.pairs, ""),
    ];
    for (title, rows, keys) in lists {
        writeln!(out, "\n{title} (of {} in all):", human_len(bytes.total))?;
        let largest = rows.first().map_or(0, |row| row.count);
        for row in rows {
            line_of_bytes(row.count, largest, &key(keys, row), options.bars, out)?;
        }
    }
    Ok(())
}

fn by_as_text(
    label: &str,
    rows: &[ValueRow],
    options: &Options,
    out: &mut String,
) -> std::fmt::Result {
    writeln!(out, "\nSeries by {}, and by metric:", shown(label.as_bytes()))?;
    let largest = rows.first().map_or(0, |row| row.series_count);
    let of_samples = |len: Option<u64>| {
        len.map_or_else(String::new, |len| format!(" ({} of samples)", human_len(len)))
    };
    for row in rows {
        let value = match &row.value {
            Some(value) => shown(value),
            None => format!("(without {})", shown(label.as_bytes())).into(),
        };
        let key = format!("{value}{}", of_samples(row.len));
        line(row.series_count, largest, &key, options.bars, out)?;
        for metric in &row.metrics {
            let key = format!("{}{}", shown(&metric.metric), of_samples(metric.len));
            writeln!(out, "    {} {key}", metric.series_count)?;
        }
        let more = row.metric_count - row.metrics.len() as u64;
        if more > 0 {
            writeln!(out, "    and {}", counted(more, "more metric"))?;
        }
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
        let more = row.label_count - row.labels.len() as u64;
        if more > 0 {
            writeln!(out, "    and {}", counted(more, "more label"))?;
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

fn distributions(chunks: &ChunkAnalysis) -> Vec<(&'static str, &Option<Distribution>)> {
    let mut all = vec![
        ("samples per float chunk", &chunks.float_samples),
        ("bytes per float chunk", &chunks.float_lens),
        ("samples per histogram chunk", &chunks.histogram_samples),
        ("bytes per histogram chunk", &chunks.histogram_lens),
        ("buckets per histogram chunk", &chunks.histogram_buckets),
    ];
    // promtool knows no others.
    if chunks.aggregate_windows.is_some() {
        all.extend([
            ("windows per chunk of aggregates", &chunks.aggregate_windows),
            ("bytes per chunk of aggregates", &chunks.aggregate_lens),
        ]);
    }
    all
}

/// A duration in milliseconds, as Go writes it.
pub(super) fn duration(ms: i64) -> String {
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
