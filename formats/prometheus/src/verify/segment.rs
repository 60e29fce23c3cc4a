//! The segments: their headers, and each chunk that a series names against what the series says of
//! it.

use std::fmt::Display;
use std::ops::Range;

use manicule_core::bytes::DecodeError;
use manicule_core::findings::Report;

use super::aggregates;
use crate::chunk::{AGGREGATES_ENCODING, Value};
use crate::sections::{CHUNKS, HEADER};
use crate::segment::{RawChunk, SEGMENT_HEADER, SEGMENT_HEADER_LEN, SEGMENT_MAGIC, Segment};
use crate::{ChunkMeta, SeriesRef};

/// A chunk that a series names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NamedChunk {
    /// Its reference and its times.
    pub meta: ChunkMeta,
    /// The series.
    pub series: SeriesRef,
}

/// Meaning of bytes between chunks that series name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Gaps {
    /// No series has them, as far as the whole index says.
    Odd,
    /// They may be those of series that can't be read.
    Unknown,
}

manicule_core::counts! {
    /// Counts of the chunks read.
    pub struct ChunkCounts {
        /// Chunks that can be read.
        chunk_count,
        /// Their samples that are doubles.
        float_count,
        /// Their samples that are histograms.
        histogram_count,
        /// Windows of those that hold aggregates, by their counts.
        window_count,
    }
}

/// Verifies the header of a segment; gives the segment if chunks can be looked for in it.
pub fn verify_segment<'a>(bytes: &'a [u8], report: &mut Report) -> Option<Segment<&'a [u8]>> {
    let segment = report.ok(HEADER, Segment::open(bytes))?;
    let from = SEGMENT_MAGIC.len() + 1;
    for (at, byte) in bytes.iter().enumerate().take(SEGMENT_HEADER_LEN).skip(from) {
        if *byte != SEGMENT_HEADER[at] {
            report.warn(HEADER, at as u64, "padding", SEGMENT_HEADER[at], byte);
        }
    }
    Some(segment)
}

/// Verifies some of the chunks of a segment. `named` are all chunks that series name in it, by
/// their places; those of `range` are looked at, and that the next begins where each ends.
pub fn verify_chunks(
    segment: &Segment<&[u8]>,
    named: &[NamedChunk],
    range: Range<usize>,
    gaps: Gaps,
    report: &mut Report,
) -> ChunkCounts {
    let mut counts = ChunkCounts::default();
    let place = |chunk: &NamedChunk| u64::from(chunk.meta.reference.offset());
    if range.start == 0 {
        let first = named.first().map_or(segment.bytes().len() as u64, place);
        unnamed(segment, SEGMENT_HEADER_LEN as u64..first, gaps, report);
    }
    for index in range {
        let chunk = &named[index];
        let next = named.get(index + 1).map_or(segment.bytes().len() as u64, place);
        let Some(raw) = report.ok(CHUNKS, segment.chunk(place(chunk))) else { continue };
        counts.chunk_count += 1;
        let read = samples(&raw, chunk, &mut counts, report);
        report.ok(CHUNKS, read);
        if raw.end > next && next != raw.at {
            let what = format_args!("end of a chunk of series {}", chunk.series.0);
            report.find(CHUNKS, raw.at, what, format_args!("{next} at most"), raw.end);
        } else {
            unnamed(segment, raw.end..next, gaps, report);
        }
    }
    counts
}

/// Bytes that no series names: legal, since nobody reads them.
fn unnamed(segment: &Segment<&[u8]>, bytes: Range<u64>, gaps: Gaps, report: &mut Report) {
    if bytes.start < bytes.end && gaps == Gaps::Odd {
        let end = bytes.end.min(segment.bytes().len() as u64);
        let got = format_args!("{} bytes", end.saturating_sub(bytes.start));
        report.warn(CHUNKS, bytes.start, "bytes that belong to no series", "none", got);
    }
}

/// Verifies a segment by itself, chunk by chunk: without an index nothing more is known. After a
/// chunk that doesn't hold the next is looked for where the length of this one says.
pub fn verify_lone_segment(segment: &Segment<&[u8]>, report: &mut Report) -> ChunkCounts {
    let mut counts = ChunkCounts::default();
    let mut at = SEGMENT_HEADER_LEN as u64;
    while at < segment.bytes().len() as u64 {
        if let Some(raw) = report.ok(CHUNKS, segment.chunk(at)) {
            counts.chunk_count += 1;
            let read = times(&raw, &"a chunk", &mut counts, report);
            report.ok(CHUNKS, read);
        }
        let Ok(end) = segment.chunk_end(at) else { break };
        at = end;
    }
    counts
}

/// Decodes a chunk, and compares its times with those that the series says.
fn samples(
    raw: &RawChunk<'_>,
    named: &NamedChunk,
    counts: &mut ChunkCounts,
    report: &mut Report,
) -> Result<(), DecodeError> {
    let of = format_args!("series {}", named.series.0);
    let times = times(raw, &of, counts, report)?;
    let want = (named.meta.min_time, named.meta.max_time);
    if times != Some(want) {
        let what = format_args!("first and last time of a chunk of {of}");
        let want = format_args!("{} and {}, as the index says", want.0, want.1);
        match times {
            Some((first, last)) => {
                report.find(CHUNKS, raw.at, what, want, format_args!("{first} and {last}"));
            }
            None => report.find(CHUNKS, raw.at, what, want, "no sample"),
        }
    }
    Ok(())
}

/// Decodes a chunk: its first and last time, if it has samples.
fn times(
    raw: &RawChunk<'_>,
    of: &dyn Display,
    counts: &mut ChunkCounts,
    report: &mut Report,
) -> Result<Option<(i64, i64)>, DecodeError> {
    if raw.encoding == AGGREGATES_ENCODING {
        let windows = aggregates::windows(raw, of, report)?;
        counts.window_count += windows.count;
        return Ok(windows.times.map(|times| (times.min_time, times.max_time)));
    }
    let chunk = raw.open()?;
    let mut times: Option<(i64, i64)> = None;
    for sample in chunk.samples()? {
        let sample = sample?;
        if let Some((_, last)) = times
            && sample.time <= last
        {
            let what = format_args!("time of a sample of {of}");
            report.find(CHUNKS, raw.at, what, format_args!("above {last}"), sample.time);
        }
        times = Some((times.map_or(sample.time, |times| times.0), sample.time));
        match sample.value {
            Value::Float(_) => counts.float_count += 1,
            Value::Histogram(_) | Value::FloatHistogram(_) => counts.histogram_count += 1,
        }
    }
    Ok(times)
}
