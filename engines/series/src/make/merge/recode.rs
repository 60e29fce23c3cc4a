//! Samples made into chunks again: those that a deletion left, and those of chunks that overlapped.

use std::borrow::Cow;

use manicule_core::bytes::DecodeError;
use manicule_format_prometheus::ChunkRef;
use manicule_format_prometheus::chunk::{
    Chunk, Contents, Encoder, Encoding, Push, ResetHint, Sample, Samples, Value,
};

use super::ledger::{Gone, Ledger};
use crate::block::samples::holding;
use crate::block::{Block, BlockError};

/// Maximum number of samples of a chunk that is made of overlapping ones.
const SAMPLES_MAX: u32 = 120;

/// A chunk for the merged block.
#[derive(Clone, Debug)]
pub(crate) struct OutChunk<'b> {
    pub(crate) min_time: i64,
    pub(crate) max_time: i64,
    /// Number of the encoding: of samples, or of aggregates, which are only ever copied.
    pub(crate) encoding: u8,
    pub(crate) data: Cow<'b, [u8]>,
    /// Source of the copy.
    pub(super) origin: Option<Origin<'b>>,
}

/// Place of a chunk that is copied.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin<'b> {
    pub(super) block: &'b Block,
    pub(super) reference: ChunkRef,
    /// Offset of its data in their file.
    pub(super) at: u64,
}

impl OutChunk<'_> {
    pub(super) fn contents(&self) -> Result<Contents<'_>, BlockError> {
        let at = self.origin.map_or(0, |origin| origin.at);
        let contents = Contents::decode(self.encoding, &self.data, at);
        contents.map_err(|error| self.damaged(error))
    }

    /// Number of its samples, or of its windows.
    pub(super) fn sample_count(&self) -> Result<u64, BlockError> {
        let count = self.contents()?.sample_count();
        Ok(count.map_err(|error| self.damaged(error))?.into())
    }

    /// Its samples, to be merged with those of others. Aggregates can't be: two points of a window
    /// may stand for the same samples.
    pub(super) fn samples(&self) -> Result<Samples<'_>, BlockError> {
        let samples = self.contents()?.samples(None);
        match (samples.map_err(|error| self.damaged(error))?, self.origin) {
            (Some(samples), _) => Ok(samples),
            (None, Some(Origin { block, .. })) => Err(BlockError::Downsampled {
                path: block.path().to_owned(),
                why: format!(
                    "chunks of a series overlap from {} to {}, and aggregates can't be merged",
                    self.min_time, self.max_time
                ),
            }),
            (None, None) => panic!("aggregates are never encoded here"),
        }
    }

    /// Form of it when it can't be decoded.
    ///
    /// # Panics
    /// If it was encoded here.
    pub(super) fn damaged(&self, error: DecodeError) -> BlockError {
        match self.origin {
            Some(Origin { block, reference, .. }) => block.in_chunk(reference)(error),
            None => panic!("what was encoded here is decoded: {error}"),
        }
    }
}

/// Makes chunks of samples.
#[derive(Debug, Default)]
pub(super) struct Recoder {
    made: Vec<OutChunk<'static>>,
    open: Option<Open>,
}

/// The chunk that is being made.
#[derive(Debug)]
struct Open {
    encoding: Encoding,
    encoder: Encoder,
    min_time: i64,
    max_time: i64,
}

impl Recoder {
    /// Adds a sample to the open chunk, or begins one with it: where the kind of samples changes,
    /// where the chunk is full, where it can't hold start times and the sample has one.
    pub(super) fn push(&mut self, sample: &Sample) {
        let encoding = encoding_of(sample);
        let goes_on = self.open.as_ref().is_some_and(|open| {
            let is_same = open.encoding == encoding
                || (open.encoding, encoding) == (Encoding::Xor2, Encoding::Xor);
            is_same && open.encoder.count() < SAMPLES_MAX
        });
        if !goes_on {
            self.begin(encoding, None, sample.time);
        }
        self.add(sample);
    }

    /// Adds a sample to a chunk of the encoding that it comes from.
    fn push_again(&mut self, encoding: Encoding, sample: &Sample) {
        if self.open.is_none() {
            self.begin(encoding, None, sample.time);
        }
        self.add(sample);
    }

    fn begin(&mut self, encoding: Encoding, reset: Option<ResetHint>, time: i64) {
        self.end();
        let encoder = Encoder::new(encoding, reset);
        self.open = Some(Open { encoding, encoder, min_time: time, max_time: time });
    }

    fn add(&mut self, sample: &Sample) {
        let open = self.open.as_mut().expect("a chunk was begun");
        if let Push::Refused(reset) = open.encoder.push(sample) {
            let encoding = open.encoding;
            self.begin(encoding, Some(reset), sample.time);
            let open = self.open.as_mut().expect("a chunk was begun");
            assert_eq!(open.encoder.push(sample), Push::Added, "an empty chunk takes any sample");
        }
        self.open.as_mut().expect("a chunk was begun").max_time = sample.time;
    }

    fn end(&mut self) {
        if let Some(Open { encoding, encoder, min_time, max_time }) = self.open.take() {
            let data = Cow::Owned(encoder.finish());
            let encoding = encoding as u8;
            self.made.push(OutChunk { min_time, max_time, encoding, data, origin: None });
        }
    }

    pub(super) fn finish(mut self) -> Vec<OutChunk<'static>> {
        self.end();
        self.made
    }
}

/// The encoding of a sample by itself.
fn encoding_of(sample: &Sample) -> Encoding {
    match (&sample.value, sample.start_time != 0) {
        (Value::Float(_), false) => Encoding::Xor,
        (Value::Float(_), true) => Encoding::Xor2,
        (Value::Histogram(_), false) => Encoding::Histogram,
        (Value::Histogram(_), true) => Encoding::HistogramStart,
        (Value::FloatHistogram(_), false) => Encoding::FloatHistogram,
        (Value::FloatHistogram(_), true) => Encoding::FloatHistogramStart,
    }
}

/// A chunk without the samples of times that go, which are counted. Nothing if no sample is left;
/// more than one chunk if what is left can't be one, which Prometheus would give up at.
pub(super) fn without(
    chunk: &Chunk<'_>,
    gone: &Gone<'_>,
    ledger: &Ledger<'_>,
) -> Result<Vec<OutChunk<'static>>, DecodeError> {
    let mut recoder = Recoder::default();
    for sample in chunk.samples()? {
        let sample = sample?;
        match holding(sample.time, &gone.times) {
            Some(_) => gone.count(sample.time, 1, ledger),
            None => recoder.push_again(chunk.encoding, &sample),
        }
    }
    Ok(recoder.finish())
}
