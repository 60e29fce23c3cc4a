//! Random samples, encoded, then decoded by the decoder and by the plain one.

#[path = "support/plain.rs"]
mod plain;

use std::sync::Arc;

use manicule_format_prometheus::chunk::{
    Chunk, Counts, Encoder, Encoding, Float, Histogram, Integer, Layout, Push, ResetHint,
    STALE_BITS, Sample, Span, Value, encode,
};
use manicule_testkit::Rng;
use plain::{Buckets, Plain};

/// Times that go on evenly for a while, jump, or stand.
struct Times {
    time: i64,
    step: i64,
    start: i64,
}

impl Times {
    fn new(rng: &mut Rng) -> Self {
        let time = rng.bits() as i64 >> rng.below(64);
        Times { time, step: rng.below(100_000) as i64, start: 0 }
    }

    fn next(&mut self, rng: &mut Rng) -> (i64, i64) {
        match rng.below(12) {
            0 => self.step = rng.bits() as i64 >> rng.below(64),
            1..4 => self.step += rng.below(20_000) as i64 - 10_000,
            4 => self.start = self.time.wrapping_sub(rng.below(1 << 20) as i64),
            _ => {}
        }
        self.time = self.time.wrapping_add(self.step);
        (self.time, self.start)
    }
}

fn number(rng: &mut Rng, before: f64) -> f64 {
    match rng.below(8) {
        0..3 => before,
        3 => rng.below(1000) as f64 / 8.0,
        4 => before + 1.0,
        5 => f64::from_bits(rng.bits()),
        6 => f64::from_bits(before.to_bits() ^ (rng.bits() >> rng.below(64) << rng.below(64))),
        _ => f64::from_bits(STALE_BITS),
    }
}

fn shown_value(sample: &Sample, with_start: bool) -> Plain {
    fn buckets<C: Counts>(
        histogram: &Histogram<C>,
        count: [u64; 2],
        bits: impl Fn(C::Bucket) -> u64,
    ) -> Buckets {
        let stored = histogram.positive.iter().chain(&histogram.negative).map(|b| bits(*b));
        let (sum, [count, zero_count]) = (histogram.sum.to_bits(), count);
        Buckets { count, zero_count, sum, stored: stored.collect() }
    }
    let start = if with_start { sample.start_time } else { 0 };
    let (value, histogram) = match &sample.value {
        Value::Float(value) => (value.to_bits(), None),
        Value::Histogram(h) => (0, Some(buckets(h, [h.count, h.zero_count], |b| b as u64))),
        Value::FloatHistogram(h) => {
            let counts = [h.count.to_bits(), h.zero_count.to_bits()];
            (0, Some(buckets(h, counts, f64::to_bits)))
        }
    };
    (sample.time, start, value, histogram)
}

/// Both decoders' samples, which are the same.
fn decode(encoding: Encoding, data: &[u8], place: &str) -> Vec<Sample> {
    let chunk = Chunk { encoding, data, at: 0 };
    let samples: Vec<Sample> = chunk.samples().unwrap().map(Result::unwrap).collect();
    let shown: Vec<Plain> = samples.iter().map(|sample| shown_value(sample, true)).collect();
    assert_eq!(shown, plain::decode(encoding, data), "{place}");
    samples
}

#[test]
fn floats_read_back_as_the_plain_decoder_reads_them() {
    for seed in 0..600 {
        let mut rng = Rng::new(seed);
        let (mut times, mut value) = (Times::new(&mut rng), 0.0);
        let samples: Vec<Sample> = (0..rng.below(300))
            .map(|_| {
                let (time, start_time) = times.next(&mut rng);
                value = number(&mut rng, value);
                Sample { time, start_time, value: Value::Float(value) }
            })
            .collect();
        for encoding in [Encoding::Xor, Encoding::Xor2] {
            let chunks = encode(encoding, None, &samples);
            assert_eq!(chunks.len(), 1);
            let place = format!("seed {seed}, {encoding:?}");
            let found = decode(encoding, &chunks[0], &place);
            let show = |samples: &[Sample]| -> Vec<Plain> {
                samples.iter().map(|s| shown_value(s, encoding.has_start_times())).collect()
            };
            assert_eq!(show(&found), show(&samples), "{place}");
        }
    }
}

/// Counts by the index of their bucket: what doesn't change when a layout grows.
fn by_index<C: Counts<Bucket: Into<i128>>>(
    spans: &[Span],
    stored: &[C::Bucket],
) -> Vec<(i64, i128)> {
    let (mut index, mut place, mut counts) = (0i64, 0, Vec::new());
    let mut running = 0i128;
    for span in spans {
        index += i64::from(span.offset);
        for _ in 0..span.len {
            running += stored[place].into();
            if running != 0 {
                counts.push((index, running));
            }
            (index, place) = (index + 1, place + 1);
        }
    }
    counts
}

/// A histogram whose buckets that are empty are left out, as exporters do.
fn sparse(counts: &[u64; 12], zero_count: u64, sum: f64, hint: ResetHint) -> Histogram<Integer> {
    let (mut spans, mut stored): (Vec<Span>, Vec<i64>) = (Vec::new(), Vec::new());
    let (mut next, mut running) = (0, 0);
    for (index, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        let offset = index as i32 - next;
        match spans.last_mut() {
            Some(last) if offset == 0 => last.len += 1,
            _ => spans.push(Span { offset, len: 1 }),
        }
        next = index as i32 + 1;
        stored.push(*count as i64 - running);
        running = *count as i64;
    }
    let layout = Layout { zero_threshold: 0.001, positive: spans.clone(), ..Layout::empty() };
    let layout = Layout { schema: 3, negative: spans, ..layout };
    Histogram {
        layout: Arc::new(layout),
        hint,
        count: counts.iter().sum::<u64>() * 2 + zero_count,
        zero_count,
        sum,
        positive: stored.clone(),
        negative: stored,
    }
}

fn as_float(histogram: &Histogram<Integer>) -> Histogram<Float> {
    let absolute = |stored: &[i64]| {
        let mut running = 0;
        stored
            .iter()
            .map(|step| {
                running += step;
                running as f64
            })
            .collect()
    };
    Histogram {
        layout: Arc::clone(&histogram.layout),
        hint: histogram.hint,
        count: histogram.count as f64,
        zero_count: histogram.zero_count as f64,
        sum: histogram.sum,
        positive: absolute(&histogram.positive),
        negative: absolute(&histogram.negative),
    }
}

/// Histograms whose buckets appear over time; of gauges they also vanish.
fn histograms(rng: &mut Rng, is_gauge: bool) -> Vec<(i64, i64, Histogram<Integer>)> {
    let (mut times, mut counts, mut sum) = (Times::new(rng), [0; 12], 0.0);
    let hint = if is_gauge { ResetHint::Gauge } else { ResetHint::Unknown };
    let mut histogram = |_| {
        for _ in 0..rng.below(4) {
            counts[rng.below(12)] += rng.below(5) as u64;
        }
        if is_gauge || rng.one_in(40) {
            counts[rng.below(12)] = 0;
        }
        let (time, start) = times.next(rng);
        sum = number(rng, sum);
        // Of gauges a stale sample has no hint: Prometheus begins a chunk of counters with it.
        if is_gauge && sum.to_bits() == STALE_BITS {
            sum = 1.0;
        }
        (time, start, sparse(&counts, counts[0] / 2, sum, hint))
    };
    (0..60).map(&mut histogram).collect()
}

#[test]
fn histograms_read_back_whatever_buckets_appear() {
    for seed in 0..300 {
        let mut rng = Rng::new(seed);
        let is_gauge = rng.one_in(2);
        let given = histograms(&mut rng, is_gauge);
        for encoding in Encoding::ALL.into_iter().filter(|encoding| !encoding.is_float()) {
            let place = format!("seed {seed}, {encoding:?}, gauges {is_gauge}");
            let is_integer = matches!(encoding, Encoding::Histogram | Encoding::HistogramStart);
            let samples: Vec<Sample> = given
                .iter()
                .map(|(time, start, histogram)| {
                    let value = if is_integer {
                        Value::Histogram(Box::new(histogram.clone()))
                    } else {
                        Value::FloatHistogram(Box::new(as_float(histogram)))
                    };
                    Sample { time: *time, start_time: *start, value }
                })
                .collect();
            let chunks = encode(encoding, None, &samples);
            let found: Vec<Sample> =
                chunks.iter().flat_map(|data| decode(encoding, data, &place)).collect();
            assert_eq!(found.len(), samples.len(), "{place}");
            for (found, (time, start, given)) in found.iter().zip(&given) {
                assert_eq!(found.time, *time, "{place}");
                let has_start = encoding.has_start_times();
                assert_eq!(found.start_time, if has_start { *start } else { 0 }, "{place}");
                check(&found.value, given, &place);
            }
        }
    }
}

fn check(found: &Value, given: &Histogram<Integer>, place: &str) {
    let whole = match found {
        Value::Histogram(found) => Histogram::clone(found),
        Value::FloatHistogram(found) => {
            let stored = |counts: &[f64]| {
                let mut before = 0;
                counts
                    .iter()
                    .map(|c| {
                        let step = *c as i64 - before;
                        before = *c as i64;
                        step
                    })
                    .collect()
            };
            Histogram {
                layout: Arc::clone(&found.layout),
                hint: found.hint,
                count: found.count as u64,
                zero_count: found.zero_count as u64,
                sum: found.sum,
                positive: stored(&found.positive),
                negative: stored(&found.negative),
            }
        }
        Value::Float(_) => panic!("{place}: a float"),
    };
    assert_eq!(whole.sum.to_bits(), given.sum.to_bits(), "{place}");
    if found.is_stale() {
        return;
    }
    assert_eq!((whole.count, whole.zero_count), (given.count, given.zero_count), "{place}");
    for (found, want) in [
        (
            by_index::<Integer>(&whole.layout.positive, &whole.positive),
            by_index::<Integer>(&given.layout.positive, &given.positive),
        ),
        (
            by_index::<Integer>(&whole.layout.negative, &whole.negative),
            by_index::<Integer>(&given.layout.negative, &given.negative),
        ),
    ] {
        assert_eq!(found, want, "{place}");
    }
}

#[test]
fn a_full_chunk_refuses_more() {
    for (encoding, max) in [(Encoding::Xor, 65_535), (Encoding::Xor2, 65_535)] {
        let mut encoder = Encoder::new(encoding, None);
        let sample = |time| Sample { time, start_time: 0, value: Value::Float(1.0) };
        assert!((0..max).all(|time| encoder.push(&sample(time)) == Push::Added));
        assert_eq!(encoder.push(&sample(max)), Push::Refused(ResetHint::Unknown));
        assert_eq!(decode(encoding, &encoder.finish(), "full").len() as i64, max);
    }
    let mut encoder = Encoder::new(Encoding::HistogramStart, None);
    let histogram = sparse(&[1; 12], 0, 1.0, ResetHint::Unknown);
    let sample = |time| {
        let value = Value::Histogram(Box::new(histogram.clone()));
        Sample { time, start_time: 0, value }
    };
    assert!((0..16_383).all(|time| encoder.push(&sample(time)) == Push::Added));
    assert_eq!(encoder.push(&sample(16_383)), Push::Refused(ResetHint::Unknown));
}
