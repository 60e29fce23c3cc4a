//! The histograms of a chunk, decoded one after the other.
//!
//! Bytes:   docs/formats/prometheus.md

use std::sync::Arc;

use manicule_core::bytes::DecodeError;

use super::layout::SCHEMA_MAX;
use super::spans::Coarser;
use super::{HEADER_LEN, SHORT_COUNT_MASK, reset_hint};
use crate::chunk::bits::BitReader;
use crate::chunk::counts::ResetHint;
use crate::chunk::counts::{Counts, Field};
use crate::chunk::sample::{Histogram, Layout, Span, bucket_count, is_stale};
use crate::chunk::start_time::StartTimes;
use crate::chunk::xor_value::XorValue;

/// A time, a start time, and a histogram.
pub type TimedHistogram<C> = (i64, i64, Histogram<C>);

/// The samples of a chunk, decoded one after the other.
#[derive(Clone, Debug)]
pub struct HistogramSamples<'a, C: Counts> {
    reader: BitReader<'a>,
    sample: u32,
    count: u32,
    reset: ResetHint,
    starts: Option<StartTimes>,
    time: i64,
    distance: i64,
    /// There from the first sample on.
    state: Option<State<C>>,
}

/// State that the next sample is read against.
#[derive(Clone, Debug)]
struct State<C: Counts> {
    /// As the samples show it.
    layout: Arc<Layout>,
    /// Of a schema that is too fine to be shown: where the buckets go.
    coarser: Option<[Coarser; 2]>,
    count: C::CountField,
    zero_count: C::CountField,
    sum: XorValue,
    positive: Vec<C::BucketField>,
    negative: Vec<C::BucketField>,
}

impl<'a, C: Counts> HistogramSamples<'a, C> {
    pub(in crate::chunk) fn open(
        mut reader: BitReader<'a>,
        has_start_times: bool,
    ) -> Result<Self, DecodeError> {
        let [high, low, third] = [0; HEADER_LEN].map(|_: u8| reader.bits(8) as u8);
        reader.check("header of a chunk")?;
        let count = u16::from_be_bytes([high, low]);
        let (count, reset, starts) = if !has_start_times {
            (count, reset_hint(third), None)
        } else {
            (count & SHORT_COUNT_MASK, reset_hint(high), Some(StartTimes::open(third)))
        };
        let (count, sample) = (count.into(), 0);
        let (time, distance, state) = (0, 0, None);
        Ok(HistogramSamples { reader, sample, count, reset, starts, time, distance, state })
    }

    pub(in crate::chunk) fn left(&self) -> usize {
        (self.count - self.sample) as usize
    }

    /// Reset hint of the chunk: its relation to the one before.
    pub fn reset(&self) -> ResetHint {
        self.reset
    }

    /// The next time, start time and histogram.
    pub fn next_histogram(&mut self) -> Option<Result<TimedHistogram<C>, DecodeError>> {
        if self.sample == self.count {
            return None;
        }
        match self.read() {
            Ok(histogram) => {
                self.sample += 1;
                let start = self.starts.map_or(0, |starts| starts.start);
                Some(Ok((self.time, start, histogram)))
            }
            Err(error) => {
                self.count = self.sample;
                Some(Err(error))
            }
        }
    }

    fn read(&mut self) -> Result<Histogram<C>, DecodeError> {
        let before = self.time;
        let HistogramSamples { reader, state, .. } = self;
        let state = match state {
            None => {
                let layout = Layout::read(reader)?;
                self.time = reader.varbit_int();
                state.insert(State::first(layout, reader)?)
            }
            Some(state) => {
                self.distance = self.distance.wrapping_add(reader.varbit_int());
                self.time = self.time.wrapping_add(self.distance);
                state.next(reader)?;
                state
            }
        };
        if let Some(starts) = &mut self.starts {
            starts.read(reader, self.sample, self.time, before)?;
        }
        reader.check("sample")?;
        let hint = match self.reset {
            ResetHint::Gauge => ResetHint::Gauge,
            _ if self.sample > 0 => ResetHint::NotReset,
            _ => ResetHint::Unknown,
        };
        Ok(state.histogram(hint))
    }
}

impl<C: Counts> State<C> {
    fn first(mut layout: Layout, reader: &mut BitReader<'_>) -> Result<Self, DecodeError> {
        let count = C::CountField::read_first(reader);
        let zero_count = C::CountField::read_first(reader);
        let sum = XorValue::first(reader.word());
        let positive = read_buckets::<C>(reader, &layout.positive)?;
        let negative = read_buckets::<C>(reader, &layout.negative)?;
        let halvings = u32::try_from(layout.schema - SCHEMA_MAX).unwrap_or(0);
        let coarser = match halvings {
            0 => None,
            _ => {
                let at = reader.at();
                let positive = Coarser::new(&layout.positive, halvings, at)?;
                let negative = Coarser::new(&layout.negative, halvings, at)?;
                layout.schema = SCHEMA_MAX;
                layout.positive = positive.spans.clone();
                layout.negative = negative.spans.clone();
                Some([positive, negative])
            }
        };
        let layout = Arc::new(layout);
        Ok(State { layout, coarser, count, zero_count, sum, positive, negative })
    }

    fn next(&mut self, reader: &mut BitReader<'_>) -> Result<(), DecodeError> {
        self.count.read(reader)?;
        self.zero_count.read(reader)?;
        self.sum.read(reader, "sum of a histogram")?;
        if is_stale(f64::from_bits(self.sum.bits)) {
            return Ok(());
        }
        for bucket in self.positive.iter_mut().chain(&mut self.negative) {
            bucket.read(reader)?;
        }
        Ok(())
    }

    fn histogram(&self, hint: ResetHint) -> Histogram<C> {
        let sum = f64::from_bits(self.sum.bits);
        if is_stale(sum) {
            return Histogram::stale();
        }
        let values =
            |fields: &[C::BucketField]| fields.iter().map(Field::value).collect::<Vec<_>>();
        let (mut positive, mut negative) = (values(&self.positive), values(&self.negative));
        if let Some([coarser_positive, coarser_negative]) = &self.coarser {
            positive = coarser_positive.fold::<C>(&positive);
            negative = coarser_negative.fold::<C>(&negative);
        }
        Histogram {
            layout: Arc::clone(&self.layout),
            hint,
            count: self.count.value(),
            zero_count: self.zero_count.value(),
            sum,
            positive,
            negative,
        }
    }
}

fn read_buckets<C: Counts>(
    reader: &mut BitReader<'_>,
    spans: &[Span],
) -> Result<Vec<C::BucketField>, DecodeError> {
    let (count, room) = (bucket_count(spans), reader.left() / C::BucketField::FIRST_LEN_MIN);
    if count > room {
        let what = "bucket count of a histogram";
        return Err(DecodeError::Corrupt { what, at: reader.at(), want: room, got: count });
    }
    Ok((0..count).map(|_| C::BucketField::read_first(reader)).collect())
}
