//! A file of a Prometheus block by itself, shown: its chunks, its tombstones, its meta file.

use std::io::Write;
use std::path::Path;

use anyhow::Result;
use manicule::series::json::Deleted;
use manicule::series::{AGGREGATES_ENCODING, BlockFile, ChunkRow, Meta, SegmentFile, Tombstones};
use manicule::times::utc;
use serde_json::json;

use super::block::times;
use crate::command::exit;
use crate::print::{self, Print};
use crate::report::{Report, fields};

const SEGMENT: &str =
    "{chunks chunk}, {len:B}: {samples sample}[chunks_damaged?; {chunks_damaged} damaged]";

const DELETED: &str = "series {series:<10} {min_time:ms} to {max_time:ms}";

const META: &str = "\
ulid         {meta.ulid}
times        {times}
minTime      {meta.minTime}
maxTime      {meta.maxTime}
numSamples   {num_samples}
numSeries    {num_series}
numChunks    {num_chunks}
tombstones   {num_tombstones}
level        {meta.compaction.level}
sources      {sources}
{parents}
[hints?hints        {hints}]
{rest}";

pub(super) fn show(file: &BlockFile, is_json: bool, out: &mut Print) -> Result<u8> {
    out.in_pages();
    match file {
        BlockFile::Segment(segment) => return show_segment(segment, is_json, out),
        BlockFile::Tombstones(path, deleted) => show_deleted(path, deleted, is_json, out)?,
        BlockFile::Meta(path, meta) => report(path, meta).print("meta", is_json, out)?,
        _ => {}
    }
    Ok(exit::DONE)
}

/// A line for each chunk, and the sums. A segment may have millions of chunks, and a
/// template takes 21 us for one where a format takes 3 (not optimised): they are no reports.
///
/// Exit code 1 if one is damaged.
fn show_segment(segment: &SegmentFile, is_json: bool, out: &mut Print) -> Result<u8> {
    if !is_json {
        writeln!(out, "    offset     bytes encoding samples  times")?;
    }
    let (mut chunks, mut samples, mut damaged) = (0u64, 0, 0u64);
    for row in segment.chunks() {
        chunks += 1;
        match &row.content {
            Ok(content) => samples += content.sample_count,
            Err(_) => damaged += 1,
        }
        if is_json {
            out.report("chunk", &row)?;
        } else {
            writeln!(out, "{}", chunk_as_text(&row))?;
        }
    }
    let fields = json!({
        "path": print::path(&segment.path), "len": segment.len(), "chunks": chunks,
        "samples": samples, "chunks_damaged": damaged,
    });
    Report::new(SEGMENT, fields).print("segment", is_json, out)?;
    Ok(exit::if_any(damaged == 0))
}

/// Names of the encodings.
const ENCODINGS: [&str; 6] = ["xor", "hist", "floathist", "xor2", "hist+st", "floathist+st"];

fn chunk_as_text(chunk: &ChunkRow) -> String {
    let (at, len) = (chunk.at, chunk.len);
    let content = match &chunk.content {
        Ok(content) => content,
        Err(error) => return format!("{at:>10} {len:>9} damaged: {error}"),
    };
    let name = match content.encoding {
        AGGREGATES_ENCODING => Some("aggr"),
        encoding => usize::from(encoding).checked_sub(1).and_then(|at| ENCODINGS.get(at)).copied(),
    };
    let name = name.map_or_else(|| content.encoding.to_string(), str::to_owned);
    let times = content.times.map(|(first, last)| format!("  {} to {}", utc(first), utc(last)));
    let (samples, times) = (content.sample_count, times.unwrap_or_default());
    format!("{at:>10} {len:>9} {name:<8} {samples:>7}{times}")
}

fn show_deleted(path: &Path, deleted: &Tombstones, is_json: bool, out: &mut Print) -> Result<()> {
    for (series, intervals) in deleted.series() {
        for own in intervals {
            let deleted = Deleted { series: series.0, times: *own };
            Report::new(DELETED, print::json(deleted)).print("deleted", is_json, out)?;
        }
    }
    let (times, series) = (deleted.interval_count(), deleted.series().count());
    let fields = json!({ "path": print::path(path), "times": times, "series": series });
    let report = Report::new("deleted: {times time} of {series} series", fields);
    Ok(report.print("tombstones", is_json, out)?)
}

fn report(path: &Path, meta: &Meta) -> Report {
    let (stats, made) = (&meta.stats, &meta.compaction);
    let parents = made.parents.iter().map(|own| {
        let fields = fields!(own => ulid, min_time, max_time);
        Report::new("parent       {ulid} {min_time:ms} to {max_time:ms}", fields)
    });
    let rest = meta.rest.iter().map(|(key, value)| {
        Report::new("{key:<12} {value}", json!({ "key": key, "value": value.to_string() }))
    });
    let text = fields!(stats =>
        times: times(meta), num_samples, num_series, num_chunks, num_tombstones,
        sources: made.sources.join(" "), hints: made.hints.join(" "));
    Report::new(META, json!({ "path": print::path(path), "meta": meta }))
        .text(text)
        .lines("parents", parents)
        .lines("rest", rest)
}
