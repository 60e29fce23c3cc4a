//! The two kinds of counts that histograms have, whole ones and doubles, and how each stands in a
//! chunk.
//!
//! Bytes:   docs/formats/prometheus.md

use std::fmt::Debug;

use manicule_core::bytes::DecodeError;

use super::bits::{BitReader, BitWriter};
use super::xor_value::XorValue;

/// Whether the counts before a histogram and its own can be of one counter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ResetHint {
    /// Nothing is known: compare.
    Unknown,
    /// The counter was reset.
    Reset,
    /// The counter went on.
    NotReset,
    /// Not a counter.
    Gauge,
}

/// The kinds of counts: [`Integer`] and [`Float`].
pub trait Counts: Copy + Debug + Sized + 'static {
    /// A count.
    type Count: Copy + Debug + Default + PartialOrd;
    /// Stored form of a bucket.
    type Bucket: Copy + Debug + Default + PartialOrd;
    /// A count in a chunk, beside the one of the sample before.
    #[doc(hidden)]
    type CountField: Field<Value = Self::Count>;
    /// A bucket in a chunk, beside the one of the sample before.
    #[doc(hidden)]
    type BucketField: Field<Value = Self::Bucket>;
    /// Header of a chunk that follows one of gauges.
    #[doc(hidden)]
    const AFTER_GAUGE: ResetHint;

    /// The count of a bucket: `running` is what the bucket before gave, zero at first.
    #[doc(hidden)]
    fn absolute(running: Self::Bucket, stored: Self::Bucket) -> Self::Bucket;
    /// Stored form of a count: the other way round.
    #[doc(hidden)]
    fn stored(running: Self::Bucket, absolute: Self::Bucket) -> Self::Bucket;
    /// The counts of two buckets together.
    #[doc(hidden)]
    fn sum(left: Self::Bucket, right: Self::Bucket) -> Self::Bucket;
    /// Whether the bits are the same.
    #[doc(hidden)]
    fn same_count(left: Self::Count, right: Self::Count) -> bool;
    /// Whether the bits are the same.
    #[doc(hidden)]
    fn same_bucket(left: Self::Bucket, right: Self::Bucket) -> bool;
}

/// Whole counts; of a bucket the difference to the bucket before it, of the first the count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Integer;

/// Counts as doubles, also of buckets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Float;

impl Counts for Integer {
    type Count = u64;
    type Bucket = i64;
    type CountField = CountField;
    type BucketField = BucketField;
    const AFTER_GAUGE: ResetHint = ResetHint::NotReset;

    #[inline]
    fn absolute(running: i64, stored: i64) -> i64 {
        running.wrapping_add(stored)
    }

    #[inline]
    fn stored(running: i64, absolute: i64) -> i64 {
        absolute.wrapping_sub(running)
    }

    fn sum(left: i64, right: i64) -> i64 {
        left.wrapping_add(right)
    }

    fn same_count(left: u64, right: u64) -> bool {
        left == right
    }

    fn same_bucket(left: i64, right: i64) -> bool {
        left == right
    }
}

impl Counts for Float {
    type Count = f64;
    type Bucket = f64;
    type CountField = XorValue;
    type BucketField = XorValue;
    const AFTER_GAUGE: ResetHint = ResetHint::Unknown;

    #[inline]
    fn absolute(_running: f64, stored: f64) -> f64 {
        stored
    }

    #[inline]
    fn stored(_running: f64, absolute: f64) -> f64 {
        absolute
    }

    fn sum(left: f64, right: f64) -> f64 {
        left + right
    }

    fn same_count(left: f64, right: f64) -> bool {
        left.to_bits() == right.to_bits()
    }

    fn same_bucket(left: f64, right: f64) -> bool {
        left.to_bits() == right.to_bits()
    }
}

/// A number of each sample of a chunk: the last one, and what the next one is written against.
pub trait Field: Copy + Debug {
    /// The number.
    type Value: PartialOrd;
    /// Minimum number of bits of the first one.
    const FIRST_LEN_MIN: u64;

    /// The last one.
    fn value(&self) -> Self::Value;
    /// Reads that of sample 0.
    fn read_first(reader: &mut BitReader<'_>) -> Self;
    /// Reads that of another sample.
    fn read(&mut self, reader: &mut BitReader<'_>) -> Result<(), DecodeError>;
    /// Writes that of sample 0.
    fn write_first(writer: &mut BitWriter, value: Self::Value) -> Self;
    /// Writes that of another sample.
    fn write(&mut self, writer: &mut BitWriter, value: Self::Value);
    /// Writes that of a sample that says that the series has ended.
    fn write_stale(&mut self, writer: &mut BitWriter);
}

/// A whole count: the change of its growth is stored.
#[derive(Clone, Copy, Debug)]
pub struct CountField {
    value: u64,
    growth: i64,
}

impl Field for CountField {
    type Value = u64;
    const FIRST_LEN_MIN: u64 = 1;

    fn value(&self) -> u64 {
        self.value
    }

    fn read_first(reader: &mut BitReader<'_>) -> Self {
        CountField { value: reader.varbit_uint(), growth: 0 }
    }

    #[inline]
    fn read(&mut self, reader: &mut BitReader<'_>) -> Result<(), DecodeError> {
        self.growth = self.growth.wrapping_add(reader.varbit_int());
        self.value = self.value.wrapping_add_signed(self.growth);
        Ok(())
    }

    fn write_first(writer: &mut BitWriter, value: u64) -> Self {
        writer.varbit_uint(value);
        CountField { value, growth: 0 }
    }

    #[inline]
    fn write(&mut self, writer: &mut BitWriter, value: u64) {
        let growth = value.wrapping_sub(self.value) as i64;
        writer.varbit_int(growth.wrapping_sub(self.growth));
        *self = CountField { value, growth };
    }

    fn write_stale(&mut self, writer: &mut BitWriter) {
        writer.varbit_int(0);
    }
}

/// Stored field of a whole bucket: the change of its growth.
#[derive(Clone, Copy, Debug)]
pub struct BucketField {
    value: i64,
    growth: i64,
}

impl Field for BucketField {
    type Value = i64;
    const FIRST_LEN_MIN: u64 = 1;

    fn value(&self) -> i64 {
        self.value
    }

    fn read_first(reader: &mut BitReader<'_>) -> Self {
        BucketField { value: reader.varbit_int(), growth: 0 }
    }

    #[inline]
    fn read(&mut self, reader: &mut BitReader<'_>) -> Result<(), DecodeError> {
        self.growth = self.growth.wrapping_add(reader.varbit_int());
        self.value = self.value.wrapping_add(self.growth);
        Ok(())
    }

    fn write_first(writer: &mut BitWriter, value: i64) -> Self {
        writer.varbit_int(value);
        BucketField { value, growth: 0 }
    }

    #[inline]
    fn write(&mut self, writer: &mut BitWriter, value: i64) {
        let growth = value.wrapping_sub(self.value);
        writer.varbit_int(growth.wrapping_sub(self.growth));
        *self = BucketField { value, growth };
    }

    fn write_stale(&mut self, _writer: &mut BitWriter) {}
}

impl Field for XorValue {
    type Value = f64;
    const FIRST_LEN_MIN: u64 = 64;

    fn value(&self) -> f64 {
        f64::from_bits(self.bits)
    }

    fn read_first(reader: &mut BitReader<'_>) -> Self {
        XorValue::first(reader.word())
    }

    #[inline]
    fn read(&mut self, reader: &mut BitReader<'_>) -> Result<(), DecodeError> {
        XorValue::read(self, reader, "number of a histogram")
    }

    fn write_first(writer: &mut BitWriter, value: f64) -> Self {
        writer.bits(value.to_bits(), 64);
        XorValue::first(value.to_bits())
    }

    #[inline]
    fn write(&mut self, writer: &mut BitWriter, value: f64) {
        XorValue::write(self, writer, value.to_bits());
    }

    fn write_stale(&mut self, writer: &mut BitWriter) {
        XorValue::write(self, writer, 0);
    }
}
