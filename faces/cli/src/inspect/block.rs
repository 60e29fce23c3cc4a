//! Prometheus blocks, shown.

use std::io::Write;
use std::path::Path;

use anyhow::Result;
use manicule::series::{BlockInspection, BlockSummary, Mark, Meta};
use manicule::times::utc;
use serde_json::{Value as Json, json};

use super::file::section;
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
    let sections: Vec<Json> = of.outline.rows.iter().map(section).collect();
    let rows = sections.iter().map(|section| {
        let share = percent(section["len"].as_u64().unwrap_or(0), of.len);
        Report::new("{offset:>12} {len:>12} {share:>5.1} %  {name}", section.clone())
            .text(json!({ "share": share }))
    });
    let index = fields!(of =>
        len, version, symbols = symbol_count, series = series_count, names = name_count,
        pairs = pair_count, sections: sections);
    let segments = block.segments.iter();
    let segments =
        segments.map(|own| Report::new("{name:<12} {len:B>9}", fields!(own => name, len)));
    let fields = fields!(block =>
        path: print::path(&block.path), len: block.len(), meta, index: index,
        tombstones = tombstone_count, tombstone_series = tombstone_series_count);
    let report = Report::new(BLOCK, fields)
        .lines("about", block.meta.iter().map(|meta| about(block, meta)))
        .lines("sections", rows)
        .list("marks", block.marks.iter().map(mark))
        .list("segments", segments)
        .at_most(SEGMENTS_MAX);
    (kind, report)
}

fn about(block: &BlockInspection, meta: &Meta) -> Report {
    let (stats, made, len) = (&meta.stats, &meta.compaction, block.len());
    let fields = fields!(stats =>
        path: print::path(&block.path), level: made.level, sources: made.sources.len(),
        hints: made.hints, times: times(meta), samples = num_samples,
        histograms = num_histogram_samples, chunks = num_chunks, series = num_series, len: len,
        each: len as f64 / stats.num_samples.max(1) as f64);
    Report::new(ABOUT, fields)
}

/// A mark: `marked for deletion 2026-01-02T03:04:05Z: why`.
fn mark(mark: &Mark) -> Report {
    let why = [&*mark.reason, &*mark.details].into_iter().filter(|words| !words.is_empty());
    let (kind, why) = (mark.kind.to_string(), why.collect::<Vec<_>>());
    Report::new(MARK, fields!(mark => file: mark.kind.file_name(), id, time, reason, details))
        .text(json!({ "kind": kind, "why": why }))
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
    let read = || blocks.iter().flat_map(|block| &block.block);
    let metas = read().flat_map(|block| &block.meta);
    let damaged = blocks.len() - read().count();
    let fields = json!({
        "path": print::path(path), "blocks": blocks.len(), "blocks_damaged": damaged,
        "len": read().map(BlockInspection::len).sum::<u64>(),
        "samples": metas.map(|meta| meta.stats.num_samples).sum::<u64>(),
    });
    Report::new(SUM, fields).print("blocks", options.json, out)?;
    Ok(exit::if_any(damaged == 0))
}

fn line(summary: &BlockSummary) -> Report {
    let name = summary.path.file_name().unwrap_or_default().to_string_lossy();
    let report = Report::new(LINE, json!({ "path": print::path(&summary.path) }))
        .text(json!({ "name": name, "is_read": summary.block.is_ok() }));
    let block = match &summary.block {
        Ok(block) => block,
        Err(error) => return report.and(json!({ "error": error.to_string() })),
    };
    let kinds: String = block.marks.iter().map(|mark| format!(", {}", mark.kind)).collect();
    let samples = block.meta.as_ref().map(|meta| meta.stats.num_samples);
    report
        .and(fields!(block => len: block.len(), meta, series: block.index.series_count))
        .list("marks", block.marks.iter().map(mark))
        .text(json!({ "samples": samples, "kinds": kinds }))
}
