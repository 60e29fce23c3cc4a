//! Makes a chunk of histograms, by the rules of Prometheus's appender: when a chunk can't go on,
//! and how its layout grows.
//!
//! Bytes:   docs/formats/prometheus.md

use std::sync::Arc;

use super::spans::{Buckets, Lacks, compare, compare_gauges, rise, spread, union};
use super::{HEADER_LEN, HistogramSamples, SHORT_COUNT_MASK, reset_bits};
use crate::chunk::SAMPLE_COUNT_MAX;
use crate::chunk::bits::{BitReader, BitWriter};
use crate::chunk::counts::ResetHint;
use crate::chunk::counts::{Counts, Field};
use crate::chunk::sample::{CUSTOM_SCHEMA, Histogram, Layout, Span, bucket_count, is_stale};
use crate::chunk::start_time::StartTimes;
use crate::chunk::xor_value::XorValue;

/// Result of a push.
#[must_use]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Push {
    /// It is in the chunk.
    Added,
    /// It has to begin another chunk, and that one says this of the chunk before.
    Refused(ResetHint),
}

/// Makes a chunk of histograms.
#[derive(Clone, Debug)]
pub struct HistogramEncoder<C: Counts> {
    writer: BitWriter,
    count: u32,
    /// Reset hint of the chunk; `None` of an empty one until the first sample has it.
    reset: Option<ResetHint>,
    starts: Option<StartTimes>,
    time: i64,
    distance: i64,
    /// There from the first sample on.
    state: Option<State<C>>,
}

/// State that the next sample is written against.
#[derive(Clone, Debug)]
struct State<C: Counts> {
    layout: Arc<Layout>,
    count: C::CountField,
    zero_count: C::CountField,
    sum: XorValue,
    positive: Vec<C::BucketField>,
    negative: Vec<C::BucketField>,
}

/// Whether a histogram can be added, and what either side lacks.
enum Fit {
    No(ResetHint),
    Yes { positive: Lacks, negative: Lacks },
}

impl Fit {
    const AS_IT_IS: Fit = Fit::Yes { positive: Lacks::NOTHING, negative: Lacks::NOTHING };
}

impl<C: Counts> HistogramEncoder<C> {
    /// An empty chunk. Its reset hint is given, or left to that of its first sample.
    pub fn new(has_start_times: bool, reset: Option<ResetHint>) -> Self {
        HistogramEncoder {
            writer: BitWriter::behind(&[0; HEADER_LEN]),
            count: 0,
            reset,
            starts: has_start_times.then(StartTimes::default),
            time: 0,
            distance: 0,
            state: None,
        }
    }

    /// Number of samples in the chunk.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Length of the data so far, in bytes.
    #[expect(clippy::len_without_is_empty, reason = "the header is always there")]
    pub fn len(&self) -> usize {
        self.writer.len()
    }

    /// Adds a sample, or says that it has to begin another chunk.
    ///
    /// # Panics
    /// If it hasn't as many buckets as its spans say.
    pub fn push(&mut self, time: i64, start_time: i64, histogram: &Histogram<C>) -> Push {
        let layout = &histogram.layout;
        for (buckets, spans) in
            [(&histogram.positive, &layout.positive), (&histogram.negative, &layout.negative)]
        {
            assert_eq!(buckets.len() as u64, bucket_count(spans), "a count for each bucket");
        }
        if self.state.is_none() {
            let hint = match histogram.hint {
                ResetHint::NotReset => ResetHint::Unknown,
                hint => hint,
            };
            self.reset.get_or_insert(hint);
            self.add(time, start_time, histogram);
            return Push::Added;
        }
        let is_gauge = histogram.hint == ResetHint::Gauge;
        if self.count == self.count_max() {
            return Push::Refused(if is_gauge { ResetHint::Gauge } else { ResetHint::Unknown });
        }
        match if is_gauge { self.fit_gauge(histogram) } else { self.fit_counter(histogram) } {
            Fit::No(reset) => return Push::Refused(reset),
            Fit::Yes { positive: Lacks::NOTHING, negative: Lacks::NOTHING } => {
                self.add(time, start_time, histogram);
            }
            Fit::Yes { positive, negative } => {
                let widened = self.widen(histogram, positive, negative);
                self.add(time, start_time, &widened);
            }
        }
        Push::Added
    }

    fn count_max(&self) -> u32 {
        if self.starts.is_some() { SHORT_COUNT_MASK.into() } else { SAMPLE_COUNT_MAX }
    }

    /// Whether a counter can go on with this histogram.
    fn fit_counter(&self, histogram: &Histogram<C>) -> Fit {
        let state = self.state.as_ref().expect("a chunk with samples");
        if self.reset == Some(ResetHint::Gauge) {
            return Fit::No(C::AFTER_GAUGE);
        }
        if histogram.hint == ResetHint::Reset {
            return Fit::No(ResetHint::Reset);
        }
        if is_stale(histogram.sum) {
            return Fit::AS_IT_IS;
        }
        if state.is_stale() {
            return Fit::No(ResetHint::Unknown);
        }
        if histogram.count < state.count.value() {
            return Fit::No(ResetHint::Reset);
        }
        if !state.has_same_zero_and_schema(&histogram.layout) {
            return Fit::No(ResetHint::Unknown);
        }
        if !state.has_same_bounds(&histogram.layout)
            || histogram.zero_count < state.zero_count.value()
        {
            return Fit::No(ResetHint::Reset);
        }
        let (has, new) = (&state.layout, &histogram.layout);
        let lacks =
            |fields: &[C::BucketField], has: &[Span], counts: &[C::Bucket], new: &[Span]| {
                if has != new && !(rise(has) && rise(new)) {
                    return None;
                }
                let earlier = Buckets { spans: has, counts: fields.iter().map(Field::value) };
                compare::<C>(earlier, Buckets { spans: new, counts: counts.iter().copied() })
            };
        let positive = lacks(&state.positive, &has.positive, &histogram.positive, &new.positive);
        let negative = lacks(&state.negative, &has.negative, &histogram.negative, &new.negative);
        match (positive, negative) {
            (Some(positive), Some(negative)) => Fit::Yes { positive, negative },
            _ => Fit::No(ResetHint::Reset),
        }
    }

    /// Whether gauges can go on with this histogram.
    fn fit_gauge(&self, histogram: &Histogram<C>) -> Fit {
        let state = self.state.as_ref().expect("a chunk with samples");
        let (has, new) = (&state.layout, &histogram.layout);
        if self.reset != Some(ResetHint::Gauge) {
            return Fit::No(ResetHint::Gauge);
        }
        if is_stale(histogram.sum) {
            return Fit::AS_IT_IS;
        }
        let can_join = |has: &[Span], new: &[Span]| has == new || (rise(has) && rise(new));
        if state.is_stale()
            || !state.has_same_zero_and_schema(new)
            || !state.has_same_bounds(new)
            || !can_join(&has.positive, &new.positive)
            || !can_join(&has.negative, &new.negative)
        {
            return Fit::No(ResetHint::Gauge);
        }
        let positive = compare_gauges(&has.positive, &new.positive);
        let negative = compare_gauges(&has.negative, &new.negative);
        Fit::Yes { positive, negative }
    }

    /// Gives the chunk the buckets that it lacks, and gives back the histogram with those that it
    /// lacks.
    fn widen(
        &mut self,
        histogram: &Histogram<C>,
        positive: Lacks,
        negative: Lacks,
    ) -> Histogram<C> {
        let has = Arc::clone(&self.state.as_ref().expect("a chunk with samples").layout);
        let new = &histogram.layout;
        let mut layout = Layout::clone(&has);
        if positive.earlier || negative.earlier {
            let lacks_any = positive.later || negative.later;
            let is_gauge = histogram.hint == ResetHint::Gauge;
            // What stands in the file is how the spans are cut, not just which buckets there are.
            let join = |lacks: Lacks, has: &[Span], new: &[Span]| {
                let is_joined = lacks.later || (is_gauge && lacks_any);
                if is_joined { union(has, new) } else { new.to_vec() }
            };
            layout.positive = join(positive, &has.positive, &new.positive);
            layout.negative = join(negative, &has.negative, &new.negative);
            self.recode(Arc::new(layout.clone()));
        }
        Histogram {
            positive: spread::<C>(&histogram.positive, &new.positive, &layout.positive),
            negative: spread::<C>(&histogram.negative, &new.negative, &layout.negative),
            layout: Arc::new(layout),
            ..*histogram
        }
    }

    /// Writes all samples again with more buckets.
    fn recode(&mut self, layout: Arc<Layout>) {
        let mut wider = HistogramEncoder::new(self.starts.is_some(), self.reset);
        let narrow = std::mem::replace(self, HistogramEncoder::new(false, None));
        let has_start_times = narrow.starts.is_some();
        let bytes = narrow.finish();
        let own = "what the encoder wrote is read";
        let mut samples =
            HistogramSamples::<C>::open(BitReader::new(&bytes, 0), has_start_times).expect(own);
        while let Some(sample) = samples.next_histogram() {
            let (time, start_time, old) = sample.expect(own);
            let has = &old.layout;
            let histogram = Histogram {
                positive: spread::<C>(&old.positive, &has.positive, &layout.positive),
                negative: spread::<C>(&old.negative, &has.negative, &layout.negative),
                layout: Arc::clone(&layout),
                ..old
            };
            wider.add(time, start_time, &histogram);
        }
        *self = wider;
    }

    /// Writes a sample whose buckets are those of the chunk; of one that says that the series has
    /// ended only that.
    fn add(&mut self, time: i64, start_time: i64, histogram: &Histogram<C>) {
        let HistogramEncoder { writer, state, .. } = self;
        match state {
            None if is_stale(histogram.sum) => {
                *state = Some(State::first(writer, time, &Histogram::stale()));
            }
            None => *state = Some(State::first(writer, time, histogram)),
            Some(state) => {
                let distance = time.wrapping_sub(self.time);
                writer.varbit_int(distance.wrapping_sub(self.distance));
                self.distance = distance;
                state.next(writer, histogram);
            }
        }
        if let Some(starts) = &mut self.starts {
            starts.write(writer, self.count, time, self.time, start_time);
        }
        self.time = time;
        self.count += 1;
    }

    /// The data of the chunk.
    pub fn finish(mut self) -> Vec<u8> {
        let reset = reset_bits(self.reset.unwrap_or(ResetHint::Unknown));
        let [high, low] = (self.count as u16).to_be_bytes();
        let header = match &self.starts {
            None => [high, low, reset],
            Some(starts) => [high | reset, low, starts.header()],
        };
        self.writer.written()[..HEADER_LEN].copy_from_slice(&header);
        self.writer.finish()
    }
}

impl<C: Counts> State<C> {
    fn first(writer: &mut BitWriter, time: i64, histogram: &Histogram<C>) -> Self {
        histogram.layout.write(writer);
        writer.varbit_int(time);
        let count = C::CountField::write_first(writer, histogram.count);
        let zero_count = C::CountField::write_first(writer, histogram.zero_count);
        let sum = histogram.sum.to_bits();
        writer.bits(sum, 64);
        let mut fields = |buckets: &[C::Bucket]| -> Vec<_> {
            buckets.iter().map(|bucket| C::BucketField::write_first(writer, *bucket)).collect()
        };
        let (positive, negative) = (fields(&histogram.positive), fields(&histogram.negative));
        let (layout, sum) = (Arc::clone(&histogram.layout), XorValue::first(sum));
        State { layout, count, zero_count, sum, positive, negative }
    }

    fn next(&mut self, writer: &mut BitWriter, histogram: &Histogram<C>) {
        if is_stale(histogram.sum) {
            self.count.write_stale(writer);
            self.zero_count.write_stale(writer);
            return self.sum.write(writer, histogram.sum.to_bits());
        }
        self.count.write(writer, histogram.count);
        self.zero_count.write(writer, histogram.zero_count);
        self.sum.write(writer, histogram.sum.to_bits());
        let fields = self.positive.iter_mut().chain(&mut self.negative);
        for (field, bucket) in fields.zip(histogram.positive.iter().chain(&histogram.negative)) {
            field.write(writer, *bucket);
        }
    }

    fn is_stale(&self) -> bool {
        is_stale(f64::from_bits(self.sum.bits))
    }

    fn has_same_zero_and_schema(&self, layout: &Layout) -> bool {
        self.layout.schema == layout.schema && self.layout.zero_threshold == layout.zero_threshold
    }

    fn has_same_bounds(&self, layout: &Layout) -> bool {
        layout.schema != CUSTOM_SCHEMA || self.layout.custom_bounds == layout.custom_bounds
    }
}
