//! Prometheus blocks, shown.

use std::io::Write;
use std::path::Path;

use anyhow::Result;
use manicule::series::json::DataFolder;
use manicule::series::query::ShownResolution;
use manicule::series::{BlockInspection, BlockSummary, Mark, Meta};
use manicule::times::utc;
use serde_json::json;

use super::options::Options;
use crate::command::exit;
use crate::print::{self, Print};
use crate::report::{Report, fields};
use crate::units::{human_age, percent};

/// Maximum number of segments listed individually; `--json` lists all.
const SEGMENTS_MAX: usize = 20;

const BLOCK: &str = "\
{about}
index     {index.len:B}, version {index.version}: {index.series} series, {index.names label name}, {index.pairs label pair}, {index.symbols symbol}
[segments?chunks    {segments}]
[more?          and {more} more]
[tombstones?deleted   {tombstones time} of {tombstone_series} series]
{marks}
sections        offset        bytes   share
          {sections}";

const ABOUT: &str = "\
block     {path}
made      level {level}, from {sources source}[hints?, {hints}]
times     {times}
[resolution?points    every {resolution}, each of aggregates: count, sum, min, max, counter]
holds     {samples sample}[histograms? ({histograms} of histograms)] in {chunks chunk} of {series} series
takes     {len:B}, {each:.2} bytes a sample";

const MARK: &str = "mark      {kind} {time:s}[why?: {why}]";

const LINE: &str = "{name}[is_read?[meta?  {len:B}: {meta.minTime:ms} to {meta.maxTime:ms}, {series} series, {samples sample}, level {meta.compaction.level}{kinds}]|  {error}]";

const SUM: &str =
    "{blocks block}, {len:B}: {samples sample}[blocks_damaged?; {blocks_damaged} can't be read]";

/// A report and its type.
pub(super) fn report(block: &BlockInspection) -> (&'static str, Report) {
    let kind = if block.meta.is_some() { "block" } else { "index" };
    let of = &block.index;
    let rows = of.outline.rows.iter().map(|row| {
        let share = percent(row.bytes.end - row.bytes.start, of.len);
        Report::new("{offset:>12} {len:>12} {share:>5.1} %  {name}", print::json(row))
            .text(json!({ "share": share }))
    });
    let segments = block.segments.iter();
    let segments = segments.map(|own| Report::new("{name:<12} {len:B>9}", print::json(own)));
    let report = Report::new(BLOCK, print::json(block))
        .lines("about", block.meta.iter().map(|meta| about(block, meta)))
        .lines("sections", rows)
        .lines("marks", block.marks.iter().map(mark))
        .lines("segments", segments)
        .at_most(SEGMENTS_MAX);
    (kind, report)
}

fn about(block: &BlockInspection, meta: &Meta) -> Report {
    let (stats, made, len) = (&meta.stats, &meta.compaction, block.len());
    let fields = fields!(stats =>
        path: print::path(&block.path), level: made.level, sources: made.sources.len(),
        hints: made.hints, times: times(meta), resolution: resolution(block.resolution()), samples = num_samples,
        histograms = num_histogram_samples, chunks = num_chunks, series = num_series, len: len,
        each: len as f64 / stats.num_samples.max(1) as f64);
    Report::new(ABOUT, fields)
}

/// Time between the points of a downsampled block.
fn resolution(every: Option<i64>) -> Option<String> {
    every.map(|resolution| ShownResolution(resolution).to_string())
}

/// A mark: `marked for deletion 2026-01-02T03:04:05Z: why`.
fn mark(mark: &Mark) -> Report {
    let why = [&*mark.reason, &*mark.details].into_iter().filter(|words| !words.is_empty());
    let (kind, why) = (mark.kind.to_string(), why.collect::<Vec<_>>());
    Report::new(MARK, print::json(mark)).text(json!({ "kind": kind, "why": why }))
}

/// Time range of a block, and its duration.
pub(super) fn times(meta: &Meta) -> String {
    let seconds = meta.max_time.saturating_sub(meta.min_time).unsigned_abs() / 1000;
    format!("{} to {}: {}", utc(meta.min_time), utc(meta.max_time), human_age(seconds))
}

/// A line for each block, and the sums. Exit code 1 if one can't be read.
pub(super) fn show_folder(
    path: &Path,
    blocks: &[BlockSummary],
    options: &Options,
    out: &mut Print,
) -> Result<u8> {
    if options.has_several() && !options.json {
        writeln!(out, "data      {}", path.display())?;
    }
    for block in blocks {
        line(block).print("block-line", options.json, out)?;
    }
    let is_read = blocks.iter().all(|block| block.block.is_ok());
    let sums = DataFolder { path, blocks };
    Report::new(SUM, print::json(sums)).print("blocks", options.json, out)?;
    Ok(exit::if_any(is_read))
}

fn line(summary: &BlockSummary) -> Report {
    let name = summary.path.file_name().unwrap_or_default().to_string_lossy();
    let report = Report::new(LINE, print::json(summary))
        .text(json!({ "name": name, "is_read": summary.block.is_ok() }));
    let Ok(block) = &summary.block else { return report };
    let marks = block.marks.iter().map(|mark| format!(", {}", mark.kind));
    let downsampled =
        resolution(block.resolution()).map(|every| format!(", a point every {every}"));
    let kinds: String = downsampled.into_iter().chain(marks).collect();
    let samples = block.meta.as_ref().map(|meta| meta.stats.num_samples);
    report.text(json!({ "samples": samples, "kinds": kinds }))
}
