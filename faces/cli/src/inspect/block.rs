//! Prometheus blocks, shown.

use std::fmt::Write as _;
use std::io::Write;
use std::path::Path;

use anyhow::Result;
use manicule::series::{BlockInspection, BlockSummary, Mark, Meta};
use manicule::times::utc;
use serde_json::{Value as Json, json};

use super::options::Options;
use crate::command::exit;
use crate::messages::say;
use crate::print::{self, Print, typed};
use crate::units::counted;
use crate::units::percent;
use crate::units::{human_age, human_len};

/// Maximum number of segments listed individually; `--json` lists all.
const SEGMENTS_MAX: usize = 20;

pub(super) fn show(block: &BlockInspection, options: &Options, out: &mut Print) -> Result<u8> {
    if options.hex.is_some() {
        say(&format_args!("--hex shows a section of a file; give the block's index"));
        return Ok(exit::FAILED);
    }
    let text = if options.json { format!("{}\n", as_json(block)) } else { as_text(block)? };
    out.write_all(text.as_bytes())?;
    Ok(exit::DONE)
}

fn as_text(block: &BlockInspection) -> Result<String> {
    let mut out = String::new();
    if block.meta.is_some() {
        meta_as_text(block, &mut out)?;
    }
    let index = &block.index;
    writeln!(
        out,
        "index     {}, version {}: {} series, {}, {}, {}",
        human_len(index.len),
        index.version,
        index.series_count,
        counted(index.name_count, "label name"),
        counted(index.pair_count, "label pair"),
        counted(index.symbol_count, "symbol")
    )?;
    let segments = block.segments.iter().take(SEGMENTS_MAX);
    for (label, segment) in std::iter::once("chunks").chain(std::iter::repeat("")).zip(segments) {
        writeln!(out, "{label:<9} {:<12} {:>9}", segment.name, human_len(segment.len))?;
    }
    if block.segments.len() > SEGMENTS_MAX {
        writeln!(out, "          and {} more", block.segments.len() - SEGMENTS_MAX)?;
    }
    if block.tombstone_count > 0 {
        let (times, series) = (block.tombstone_count, block.tombstone_series_count);
        writeln!(out, "deleted   {} of {series} series", counted(times, "time"))?;
    }
    for mark in &block.marks {
        writeln!(out, "mark      {}", mark_as_text(mark))?;
    }
    writeln!(out, "sections  {:>12} {:>12} {:>7}", "offset", "bytes", "share")?;
    for row in &index.outline.rows {
        let len = row.bytes.end - row.bytes.start;
        writeln!(
            out,
            "          {:>12} {len:>12} {:>5.1} %  {}",
            row.bytes.start,
            percent(len, index.len),
            row.name
        )?;
    }
    Ok(out)
}

fn meta_as_text(block: &BlockInspection, out: &mut String) -> Result<()> {
    let Some(meta) = &block.meta else { return Ok(()) };
    let compaction = &meta.compaction;
    writeln!(out, "block     {}", block.path.display())?;
    writeln!(
        out,
        "made      level {}, from {}{}",
        compaction.level,
        counted(compaction.sources.len() as u64, "source"),
        if compaction.hints.is_empty() {
            String::new()
        } else {
            format!(", {}", compaction.hints.join(", "))
        }
    )?;
    writeln!(out, "times     {}", times(meta))?;
    let stats = &meta.stats;
    writeln!(
        out,
        "holds     {}{} in {} of {} series",
        counted(stats.num_samples, "sample"),
        match stats.num_histogram_samples {
            0 => String::new(),
            count => format!(" ({count} of histograms)"),
        },
        counted(stats.num_chunks, "chunk"),
        stats.num_series
    )?;
    writeln!(
        out,
        "takes     {}, {:.2} bytes a sample",
        human_len(block.len()),
        block.len() as f64 / stats.num_samples.max(1) as f64
    )?;
    Ok(())
}

/// `marked for deletion 2026-01-02T03:04:05Z: why`.
fn mark_as_text(mark: &Mark) -> String {
    let why = [&*mark.reason, &*mark.details].into_iter().filter(|words| !words.is_empty());
    let why = why.collect::<Vec<_>>().join(", ");
    let since = utc(mark.time.saturating_mul(1000));
    format!("{} {since}{}{why}", mark.kind, if why.is_empty() { "" } else { ": " })
}

fn mark_as_json(mark: &Mark) -> Json {
    json!({
        "file": mark.kind.file_name(), "id": mark.id, "time": mark.time,
        "reason": mark.reason, "details": mark.details,
    })
}

/// Time range of a block, and its duration.
pub(super) fn times(meta: &Meta) -> String {
    let seconds = meta.max_time.saturating_sub(meta.min_time).unsigned_abs() / 1000;
    format!("{} to {}: {}", utc(meta.min_time), utc(meta.max_time), human_age(seconds))
}

fn as_json(block: &BlockInspection) -> Json {
    let section = |row: &manicule::inspect::Row| {
        let len = row.bytes.end - row.bytes.start;
        json!({ "name": row.name, "offset": row.bytes.start, "len": len, "value": row.value })
    };
    let segments = block.segments.iter();
    let segments = segments.map(|segment| json!({ "name": segment.name, "len": segment.len }));
    let index = &block.index;
    let kind = if block.meta.is_some() { "block" } else { "index" };
    let fields = json!({
        "path": print::path(&block.path),
        "meta": block.meta,
        "len": block.len(),
        "index": {
            "len": index.len,
            "version": index.version,
            "symbols": index.symbol_count,
            "series": index.series_count,
            "names": index.name_count,
            "pairs": index.pair_count,
            "sections": index.outline.rows.iter().map(section).collect::<Vec<_>>(),
        },
        "segments": segments.collect::<Vec<_>>(),
        "tombstones": block.tombstone_count,
        "tombstone_series": block.tombstone_series_count,
        "marks": block.marks.iter().map(mark_as_json).collect::<Vec<_>>(),
    });
    typed(kind, fields)
}

/// A line for each block, and the sums. Exit code 1 if one can't be read.
pub(super) fn show_folder(
    path: &Path,
    blocks: &[BlockSummary],
    options: &Options,
    out: &mut Print,
) -> Result<u8> {
    if options.hex.is_some() {
        say(&format_args!("--hex shows a section of a file; give the index of one block"));
        return Ok(exit::FAILED);
    }
    if options.has_several() && !options.json {
        writeln!(out, "data      {}", path.display())?;
    }
    let (mut samples, mut len, mut damaged) = (0, 0, 0u64);
    for summary in blocks {
        match &summary.block {
            Ok(block) => {
                samples += block.meta.as_ref().map_or(0, |meta| meta.stats.num_samples);
                len += block.len();
            }
            Err(_) => damaged += 1,
        }
        if options.json {
            writeln!(out, "{}", line_as_json(summary))?
        } else {
            writeln!(out, "{}", line_as_text(summary))?
        }
    }
    if options.json {
        let fields = json!({
            "path": print::path(path), "blocks": blocks.len(), "blocks_damaged": damaged,
            "len": len, "samples": samples,
        });
        out.row("blocks", fields)?;
    } else {
        writeln!(
            out,
            "{}, {}: {}{}",
            counted(blocks.len() as u64, "block"),
            human_len(len),
            counted(samples, "sample"),
            if damaged > 0 { format!("; {damaged} can't be read") } else { String::new() }
        )?
    }
    Ok(exit::if_any(damaged == 0))
}

fn line_as_text(summary: &BlockSummary) -> String {
    let name = summary.path.file_name().unwrap_or_default().to_string_lossy();
    let block = match &summary.block {
        Ok(block) => block,
        Err(error) => return format!("{name}  {error}"),
    };
    let Some(meta) = &block.meta else { return name.into_owned() };
    format!(
        "{name}  {}: {} to {}, {} series, {}, level {}{}",
        human_len(block.len()),
        utc(meta.min_time),
        utc(meta.max_time),
        block.index.series_count,
        counted(meta.stats.num_samples, "sample"),
        meta.compaction.level,
        block.marks.iter().map(|mark| format!(", {}", mark.kind)).collect::<String>()
    )
}

fn line_as_json(summary: &BlockSummary) -> Json {
    let path = print::path(&summary.path);
    match &summary.block {
        Ok(block) => typed(
            "block-line",
            json!({
                "path": path, "len": block.len(), "meta": block.meta,
                "series": block.index.series_count,
                "marks": block.marks.iter().map(mark_as_json).collect::<Vec<_>>(),
            }),
        ),
        Err(error) => typed("block-line", json!({ "path": path, "error": error.to_string() })),
    }
}
