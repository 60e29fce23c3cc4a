//! Fill of chunks: samples, bytes and buckets, in the steps of `promtool tsdb analyze --extended`.

use manicule_core::bytes::DecodeError;
use manicule_core::watch::{Phase, Unit, Watch};
use manicule_format_prometheus::chunk::{Chunk, Contents, Value};
use manicule_format_prometheus::{SeriesRef, SeriesWalk};
use manicule_store::store::RangedFile;

use crate::block::{Block, BlockError};

/// Contents of chunks. A list is none where there are no such chunks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkAnalysis {
    /// Chunks of all kinds.
    pub chunk_count: u64,
    /// Samples of a chunk of floats.
    pub float_samples: Option<Distribution>,
    /// Bytes of a chunk of floats.
    pub float_lens: Option<Distribution>,
    /// Samples of a chunk of histograms.
    pub histogram_samples: Option<Distribution>,
    /// Bytes of a chunk of histograms.
    pub histogram_lens: Option<Distribution>,
    /// Buckets of all samples of a chunk of histograms.
    pub histogram_buckets: Option<Distribution>,
    /// Windows of a chunk of aggregates.
    pub aggregate_windows: Option<Distribution>,
    /// Bytes of a chunk of aggregates, all of them together.
    pub aggregate_lens: Option<Distribution>,
}

/// Distribution of numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Distribution {
    /// The least.
    pub min: u64,
    /// The mean, rounded down.
    pub mean: u64,
    /// The largest.
    pub max: u64,
    /// Buckets of the distribution: how many numbers lie above the first and up to the second,
    /// whose end is the next one's begin. As promtool labels them: a number at the begin of a step
    /// counts in it.
    pub steps: Vec<(u64, u64, u64)>,
}

/// Reads the chunks of some series.
pub(super) fn read(
    block: &Block,
    refs: &[SeriesRef],
    watch: &Watch<'_>,
) -> Result<ChunkAnalysis, BlockError> {
    let reading = watch.phase(Phase::Reading, Unit::Series, refs.len() as u64);
    let mut steps = reading.steps();
    let mut counts = Counts::default();
    let mut walk = block.index().walk();
    for series in refs {
        counts.add(block, &mut walk, *series)?;
        steps.add(1).map_err(BlockError::stopped(block.path()))?;
    }
    drop(steps);
    reading.end();
    Ok(counts.analysis())
}

/// Counts of chunks' contents, one number a chunk.
#[derive(Default)]
struct Counts {
    chunk_count: u64,
    float_samples: Vec<u64>,
    float_lens: Vec<u64>,
    samples: Vec<u64>,
    lens: Vec<u64>,
    buckets: Vec<u64>,
    windows: Vec<u64>,
    window_lens: Vec<u64>,
}

impl Counts {
    /// Reads the chunks of a series.
    fn add(
        &mut self,
        block: &Block,
        walk: &mut SeriesWalk<'_, RangedFile>,
        series: SeriesRef,
    ) -> Result<(), BlockError> {
        walk.read_chunks(series).map_err(block.in_index())?;
        for meta in walk.chunks() {
            let contents = block.chunk(meta.reference).and_then(|chunk| chunk.contents());
            let counted = contents.and_then(|contents| match &contents {
                Contents::Samples(chunk) => self.chunk(chunk),
                Contents::Aggregates(aggregates) => {
                    self.chunk_count += 1;
                    self.windows.push(aggregates.window_count()?.into());
                    self.window_lens.push(aggregates.data().len() as u64);
                    Ok(())
                }
            });
            counted.map_err(block.in_chunk(meta.reference))?;
        }
        Ok(())
    }

    fn chunk(&mut self, chunk: &Chunk<'_>) -> Result<(), DecodeError> {
        let (count, len) = (chunk.sample_count()?.into(), chunk.data.len() as u64);
        self.chunk_count += 1;
        if chunk.encoding.is_float() {
            self.float_samples.push(count);
            self.float_lens.push(len);
            return Ok(());
        }
        self.samples.push(count);
        self.lens.push(len);
        let mut own = 0;
        for sample in chunk.samples()? {
            own += match sample?.value {
                Value::Float(_) => 0,
                Value::Histogram(value) => value.positive.len() + value.negative.len(),
                Value::FloatHistogram(value) => value.positive.len() + value.negative.len(),
            } as u64;
        }
        self.buckets.push(own);
        Ok(())
    }

    fn analysis(&self) -> ChunkAnalysis {
        ChunkAnalysis {
            chunk_count: self.chunk_count,
            float_samples: Distribution::of(&self.float_samples),
            float_lens: Distribution::of(&self.float_lens),
            histogram_samples: Distribution::of(&self.samples),
            histogram_lens: Distribution::of(&self.lens),
            histogram_buckets: Distribution::of(&self.buckets),
            aggregate_windows: Distribution::of(&self.windows),
            aggregate_lens: Distribution::of(&self.window_lens),
        }
    }
}

impl Distribution {
    /// Steps of 10, 100, ... 100,000: ten of them or so.
    fn of(numbers: &[u64]) -> Option<Self> {
        let (min, max) = (*numbers.iter().min()?, *numbers.iter().max()?);
        let mut step = 10;
        while step < (max - min) / 10 && step <= 10_000 {
            step *= 10;
        }
        let (start, end) = (min - min % step, max - max % step + step);
        let mut counts = vec![0; ((end - start) / step) as usize + 1];
        numbers.iter().for_each(|number| counts[((number - start) / step) as usize] += 1);
        let steps = (0u64..).zip(counts);
        let steps = steps
            .map(|(place, count)| (start + place * step + 1, start + (place + 1) * step, count));
        let mean = numbers.iter().sum::<u64>() / numbers.len() as u64;
        Some(Distribution { min, mean, max, steps: steps.collect() })
    }
}
