//! The chunks of aggregates in one of a downsampled series: each by itself, and against that of
//! counts.

use std::fmt::Display;

use manicule_core::bytes::DecodeError;
use manicule_core::findings::Report;

use crate::Interval;
use crate::chunk::{Aggregate, Aggregates, Chunk, Contents, WindowTimes};
use crate::sections::CHUNKS;
use crate::segment::RawChunk;

/// The windows of a chunk.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Windows {
    /// First and last time, if there are windows.
    pub(super) times: Option<Interval>,
    /// Number of windows, by their counts.
    pub(super) count: u64,
}

/// Decodes every aggregate.
pub(super) fn windows(
    raw: &RawChunk<'_>,
    of: &dyn Display,
    report: &mut Report,
) -> Result<Windows, DecodeError> {
    let Contents::Aggregates(aggregates) = raw.contents()? else { return Ok(Windows::default()) };
    let mut times = None;
    for (aggregate, chunk) in aggregates.iter() {
        let name = aggregate.name();
        kind(raw, aggregate, &chunk, of, report);
        let (mut windows, mut last) = (WindowTimes::new(aggregate, chunk.encoding), None);
        for sample in chunk.samples()? {
            let time = sample?.time;
            // The last value of a counter comes under the time of the last window.
            let is_after = last
                .is_none_or(|last| time > last || time == last && aggregate == Aggregate::Counter);
            if let Some(last) = last.filter(|_| !is_after) {
                let what = format_args!("time of a {name} of {of}");
                report.find(CHUNKS, raw.at, what, format_args!("above {last}"), time);
            }
            windows.add(time);
            last = Some(time);
        }
        times = windows.unite(times);
    }
    pairs(raw, &aggregates, of, report)?;
    Ok(Windows { times, count: aggregates.window_count()?.into() })
}

/// Counts, least and largest values are floats; sums and counters may be histograms.
fn kind(
    raw: &RawChunk<'_>,
    aggregate: Aggregate,
    chunk: &Chunk<'_>,
    of: &dyn Display,
    report: &mut Report,
) {
    let may_be_histogram = matches!(aggregate, Aggregate::Sum | Aggregate::Counter);
    if !may_be_histogram && !chunk.encoding.is_float() {
        let what = format_args!("encoding of the {} of {of}", aggregate.name());
        report.find(CHUNKS, raw.at, what, "1, of floats", chunk.encoding as u8);
    }
}

/// Sums, least and largest values have the times of counts: whoever asks for a mean takes a sum
/// with the count of its place.
fn pairs(
    raw: &RawChunk<'_>,
    aggregates: &Aggregates<'_>,
    of: &dyn Display,
    report: &mut Report,
) -> Result<(), DecodeError> {
    let Some(counts) = aggregates.get(Aggregate::Count) else { return Ok(()) };
    for (aggregate, chunk) in aggregates.iter() {
        if matches!(aggregate, Aggregate::Count | Aggregate::Counter) {
            continue;
        }
        let (mut wanted, mut got) = (counts.samples()?, chunk.samples()?);
        loop {
            let want = wanted.next().transpose()?.map(|sample| sample.time);
            let got = got.next().transpose()?.map(|sample| sample.time);
            if want != got {
                let what = format_args!("time of a {} of {of}", aggregate.name());
                let want = format_args!("{}, as its count", shown(want));
                report.find(CHUNKS, raw.at, what, want, shown(got));
            }
            if want != got || want.is_none() {
                break;
            }
        }
    }
    Ok(())
}

fn shown(time: Option<i64>) -> String {
    time.map_or_else(|| "none".to_owned(), |time| time.to_string())
}
