//! Makes a chunk of any encoding.

use super::{
    Encoding, Float, HistogramEncoder, Integer, Push, ResetHint, SAMPLE_COUNT_MAX, Sample, Value,
    Xor2Encoder, XorEncoder,
};

/// A chunk in the making.
#[derive(Clone, Debug)]
pub enum Encoder {
    /// Encoding 1.
    Xor(XorEncoder),
    /// Encoding 4.
    Xor2(Xor2Encoder),
    /// Encodings 2 and 5.
    Histogram(Box<HistogramEncoder<Integer>>),
    /// Encodings 3 and 6.
    FloatHistogram(Box<HistogramEncoder<Float>>),
}

impl Encoder {
    /// An empty chunk. The reset hint of a chunk of histograms is given, or left to its first
    /// sample.
    pub fn new(encoding: Encoding, reset: Option<ResetHint>) -> Self {
        let starts = encoding.has_start_times();
        match encoding {
            Encoding::Xor => Encoder::Xor(XorEncoder::new()),
            Encoding::Xor2 => Encoder::Xor2(Xor2Encoder::new()),
            Encoding::Histogram | Encoding::HistogramStart => {
                Encoder::Histogram(Box::new(HistogramEncoder::new(starts, reset)))
            }
            Encoding::FloatHistogram | Encoding::FloatHistogramStart => {
                Encoder::FloatHistogram(Box::new(HistogramEncoder::new(starts, reset)))
            }
        }
    }

    /// Adds a sample, or says that it has to begin another chunk. Start times are lost where the
    /// encoding has none.
    ///
    /// # Panics
    /// If the sample is of another kind than the encoding's.
    pub fn push(&mut self, sample: &Sample) -> Push {
        let (time, start) = (sample.time, sample.start_time);
        match (self, &sample.value) {
            (Encoder::Xor(encoder), Value::Float(value)) => {
                if encoder.count() == SAMPLE_COUNT_MAX {
                    return Push::Refused(ResetHint::Unknown);
                }
                encoder.push(time, *value);
                Push::Added
            }
            (Encoder::Xor2(encoder), Value::Float(value)) => {
                if encoder.count() == SAMPLE_COUNT_MAX {
                    return Push::Refused(ResetHint::Unknown);
                }
                encoder.push(time, start, *value);
                Push::Added
            }
            (Encoder::Histogram(encoder), Value::Histogram(value)) => {
                encoder.push(time, start, value)
            }
            (Encoder::FloatHistogram(encoder), Value::FloatHistogram(value)) => {
                encoder.push(time, start, value)
            }
            _ => panic!("a sample of the chunk's kind"),
        }
    }

    /// Number of samples in the chunk.
    pub fn count(&self) -> u32 {
        match self {
            Encoder::Xor(encoder) => encoder.count(),
            Encoder::Xor2(encoder) => encoder.count(),
            Encoder::Histogram(encoder) => encoder.count(),
            Encoder::FloatHistogram(encoder) => encoder.count(),
        }
    }

    /// The data of the chunk.
    pub fn finish(self) -> Vec<u8> {
        match self {
            Encoder::Xor(encoder) => encoder.finish(),
            Encoder::Xor2(encoder) => encoder.finish(),
            Encoder::Histogram(encoder) => encoder.finish(),
            Encoder::FloatHistogram(encoder) => encoder.finish(),
        }
    }
}

/// The chunks of samples of one kind: each goes on as long as it can. `reset` is what the first
/// says of the one before.
pub fn encode<'s>(
    encoding: Encoding,
    reset: Option<ResetHint>,
    samples: impl IntoIterator<Item = &'s Sample>,
) -> Vec<Vec<u8>> {
    let (mut chunks, mut encoder) = (Vec::new(), Encoder::new(encoding, reset));
    for sample in samples {
        if let Push::Refused(reset) = encoder.push(sample) {
            let next = Encoder::new(encoding, Some(reset));
            chunks.push(std::mem::replace(&mut encoder, next).finish());
            assert_eq!(encoder.push(sample), Push::Added, "an empty chunk takes any sample");
        }
    }
    chunks.push(encoder.finish());
    chunks
}
