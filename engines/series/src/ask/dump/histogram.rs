//! Histograms as the forms of a dump write them.

use manicule_format_prometheus::chunk::{
    CUSTOM_SCHEMA, Counts, Float, Histogram, Integer, ResetHint, Span,
};

use super::bounds::upper;
use super::text::put_json_float;
use crate::openmetrics::put_float;

/// A kind of counts, written.
pub(super) trait Written: Counts {
    fn put_count(count: Self::Count, out: &mut Vec<u8>);
    fn put_bucket(bucket: Self::Bucket, out: &mut Vec<u8>);
    fn is_zero(bucket: Self::Bucket) -> bool;
    fn bucket_of(count: Self::Count) -> Self::Bucket;
    fn number(bucket: Self::Bucket) -> f64;
}

impl Written for Integer {
    fn put_count(count: u64, out: &mut Vec<u8>) {
        out.extend_from_slice(count.to_string().as_bytes());
    }

    fn put_bucket(bucket: i64, out: &mut Vec<u8>) {
        Self::put_count(bucket as u64, out);
    }

    fn is_zero(bucket: i64) -> bool {
        bucket == 0
    }

    fn bucket_of(count: u64) -> i64 {
        count as i64
    }

    fn number(bucket: i64) -> f64 {
        bucket as u64 as f64
    }
}

impl Written for Float {
    fn put_count(count: f64, out: &mut Vec<u8>) {
        put_float(count, out);
    }

    fn put_bucket(bucket: f64, out: &mut Vec<u8>) {
        put_float(bucket, out);
    }

    fn is_zero(bucket: f64) -> bool {
        bucket == 0.0
    }

    fn bucket_of(count: f64) -> f64 {
        count
    }

    fn number(bucket: f64) -> f64 {
        bucket
    }
}

/// A bucket with its bounds.
struct Bucket<C: Counts> {
    lower: f64,
    upper: f64,
    holds_lower: bool,
    holds_upper: bool,
    count: C::Bucket,
}

/// As Go's programs print it: `{count:3, sum:1.5, (1,2]:3}`. Empty buckets are left out.
pub(super) fn put_plain<C: Written>(histogram: &Histogram<C>, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{count:");
    C::put_count(histogram.count, out);
    out.extend_from_slice(b", sum:");
    put_float(histogram.sum, out);
    filled(histogram).iter().for_each(|bucket| put_bucket(bucket, out));
    out.push(b'}');
}

/// Its buckets from the least values to the greatest; empty ones are left out.
fn filled<C: Written>(histogram: &Histogram<C>) -> Vec<Bucket<C>> {
    let layout = &histogram.layout;
    let mut all = buckets(histogram, &layout.negative, &histogram.negative, -1.0);
    all.reverse();
    let (lower, upper) = (-layout.zero_threshold, layout.zero_threshold);
    let count = C::bucket_of(histogram.zero_count);
    all.push(Bucket { lower, upper, holds_lower: true, holds_upper: true, count });
    all.extend(buckets(histogram, &layout.positive, &histogram.positive, 1.0));
    all.retain(|bucket| !C::is_zero(bucket.count));
    all
}

/// A native histogram in numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct HistogramNumbers {
    /// Number of observations.
    pub count: f64,
    /// Their sum.
    pub sum: f64,
    /// Schema of the bounds.
    pub schema: i32,
    /// Largest distance from zero in the bucket of zero.
    pub zero_threshold: f64,
    /// Number of observations in that bucket.
    pub zero_count: f64,
    /// Whether it goes on from the sample before: `unknown`, `reset`, `not reset`, `gauge`.
    pub reset: &'static str,
    /// Bounds of custom buckets.
    pub custom_bounds: Vec<f64>,
    /// Lower and upper bound of each bucket that has some and their number, rising.
    pub buckets: Vec<(f64, f64, f64)>,
}

/// The numbers of a histogram.
pub(super) fn numbers<C: Written>(histogram: &Histogram<C>) -> HistogramNumbers {
    let number = |count| C::number(C::bucket_of(count));
    let layout = &histogram.layout;
    HistogramNumbers {
        count: number(histogram.count),
        sum: histogram.sum,
        schema: layout.schema,
        zero_threshold: layout.zero_threshold,
        zero_count: number(histogram.zero_count),
        reset: hint(histogram.hint),
        custom_bounds: layout.custom_bounds.clone(),
        buckets: filled(histogram)
            .iter()
            .map(|bucket| (bucket.lower, bucket.upper, C::number(bucket.count)))
            .collect(),
    }
}

fn put_bucket<C: Written>(bucket: &Bucket<C>, out: &mut Vec<u8>) {
    out.extend_from_slice(if bucket.holds_lower { b", [" } else { b", (" });
    put_float(bucket.lower, out);
    out.push(b',');
    put_float(bucket.upper, out);
    out.extend_from_slice(if bucket.holds_upper { b"]:" } else { b"):" });
    C::put_bucket(bucket.count, out);
}

/// The buckets of one sign, away from zero.
fn buckets<C: Written>(
    histogram: &Histogram<C>,
    spans: &[Span],
    stored: &[C::Bucket],
    sign: f64,
) -> Vec<Bucket<C>> {
    let layout = &histogram.layout;
    let bound = |index: i32| sign * upper(index, layout.schema, &layout.custom_bounds);
    let is_custom = layout.schema == CUSTOM_SCHEMA;
    let (mut index, mut running) = (0i32, C::Bucket::default());
    let mut buckets = Vec::with_capacity(stored.len());
    let mut stored = stored.iter();
    for span in spans {
        index = index.wrapping_add(span.offset);
        for count in stored.by_ref().take(span.len as usize) {
            running = C::absolute(running, *count);
            let (near, far) = (bound(index.wrapping_sub(1)), bound(index));
            let (lower, upper) = if sign > 0.0 { (near, far) } else { (far, near) };
            let (holds_lower, holds_upper) =
                if is_custom { (index == 0, true) } else { (lower < 0.0, upper > 0.0) };
            buckets.push(Bucket { lower, upper, holds_lower, holds_upper, count: running });
            index = index.wrapping_add(1);
        }
    }
    buckets
}

/// As the HTTP API writes it: `{"count":"3","sum":"1.5","buckets":[[0,"1","2","3"]]}`. A bucket
/// that reaches into that of zero ends where that begins.
pub(super) fn put_api<C: Written>(histogram: &Histogram<C>, out: &mut Vec<u8>) {
    let number = |count| C::number(C::bucket_of(count));
    out.extend_from_slice(b"{\"count\":");
    put_json_float(number(histogram.count), out);
    out.extend_from_slice(b",\"sum\":");
    put_json_float(histogram.sum, out);
    let zero = histogram.layout.zero_threshold;
    let filled = filled(histogram);
    for (place, bucket) in filled.iter().enumerate() {
        out.extend_from_slice(if place == 0 { b",\"buckets\":[[" } else { b",[" });
        out.extend_from_slice(match (bucket.holds_lower, bucket.holds_upper) {
            (false, true) => b"0,",
            (true, false) => b"1,",
            (false, false) => b"2,",
            (true, true) => b"3,",
        });
        let is_near = |bound: f64| bound != 0.0 && bound.abs() < zero;
        let (mut lower, mut upper) = (bucket.lower, bucket.upper);
        if upper < 0.0 && is_near(upper) {
            upper = -zero;
        } else if lower > 0.0 && is_near(lower) {
            lower = zero;
        }
        put_json_float(lower, out);
        out.push(b',');
        put_json_float(upper, out);
        out.push(b',');
        put_json_float(C::number(bucket.count), out);
        out.push(b']');
    }
    out.extend_from_slice(if filled.is_empty() { b"}" } else { b"]}" });
}

/// All that is stored of it, as JSON; numbers that need not be whole are strings.
pub(super) fn put_json<C: Written>(histogram: &Histogram<C>, out: &mut Vec<u8>) {
    let layout = &histogram.layout;
    let text = put_json_float;
    out.extend_from_slice(b"{\"count\":\"");
    C::put_count(histogram.count, out);
    out.extend_from_slice(b"\",\"sum\":");
    text(histogram.sum, out);
    out.extend_from_slice(b",\"zero_count\":\"");
    C::put_count(histogram.zero_count, out);
    out.extend_from_slice(b"\",\"zero_threshold\":");
    text(layout.zero_threshold, out);
    out.extend_from_slice(format!(",\"schema\":{}", layout.schema).as_bytes());
    out.extend_from_slice(format!(",\"reset\":\"{}\"", hint(histogram.hint)).as_bytes());
    let sides = [
        ("positive", &layout.positive, &histogram.positive),
        ("negative", &layout.negative, &histogram.negative),
    ];
    for (name, spans, stored) in sides {
        let spans: Vec<(i32, u32)> = spans.iter().map(|span| (span.offset, span.len)).collect();
        let spans = format!("{spans:?}").replace('(', "[").replace(')', "]").replace(' ', "");
        out.extend_from_slice(format!(",\"{name}_spans\":{spans},\"{name}\":[").as_bytes());
        let mut running = C::Bucket::default();
        for (number, count) in stored.iter().enumerate() {
            running = C::absolute(running, *count);
            out.extend_from_slice(if number > 0 { b",\"" } else { b"\"" });
            C::put_bucket(running, out);
            out.push(b'"');
        }
        out.push(b']');
    }
    out.extend_from_slice(b",\"custom_bounds\":[");
    for (number, bound) in layout.custom_bounds.iter().enumerate() {
        if number > 0 {
            out.push(b',');
        }
        text(*bound, out);
    }
    out.extend_from_slice(b"]}");
}

fn hint(hint: ResetHint) -> &'static str {
    match hint {
        ResetHint::Unknown => "unknown",
        ResetHint::Reset => "reset",
        ResetHint::NotReset => "not reset",
        ResetHint::Gauge => "gauge",
    }
}
