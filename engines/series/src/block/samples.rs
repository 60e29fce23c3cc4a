//! The samples of a series, as a stream over its chunks: a time range, without what is deleted.

use manicule_core::bytes::DecodeError;
use manicule_format_prometheus::chunk::{Aggregate, Contents, ResetHint, Sample, Samples, Value};
use manicule_format_prometheus::{ChunkMeta, ChunkRef, Chunks, Interval, SeriesRef};

use crate::block::salvage::Salvage;
use crate::block::{Block, BlockError};

/// The samples of a series between two times, both included, in the order of its chunks. Of each
/// sample that is a float nothing is allocated; a chunk's checksum is compared when its turn comes.
#[derive(Clone, Debug)]
pub struct SeriesSamples<'b> {
    block: &'b Block,
    series: SeriesRef,
    chunks: Chunks<'b>,
    deleted: &'b [Interval],
    range: Interval,
    current: Option<Current<'b>>,
    /// What is read of chunks of aggregates; of others samples are.
    aggregate: Option<Aggregate>,
    /// The chunk that is being read, also where that fails.
    reading: Option<ChunkRef>,
    /// Damaged chunks are left out, and go there.
    salvage: Option<&'b Salvage>,
}

/// The chunk that is being read.
#[derive(Clone, Debug)]
struct Current<'b> {
    samples: Samples<'b>,
    /// Whether all of it is wanted.
    is_whole: bool,
}

impl Block {
    /// The samples of a series between two times, both included, without what is deleted.
    pub fn samples(
        &self,
        series: SeriesRef,
        min_time: i64,
        max_time: i64,
    ) -> Result<SeriesSamples<'_>, DecodeError> {
        let chunks = self.index().series(series)?.chunks()?;
        let (deleted, range) = (self.deleted(series), Interval { min_time, max_time });
        Ok(SeriesSamples {
            block: self,
            series,
            chunks,
            deleted,
            range,
            current: None,
            aggregate: None,
            reading: None,
            salvage: None,
        })
    }

    /// Milliseconds between the points of a downsampled block; 0 of a raw one, and of an index by
    /// itself.
    pub fn resolution(&self) -> i64 {
        self.meta().map_or(0, |meta| meta.resolution())
    }
}

/// Whether all times of a chunk are deleted.
pub(crate) fn is_deleted(chunk: &ChunkMeta, deleted: &[Interval]) -> bool {
    // Intervals don't touch: one of them holds both ends or the chunk is not deleted as a whole.
    let interval = holding(chunk.min_time, deleted);
    interval.is_some_and(|interval| interval.contains(chunk.max_time))
}

/// Whether times of a chunk are deleted.
pub(crate) fn is_cut(chunk: &ChunkMeta, deleted: &[Interval]) -> bool {
    deleted.iter().any(|interval| chunk.overlaps(interval.min_time, interval.max_time))
}

/// The interval that holds a time.
pub(crate) fn holding(time: i64, intervals: &[Interval]) -> Option<&Interval> {
    let place = intervals.partition_point(|interval| interval.max_time < time);
    intervals.get(place).filter(|interval| interval.contains(time))
}

/// Whether two samples are the same, but for what depends on where their chunks begin.
pub(crate) fn is_same(left: &Sample, right: &Sample) -> bool {
    left == right
        || !matches!(left.value, Value::Float(_))
            && without_hint(left.clone()) == without_hint(right.clone())
}

fn without_hint(mut sample: Sample) -> Sample {
    let hint = match &mut sample.value {
        Value::Float(_) => return sample,
        Value::Histogram(histogram) => &mut histogram.hint,
        Value::FloatHistogram(histogram) => &mut histogram.hint,
    };
    if *hint != ResetHint::Gauge {
        *hint = ResetHint::Unknown;
    }
    sample
}

impl<'b> SeriesSamples<'b> {
    /// Leaves damaged chunks out from here on, and adds them to the salvage. Each chunk is decoded
    /// twice: of one that turns out to be damaged at its end nothing was given before.
    #[must_use]
    pub fn skip_damaged(self, salvage: Option<&'b Salvage>) -> Self {
        SeriesSamples { salvage, ..self }
    }

    /// Reads an aggregate: chunks of samples are passed over then. Without one chunks of aggregates
    /// are, in a downsampled block; in another one they are an error.
    ///
    /// Chunks are chosen by the times that the index has, which are those of windows; a counter's
    /// first point lies before them, and comes if the range holds it too.
    #[must_use]
    pub fn of_aggregate(self, aggregate: Option<Aggregate>) -> Self {
        SeriesSamples { aggregate, ..self }
    }

    /// Whether a chunk may hold samples of the range that aren't deleted: Prometheus lists a series
    /// then, also if there turns out to be none.
    pub fn has_chunks(&self) -> Result<bool, DecodeError> {
        for chunk in self.chunks.clone() {
            if self.wants(&chunk?) {
                return Ok(true);
            }
        }
        Ok(self.current.is_some())
    }

    fn wants(&self, chunk: &ChunkMeta) -> bool {
        chunk.overlaps(self.range.min_time, self.range.max_time) && !is_deleted(chunk, self.deleted)
    }

    /// The next chunk with samples of the range.
    fn next_chunk(&mut self) -> Result<Option<Current<'b>>, DecodeError> {
        loop {
            self.reading = None;
            let Some(chunk) = self.chunks.next().transpose()? else { return Ok(None) };
            if self.wants(&chunk) {
                self.reading = Some(chunk.reference);
                let sound = self.block.sound_chunk(&chunk, self.salvage);
                let samples = sound.and_then(|sound| self.samples_in(&sound, &chunk));
                let samples = match (samples, self.salvage) {
                    (Err(error), Some(salvage)) if !error.is_unread() => {
                        salvage.chunk(self.block, self.series, &chunk, &error);
                        continue;
                    }
                    (samples, _) => samples?,
                };
                let Some(samples) = samples else { continue };
                let is_whole = self.aggregate.is_none()
                    && self.range.min_time <= chunk.min_time
                    && chunk.max_time <= self.range.max_time
                    && !is_cut(&chunk, self.deleted);
                return Ok(Some(Current { samples, is_whole }));
            }
        }
    }

    /// The samples that are wanted of a chunk.
    fn samples_in(
        &self,
        contents: &Contents<'b>,
        chunk: &ChunkMeta,
    ) -> Result<Option<Samples<'b>>, DecodeError> {
        let has_others = matches!(contents, Contents::Aggregates(_)) && self.aggregate.is_none();
        if has_others && self.block.resolution() == 0 {
            self.block.chunk(chunk.reference)?.open()?;
        }
        contents.samples(self.aggregate)
    }

    /// An error that reading has ended with, with its file.
    pub(crate) fn damaged(&self, error: DecodeError) -> BlockError {
        match self.reading {
            Some(reference) => self.block.in_chunk(reference)(error),
            None => self.block.in_index()(error),
        }
    }

    fn end(&mut self, error: DecodeError) -> Option<Result<Sample, DecodeError>> {
        self.current = None;
        self.chunks.by_ref().for_each(drop);
        Some(Err(error))
    }
}

impl Iterator for SeriesSamples<'_> {
    type Item = Result<Sample, DecodeError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(current) = &mut self.current {
                match current.samples.next() {
                    Some(Ok(sample)) => {
                        let is_wanted = current.is_whole
                            || self.range.contains(sample.time)
                                && holding(sample.time, self.deleted).is_none();
                        if is_wanted {
                            return Some(Ok(sample));
                        }
                        continue;
                    }
                    Some(Err(error)) => return self.end(error),
                    None => {}
                }
            }
            match self.next_chunk() {
                Ok(Some(current)) => self.current = Some(current),
                Ok(None) => {
                    self.current = None;
                    return None;
                }
                Err(error) => return self.end(error),
            }
        }
    }
}
