//! Samples of a selector for a plot: of the first series, some thousand points each.

use manicule::Failure;
use manicule::catalog::Arguments;
use manicule::series::dump::histogram_numbers;
use manicule::series::query::{MergedRow, Work};
use manicule::series::{Interval, Selector, Value};
use manicule::watch::Watch;
use serde_json::{Map, Value as Json, json};

use super::params::Params;
use super::state::Page;
use super::thin::{Summary, Thinned};
use crate::served::Handle;

/// Default and greatest number of series.
const SERIES: usize = 20;

/// Default number of pieces of time of a series; each has two points at most, and its end.
const PIECES: usize = 1000;

/// Greatest number of pieces of time.
const PIECES_MAX: usize = 4000;

/// Series beyond the first ones that are counted.
const COUNTED_MAX: u64 = 100_000;

/// Samples between two looks at the watch.
const STRIDE: u64 = 1 << 16;

/// Samples. Parameters: `place`; `selector`; `start` and `end`, times; `series`; `points`.
pub(super) fn samples(page: &Page, params: &Params, watch: &Watch<'_>) -> Result<String, Failure> {
    let place = page.place(params)?;
    let Handle::Series(data) = &place.handle else {
        return Err(Failure::asked(format!("{} has no series", place.name)));
    };
    let selector = Selector::parse(params.needed("selector")?).map_err(Failure::asked)?;
    let within = times(params)?;
    let series_max = params.number("series", SERIES, SERIES)?;
    let pieces_max = params.number("points", PIECES, PIECES_MAX)?;
    let (moment, mut work) = (data.moment(), Work::default());
    let selectors = [selector];
    let mut series = moment.blocks().series(&selectors, &mut work)?;
    let (mut shown, mut others) = (Vec::new(), 0);
    let (mut from, mut to): (Option<i64>, Option<i64>) = (None, None);
    while let Some(row) = series.next()? {
        watch.check()?;
        if shown.len() == series_max {
            others += 1;
            if others == COUNTED_MAX {
                break;
            }
            continue;
        }
        let line = line(&row, within, pieces_max, watch)?;
        let ends = line.points.first().zip(line.points.last());
        let Some((first, last)) = ends.map(|(first, last)| (first.0, last.0)) else { continue };
        from = Some(from.map_or(first, |own| own.min(first)));
        to = Some(to.map_or(last, |own| own.max(last)));
        shown.push(json_of(&row, &line));
    }
    work.series_decoded += series.decoded_count();
    let receipt: Map<String, Json> =
        work.fields().iter().map(|(name, count)| ((*name).to_owned(), (*count).into())).collect();
    let json = json!({
        "from": from, "to": to, "series": shown, "others": { "series": others },
        "complete": others < COUNTED_MAX, "receipt": receipt,
    });
    Ok(json.to_string())
}

/// The times that are asked for: of one that isn't given, all.
fn times(params: &Params) -> Result<Interval, Failure> {
    let time = |name: &str| {
        let text = params.text(name).map(|text| (name.to_owned(), text.to_owned()));
        Arguments { paths: Vec::new(), named: text.into_iter().collect() }.time(name)
    };
    let (min_time, max_time) =
        (time("start")?.unwrap_or(i64::MIN), time("end")?.unwrap_or(i64::MAX));
    if max_time < min_time {
        return Err(Failure::asked("end is before start"));
    }
    Ok(Interval { min_time, max_time })
}

struct Line {
    points: Vec<super::thin::Point>,
    summary: Summary,
}

/// The points of a series: of histograms their counts, of a downsampled one its first stream.
fn line(
    row: &MergedRow<'_>,
    within: Interval,
    pieces_max: usize,
    watch: &Watch<'_>,
) -> Result<Line, Failure> {
    let mut thinned = Thinned::new(pieces_max);
    let mut count: u64 = 0;
    if let Some(stream) = row.streams().into_iter().next() {
        let mut samples = row.samples_of(stream, within)?;
        while let Some(sample) = samples.next()? {
            count += 1;
            if count.is_multiple_of(STRIDE) {
                watch.check()?;
            }
            match &sample.value {
                value if value.is_stale() => thinned.end_at(sample.time),
                Value::Float(float) => thinned.take(sample.time, *float),
                value => {
                    if let Some(numbers) = histogram_numbers(value) {
                        thinned.take(sample.time, numbers.count);
                    }
                }
            }
        }
    }
    let (points, summary) = thinned.done();
    Ok(Line { points, summary })
}

fn json_of(row: &MergedRow<'_>, line: &Line) -> Json {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let labels: Map<String, Json> =
        row.labels.iter().map(|(name, value)| (text(name), text(value).into())).collect();
    let Summary { samples, min, max, last } = line.summary;
    json!({
        "labels": labels, "points": line.points, "samples": samples, "min": min, "max": max,
        "last": last,
    })
}
