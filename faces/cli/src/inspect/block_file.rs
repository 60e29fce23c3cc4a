//! A file of a Prometheus block by itself, shown: its chunks, its tombstones, its meta file.

use std::io::Write;
use std::path::Path;

use anyhow::Result;
use manicule::series::{BlockFile, ChunkRow, Meta, SegmentFile, Tombstones};
use manicule::times::utc;
use serde_json::json;

use super::block::times;
use super::options::Options;
use crate::command::exit;
use crate::print::{self, Print, typed};
use crate::units::counted;
use crate::units::human_len;

pub(super) fn show(file: &BlockFile, options: &Options, out: &mut Print) -> Result<u8> {
    out.in_pages();
    match file {
        BlockFile::Segment(segment) => show_segment(segment, options, out),
        BlockFile::Tombstones(path, deleted) => show_deleted(path, deleted, options, out),
        BlockFile::Meta(path, meta) => show_meta(path, meta, options, out),
        _ => Ok(exit::DONE),
    }
}

/// A line for each chunk, and the sums. Exit code 1 if one is damaged.
fn show_segment(segment: &SegmentFile, options: &Options, out: &mut Print) -> Result<u8> {
    if !options.json {
        writeln!(out, "    offset     bytes encoding samples  times")?;
    }
    let (mut chunks, mut samples, mut damaged) = (0u64, 0, 0u64);
    for chunk in segment.chunks() {
        chunks += 1;
        match &chunk.content {
            Ok(content) => samples += content.sample_count,
            Err(_) => damaged += 1,
        }
        if options.json {
            writeln!(out, "{}", chunk_as_json(&chunk))?
        } else {
            writeln!(out, "{}", chunk_as_text(&chunk))?
        }
    }
    let (path, len) = (print::path(&segment.path), segment.len());
    if options.json {
        let fields = json!({
            "path": path, "len": len, "chunks": chunks, "samples": samples,
            "chunks_damaged": damaged,
        });
        out.row("segment", fields)?;
    } else {
        writeln!(
            out,
            "{}, {}: {}{}",
            counted(chunks, "chunk"),
            human_len(len),
            counted(samples, "sample"),
            if damaged > 0 { format!("; {damaged} damaged") } else { String::new() }
        )?
    }
    Ok(exit::if_any(damaged == 0))
}

/// Names of the encodings.
const ENCODINGS: [&str; 6] = ["xor", "hist", "floathist", "xor2", "hist+st", "floathist+st"];

fn encoding_name(encoding: u8) -> String {
    let name = usize::from(encoding).checked_sub(1).and_then(|place| ENCODINGS.get(place));
    name.map_or_else(|| encoding.to_string(), ToString::to_string)
}

fn chunk_as_text(chunk: &ChunkRow) -> String {
    let (at, len) = (chunk.at, chunk.len);
    match &chunk.content {
        Ok(content) => {
            let (name, samples) = (encoding_name(content.encoding), content.sample_count);
            let times = content.times.map_or_else(String::new, |(first, last)| {
                format!("{} to {}", utc(first), utc(last))
            });
            format!("{at:>10} {len:>9} {name:<8} {samples:>7}  {times}").trim_end().to_owned()
        }
        Err(error) => format!("{at:>10} {len:>9} damaged: {error}"),
    }
}

fn chunk_as_json(chunk: &ChunkRow) -> serde_json::Value {
    let (at, len) = (chunk.at, chunk.len);
    match &chunk.content {
        Ok(content) => typed(
            "chunk",
            json!({
                "offset": at, "len": len, "encoding": content.encoding,
                "samples": content.sample_count, "min_time": content.times.map(|times| times.0),
                "max_time": content.times.map(|times| times.1),
            }),
        ),
        Err(error) => {
            typed("chunk", json!({ "offset": at, "len": len, "error": error.to_string() }))
        }
    }
}

fn show_deleted(
    path: &Path,
    deleted: &Tombstones,
    options: &Options,
    out: &mut Print,
) -> Result<u8> {
    for (series, intervals) in deleted.series() {
        for own in intervals {
            let (first, last) = (own.min_time, own.max_time);
            if options.json {
                let series = series.0;
                let fields = json!({ "series": series, "min_time": first, "max_time": last });
                out.row("deleted", fields)?;
            } else {
                writeln!(out, "series {:<10} {} to {}", series.0, utc(first), utc(last))?;
            }
        }
    }
    let (times, series) = (deleted.interval_count(), deleted.series().count());
    if options.json {
        let path = print::path(path);
        let fields = json!({ "path": path, "times": times, "series": series });
        out.row("tombstones", fields)?;
    } else {
        writeln!(out, "deleted: {} of {series} series", counted(times, "time"))?
    }
    Ok(exit::DONE)
}

fn show_meta(path: &Path, meta: &Meta, options: &Options, out: &mut Print) -> Result<u8> {
    if options.json {
        out.row("meta", json!({ "path": print::path(path), "meta": meta }))?;
        return Ok(exit::DONE);
    }
    let (stats, compaction) = (&meta.stats, &meta.compaction);
    writeln!(out, "ulid         {}", meta.ulid)?;
    writeln!(out, "times        {}", times(meta))?;
    writeln!(out, "minTime      {}", meta.min_time)?;
    writeln!(out, "maxTime      {}", meta.max_time)?;
    writeln!(out, "numSamples   {}", stats.num_samples)?;
    writeln!(out, "numSeries    {}", stats.num_series)?;
    writeln!(out, "numChunks    {}", stats.num_chunks)?;
    writeln!(out, "tombstones   {}", stats.num_tombstones)?;
    writeln!(out, "level        {}", compaction.level)?;
    writeln!(out, "sources      {}", compaction.sources.join(" "))?;
    for parent in &compaction.parents {
        let (first, last) = (utc(parent.min_time), utc(parent.max_time));
        writeln!(out, "parent       {} {first} to {last}", parent.ulid)?;
    }
    if !compaction.hints.is_empty() {
        writeln!(out, "hints        {}", compaction.hints.join(" "))?;
    }
    for (key, value) in &meta.rest {
        writeln!(out, "{key:<12} {value}")?;
    }
    Ok(exit::DONE)
}
