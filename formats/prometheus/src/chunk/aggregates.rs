//! Encoding 255: the aggregates of a downsampled series, up to five chunks in one.
//!
//! Thanos writes such chunks, one point a window of time. A chunk of counters of floats has two
//! points more: the first sample that was downsampled, and at its end the value of the last one
//! under the time of the last window, which so occurs twice. Of native histograms counts are
//! floats, sums and counters histograms of doubles, and there is no least and no largest.
//!
//! Bytes:   count, sum, min, max, counter, each: 0 if there is none, or
//!          | uvarint len | 1 encoding | len bytes |, docs/formats/prometheus.md

use manicule_core::bytes::{DecodeError, Reader, put_uvarint};

use super::{Chunk, Encoding, Samples};
use crate::{Interval, RawChunk};

/// Number of the encoding of a chunk that holds aggregates.
pub const AGGREGATES_ENCODING: u8 = 0xff;

/// Statistic of the samples of a window. Chunks lie in this order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Aggregate {
    /// How many there were.
    Count,
    /// Their sum.
    Sum,
    /// The least of them.
    Min,
    /// The largest of them.
    Max,
    /// Value of a counter since the chunk's first sample, resets taken out.
    Counter,
}

impl Aggregate {
    /// All of them.
    pub const ALL: [Aggregate; 5] =
        [Aggregate::Count, Aggregate::Sum, Aggregate::Min, Aggregate::Max, Aggregate::Counter];

    /// Name of it.
    pub fn name(self) -> &'static str {
        match self {
            Aggregate::Count => "count",
            Aggregate::Sum => "sum",
            Aggregate::Min => "min",
            Aggregate::Max => "max",
            Aggregate::Counter => "counter",
        }
    }
}

/// A chunk of each aggregate that is there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Aggregates<'a> {
    data: &'a [u8],
    at: u64,
    chunks: [Option<Chunk<'a>>; Aggregate::ALL.len()],
}

impl<'a> Aggregates<'a> {
    /// Takes the data of a chunk apart; `at` is their offset in their file. The samples of the
    /// chunks are not looked at.
    pub fn decode(data: &'a [u8], at: u64) -> Result<Self, DecodeError> {
        let mut reader = Reader::new(data, at);
        let mut chunks = [None; Aggregate::ALL.len()];
        for chunk in &mut chunks {
            let len = reader.uvarint("length of an aggregate's chunk")?;
            if len == 0 {
                continue;
            }
            let (what, at) = ("encoding of an aggregate's chunk", reader.at());
            let number = reader.u8(what)?;
            let Some(encoding) = Encoding::from_number(number) else {
                let (want, got) = (Encoding::ALL.len() as u64, number.into());
                return Err(DecodeError::Corrupt { what, at, want, got });
            };
            let (at, len) = (reader.at(), usize::try_from(len).unwrap_or(usize::MAX));
            let data = reader.take("chunk of an aggregate", len)?;
            *chunk = Some(Chunk { encoding, data, at });
        }
        match reader.rest().len() as u64 {
            0 => Ok(Aggregates { data, at, chunks }),
            got => {
                let what = "bytes after the last aggregate";
                Err(DecodeError::Corrupt { what, at: reader.at(), want: 0, got })
            }
        }
    }

    /// All of them, as they were taken apart.
    pub fn data(&self) -> &'a [u8] {
        self.data
    }

    /// Offset of the data in their file.
    pub fn at(&self) -> u64 {
        self.at
    }

    /// The chunk of an aggregate, if it is there.
    pub fn get(&self, aggregate: Aggregate) -> Option<Chunk<'a>> {
        self.chunks[aggregate as usize]
    }

    /// The aggregates that are there, with their chunks.
    pub fn iter(&self) -> impl Iterator<Item = (Aggregate, Chunk<'a>)> + use<'a> {
        let chunks = Aggregate::ALL.into_iter().zip(self.chunks);
        chunks.filter_map(|(aggregate, chunk)| Some((aggregate, chunk?)))
    }

    /// Number of windows, as the header of counts states it; none without counts.
    pub fn window_count(&self) -> Result<u32, DecodeError> {
        self.get(Aggregate::Count).map_or(Ok(0), |chunk| chunk.sample_count())
    }

    /// First and last time of the windows, as the index says them: those of counters where there is
    /// nothing else, without the sample that comes first. Each chunk is decoded to its end.
    pub fn times(&self) -> Result<Option<Interval>, DecodeError> {
        let mut times = None;
        for (aggregate, chunk) in self.iter() {
            let mut own = WindowTimes::new(aggregate, chunk.encoding);
            for sample in chunk.samples()? {
                own.add(sample?.time);
            }
            times = own.unite(times);
        }
        Ok(times)
    }
}

/// Data of a chunk of aggregates, from the encoding and the data of each that there is. One without
/// data can't be told from none.
pub fn encode_aggregates(chunks: [Option<(Encoding, &[u8])>; Aggregate::ALL.len()]) -> Vec<u8> {
    let mut out = Vec::new();
    for chunk in chunks {
        let (encoding, data) = chunk.unwrap_or((Encoding::Xor, &[]));
        put_uvarint(data.len() as u64, &mut out);
        if !data.is_empty() {
            out.push(encoding as u8);
            out.extend_from_slice(data);
        }
    }
    out
}

/// First and last time of the windows of an aggregate, found time by time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WindowTimes {
    aggregate: Aggregate,
    /// Number of times that are those of samples and no windows.
    skip: u32,
    times: Option<Interval>,
}

impl WindowTimes {
    pub(crate) fn new(aggregate: Aggregate, encoding: Encoding) -> Self {
        let is_raw_first = aggregate == Aggregate::Counter && encoding.is_float();
        WindowTimes { aggregate, skip: is_raw_first.into(), times: None }
    }

    pub(crate) fn add(&mut self, time: i64) {
        if self.skip > 0 {
            self.skip -= 1;
        } else {
            let times = self.times.get_or_insert(Interval { min_time: time, max_time: time });
            times.max_time = time;
        }
    }

    /// With those of the aggregates before it.
    pub(crate) fn unite(&self, before: Option<Interval>) -> Option<Interval> {
        match (before, self.times) {
            (Some(before), Some(own)) if self.aggregate != Aggregate::Counter => Some(Interval {
                min_time: before.min_time.min(own.min_time),
                max_time: before.max_time.max(own.max_time),
            }),
            (before, own) => before.or(own),
        }
    }
}

/// What a chunk holds. Raw chunks are many and aggregates are long, so these lie elsewhere.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Contents<'a> {
    /// Samples.
    Samples(Chunk<'a>),
    /// Aggregates of samples.
    Aggregates(Box<Aggregates<'a>>),
}

impl<'a> Contents<'a> {
    /// Takes the data of a chunk for what the number of its encoding says; `at` is their offset in
    /// their file.
    #[inline]
    pub fn decode(encoding: u8, data: &'a [u8], at: u64) -> Result<Self, DecodeError> {
        match encoding {
            AGGREGATES_ENCODING => {
                Ok(Contents::Aggregates(Box::new(Aggregates::decode(data, at)?)))
            }
            _ => Chunk::of(encoding, data, at).map(Contents::Samples),
        }
    }

    /// The chunk by which samples are counted: itself, of aggregates that of counts. Without one
    /// there are none.
    pub fn counted(&self) -> Option<Chunk<'a>> {
        match self {
            Contents::Samples(chunk) => Some(*chunk),
            Contents::Aggregates(aggregates) => aggregates.get(Aggregate::Count),
        }
    }

    /// Number of samples, or of windows, as the header states it.
    pub fn sample_count(&self) -> Result<u32, DecodeError> {
        self.counted().map_or(Ok(0), |chunk| chunk.sample_count())
    }

    /// All chunks of samples in it.
    pub fn chunks(&self) -> impl Iterator<Item = Chunk<'a>> + use<'a> {
        let (own, aggregates) = match self {
            Contents::Samples(chunk) => (Some(*chunk), None),
            Contents::Aggregates(aggregates) => (None, Some(**aggregates)),
        };
        let aggregates = aggregates.into_iter().flat_map(|aggregates| aggregates.iter());
        own.into_iter().chain(aggregates.map(|(_, chunk)| chunk))
    }

    /// The samples, or those of one aggregate, of a chunk that has such.
    pub fn samples(&self, of: Option<Aggregate>) -> Result<Option<Samples<'a>>, DecodeError> {
        let chunk = match (self, of) {
            (Contents::Samples(chunk), None) => Some(*chunk),
            (Contents::Aggregates(aggregates), Some(aggregate)) => aggregates.get(aggregate),
            (Contents::Samples(_), Some(_)) | (Contents::Aggregates(_), None) => None,
        };
        chunk.map(|chunk| chunk.samples()).transpose()
    }
}

impl<'a> RawChunk<'a> {
    /// What the chunk holds, if its encoding is known.
    #[inline]
    pub fn contents(&self) -> Result<Contents<'a>, DecodeError> {
        Contents::decode(self.encoding, self.data, self.data_at())
    }
}
