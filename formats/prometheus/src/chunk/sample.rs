//! Samples, the contents of a chunk: each a time and a float or a histogram.

use std::sync::Arc;

use super::counts::{Counts, Float, Integer, ResetHint};

/// The bits of the double that says a series has ended: one of the not-a-numbers.
pub const STALE_BITS: u64 = 0x7ff0_0000_0000_0002;

/// Whether a value, or the sum of a histogram, says that the series has ended.
#[inline]
pub fn is_stale(value: f64) -> bool {
    value.to_bits() == STALE_BITS
}

/// A sample: the value measured at one time. Two are equal when their bits are.
#[derive(Clone, PartialEq, Debug)]
pub struct Sample {
    /// Milliseconds since 1970.
    pub time: i64,
    /// Time at which the counter began, in milliseconds since 1970; 0 is unknown.
    pub start_time: i64,
    /// The value measured.
    pub value: Value,
}

/// The kinds of samples.
#[derive(Clone, Debug)]
pub enum Value {
    /// A double.
    Float(f64),
    /// Counts in buckets.
    Histogram(Box<Histogram<Integer>>),
    /// Counts in buckets that need not be whole.
    FloatHistogram(Box<Histogram<Float>>),
}

impl Value {
    /// Whether it says that the series has ended.
    pub fn is_stale(&self) -> bool {
        match self {
            Value::Float(value) => is_stale(*value),
            Value::Histogram(histogram) => is_stale(histogram.sum),
            Value::FloatHistogram(histogram) => is_stale(histogram.sum),
        }
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Value::Float(left), Value::Float(right)) => left.to_bits() == right.to_bits(),
            (Value::Histogram(left), Value::Histogram(right)) => left == right,
            (Value::FloatHistogram(left), Value::FloatHistogram(right)) => left == right,
            _ => false,
        }
    }
}

/// Neighbouring buckets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Span {
    /// Of the first span the bucket's index, of others how many are left out after the span before.
    pub offset: i32,
    /// Number of buckets.
    pub len: u32,
}

/// The schema that says bounds one by one.
pub const CUSTOM_SCHEMA: i32 = -53;

/// Buckets of a histogram.
#[derive(Clone, Debug)]
pub struct Layout {
    /// −4 to 8: bounds are powers of 2^2^−schema. −53: they are listed.
    pub schema: i32,
    /// Absolute values up to this are in the bucket of zero.
    pub zero_threshold: f64,
    /// Buckets of positive values.
    pub positive: Vec<Span>,
    /// Buckets of negative values.
    pub negative: Vec<Span>,
    /// The upper bounds, of schema −53 only.
    pub custom_bounds: Vec<f64>,
}

impl Layout {
    /// Layout of a histogram that only says that the series has ended.
    pub fn empty() -> Self {
        let (positive, negative) = (Vec::new(), Vec::new());
        Layout { schema: 0, zero_threshold: 0.0, positive, negative, custom_bounds: Vec::new() }
    }
}

impl PartialEq for Layout {
    fn eq(&self, other: &Self) -> bool {
        let bits = |bounds: &[f64]| bounds.iter().map(|bound| bound.to_bits()).collect::<Vec<_>>();
        self.schema == other.schema
            && self.zero_threshold.to_bits() == other.zero_threshold.to_bits()
            && self.positive == other.positive
            && self.negative == other.negative
            && bits(&self.custom_bounds) == bits(&other.custom_bounds)
    }
}

/// Number of buckets of some spans.
pub fn bucket_count(spans: &[Span]) -> u64 {
    spans.iter().map(|span| u64::from(span.len)).sum()
}

/// Counts in buckets.
#[derive(Clone, Debug)]
pub struct Histogram<C: Counts> {
    /// Buckets; one layout for all samples of a chunk.
    pub layout: Arc<Layout>,
    /// Whether it goes on from the sample before.
    pub hint: ResetHint,
    /// Number of observations.
    pub count: C::Count,
    /// Number of those near zero.
    pub zero_count: C::Count,
    /// Their sum.
    pub sum: f64,
    /// The buckets of positive values: as many as the spans say.
    pub positive: Vec<C::Bucket>,
    /// The buckets of negative values.
    pub negative: Vec<C::Bucket>,
}

impl<C: Counts> Histogram<C> {
    /// One that only says that the series has ended.
    pub fn stale() -> Self {
        Histogram {
            layout: Arc::new(Layout::empty()),
            hint: ResetHint::Unknown,
            count: C::Count::default(),
            zero_count: C::Count::default(),
            sum: f64::from_bits(STALE_BITS),
            positive: Vec::new(),
            negative: Vec::new(),
        }
    }
}

impl<C: Counts> PartialEq for Histogram<C> {
    fn eq(&self, other: &Self) -> bool {
        let same = |left: &[C::Bucket], right: &[C::Bucket]| {
            left.len() == right.len()
                && left.iter().zip(right).all(|(left, right)| C::same_bucket(*left, *right))
        };
        self.layout == other.layout
            && self.hint == other.hint
            && C::same_count(self.count, other.count)
            && C::same_count(self.zero_count, other.zero_count)
            && self.sum.to_bits() == other.sum.to_bits()
            && same(&self.positive, &other.positive)
            && same(&self.negative, &other.negative)
    }
}
