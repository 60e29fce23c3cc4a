//! Chunks: the samples of a series over a time, in one of six encodings; or the aggregates of a
//! downsampled series, each a chunk of one of the six.
//!
//! A chunk is decoded as an iterator of samples that never panics, reads no bit twice and holds no
//! more than one sample. The encoders write what Prometheus's appenders write, byte for byte, and
//! say when a chunk can't go on.
//!
//! Bytes:   docs/formats/prometheus.md

mod aggregates;
mod bits;
mod counts;
mod encoder;
mod histogram;
mod sample;
mod start_time;
mod xor;
mod xor2;
mod xor_value;

use manicule_core::bytes::DecodeError;

use self::bits::BitReader;
use crate::RawChunk;

pub(crate) use aggregates::WindowTimes;
pub use aggregates::{AGGREGATES_ENCODING, Aggregate, Aggregates, Contents, encode_aggregates};
pub use counts::{Counts, Float, Integer, ResetHint};
pub use encoder::{Encoder, encode};
pub use histogram::{HistogramEncoder, HistogramSamples, Push, TimedHistogram};
pub use sample::{
    CUSTOM_SCHEMA, Histogram, Layout, STALE_BITS, Sample, Span, Value, bucket_count, is_stale,
};
pub use xor::{XorEncoder, XorSamples};
pub use xor2::{Xor2Encoder, Xor2Samples};

/// Maximum number of samples of a chunk; of histograms with start times 16,383.
pub const SAMPLE_COUNT_MAX: u32 = u16::MAX as u32;

/// Encoding of a chunk's samples.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Encoding {
    /// Floats.
    Xor = 1,
    /// Histograms of whole counts.
    Histogram = 2,
    /// Histograms of counts as doubles.
    FloatHistogram = 3,
    /// Floats with start times.
    Xor2 = 4,
    /// Histograms of whole counts, with start times.
    HistogramStart = 5,
    /// Histograms of counts as doubles, with start times.
    FloatHistogramStart = 6,
}

impl Encoding {
    /// All of them.
    pub const ALL: [Encoding; 6] = [
        Encoding::Xor,
        Encoding::Histogram,
        Encoding::FloatHistogram,
        Encoding::Xor2,
        Encoding::HistogramStart,
        Encoding::FloatHistogramStart,
    ];

    /// The encoding with a number.
    pub fn from_number(number: u8) -> Option<Self> {
        Encoding::ALL.into_iter().find(|encoding| *encoding as u8 == number)
    }

    /// Whether its samples are floats.
    pub fn is_float(self) -> bool {
        matches!(self, Encoding::Xor | Encoding::Xor2)
    }

    /// Whether its samples have start times.
    pub fn has_start_times(self) -> bool {
        self as u8 >= Encoding::Xor2 as u8
    }
}

/// A chunk whose encoding is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Chunk<'a> {
    /// Encoding of its samples.
    pub encoding: Encoding,
    /// Its data.
    pub data: &'a [u8],
    /// Offset of the data in their file.
    pub at: u64,
}

impl<'a> RawChunk<'a> {
    /// Offset of the data in their file.
    fn data_at(&self) -> u64 {
        self.end - size_of::<u32>() as u64 - self.data.len() as u64
    }

    /// The chunk, if its encoding is one of the six: aggregates have several.
    #[inline]
    pub fn open(&self) -> Result<Chunk<'a>, DecodeError> {
        Chunk::of(self.encoding, self.data, self.data_at())
    }
}

impl<'a> Chunk<'a> {
    /// A chunk of the encoding with a number; `at` is the offset of the data in their file.
    #[inline]
    fn of(number: u8, data: &'a [u8], at: u64) -> Result<Self, DecodeError> {
        match Encoding::from_number(number) {
            Some(encoding) => Ok(Chunk { encoding, data, at }),
            None => Err(DecodeError::Corrupt {
                what: match number {
                    AGGREGATES_ENCODING => {
                        "encoding of a chunk of samples (255: aggregates of downsampled ones)"
                    }
                    _ => "encoding of a chunk",
                },
                at: at.saturating_sub(1),
                want: Encoding::ALL.len() as u64,
                got: number.into(),
            }),
        }
    }

    /// Its samples in the order of time.
    #[inline]
    pub fn samples(&self) -> Result<Samples<'a>, DecodeError> {
        let reader = BitReader::new(self.data, self.at);
        let starts = self.encoding.has_start_times();
        Ok(match self.encoding {
            Encoding::Xor => Samples::Xor(XorSamples::open(reader)?),
            Encoding::Xor2 => Samples::Xor2(Xor2Samples::open(reader)?),
            Encoding::Histogram | Encoding::HistogramStart => {
                Samples::Histogram(Box::new(HistogramSamples::open(reader, starts)?))
            }
            Encoding::FloatHistogram | Encoding::FloatHistogramStart => {
                Samples::FloatHistogram(Box::new(HistogramSamples::open(reader, starts)?))
            }
        })
    }

    /// Number of samples, as its header states it.
    pub fn sample_count(&self) -> Result<u32, DecodeError> {
        Ok(self.samples()?.left() as u32)
    }
}

/// The samples of a chunk. Ends with an error where the bytes contradict the encoding.
#[derive(Clone, Debug)]
pub enum Samples<'a> {
    /// Of encoding 1.
    Xor(XorSamples<'a>),
    /// Of encoding 4.
    Xor2(Xor2Samples<'a>),
    /// Of encodings 2 and 5.
    Histogram(Box<HistogramSamples<'a, Integer>>),
    /// Of encodings 3 and 6.
    FloatHistogram(Box<HistogramSamples<'a, Float>>),
}

impl Samples<'_> {
    /// Number of samples left, by the header.
    pub fn left(&self) -> usize {
        match self {
            Samples::Xor(samples) => samples.left(),
            Samples::Xor2(samples) => samples.left(),
            Samples::Histogram(samples) => samples.left(),
            Samples::FloatHistogram(samples) => samples.left(),
        }
    }

    /// Reset hint of a chunk of histograms: its relation to the chunk before.
    pub fn reset(&self) -> Option<ResetHint> {
        match self {
            Samples::Xor(_) | Samples::Xor2(_) => None,
            Samples::Histogram(samples) => Some(samples.reset()),
            Samples::FloatHistogram(samples) => Some(samples.reset()),
        }
    }
}

impl Iterator for Samples<'_> {
    type Item = Result<Sample, DecodeError>;

    // Verifying calls it from three loops; left to the compiler all of them call it, and that of
    // floats: 1.7 % of `series verify`.
    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let sample = |time, start_time, value| Sample { time, start_time, value };
        Some(match self {
            Samples::Xor(samples) => {
                samples.next_float()?.map(|(time, value)| sample(time, 0, Value::Float(value)))
            }
            Samples::Xor2(samples) => samples
                .next_float()?
                .map(|(time, start, value)| sample(time, start, Value::Float(value))),
            Samples::Histogram(samples) => samples
                .next_histogram()?
                .map(|(time, start, value)| sample(time, start, Value::Histogram(Box::new(value)))),
            Samples::FloatHistogram(samples) => {
                samples.next_histogram()?.map(|(time, start, value)| {
                    sample(time, start, Value::FloatHistogram(Box::new(value)))
                })
            }
        })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.left()))
    }
}
