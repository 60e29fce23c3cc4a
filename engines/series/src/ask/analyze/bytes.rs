//! Bytes taken by samples: of each metric, and of each label pair.
//!
//! A series names its chunks, and a chunk says its length in its first bytes: these are read,
//! nothing after them. For each series that is one look into the segments, and then one pass over
//! all posting lists.

use manicule_core::bytes::DecodeError;
use manicule_core::watch::{Phase, Unit, Watch};
use manicule_format_prometheus::{ChunkMeta, Index, PairIndex, SeriesRef};
use manicule_store::store::RangedFile;

use super::chosen::{Chosen, Count, top};
use crate::ask::matcher::METRIC_NAME;
use crate::block::{Block, BlockError};

/// The bytes of chunks, with their length fields, encodings and checksums. What tombstones delete
/// takes its space until a compaction, and counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SampleBytes {
    /// Of all series that are looked at.
    pub total: u64,
    /// Metrics by bytes.
    pub metrics: Vec<Count>,
    /// The other label pairs by bytes.
    pub pairs: Vec<Count>,
}

/// The bytes of a series' chunks.
pub(crate) fn of_chunks(block: &Block, chunks: &[ChunkMeta]) -> Result<u64, BlockError> {
    let mut len = 0;
    for chunk in chunks {
        len += block.chunk_len(chunk.reference).map_err(block.in_chunk(chunk.reference))?;
    }
    Ok(len)
}

/// The bytes of each series, in the order of `refs`.
pub(super) fn of_series(
    block: &Block,
    refs: &[SeriesRef],
    watch: &Watch<'_>,
) -> Result<Vec<u64>, BlockError> {
    block.need_samples()?;
    let mut walk = block.index().walk();
    let reading = watch.phase(Phase::Reading, Unit::Series, refs.len() as u64);
    let mut steps = reading.steps();
    let len = |series: &SeriesRef| {
        walk.read_chunks(*series).map_err(block.in_index())?;
        steps.add(1).map_err(BlockError::stopped(block.path()))?;
        of_chunks(block, walk.chunks())
    };
    let lens = refs.iter().map(len).collect::<Result<_, _>>()?;
    drop(steps);
    reading.end();
    Ok(lens)
}

/// Adds up the bytes of series by their label pairs.
pub(super) fn sum(
    index: &Index<RangedFile>,
    chosen: &Chosen,
    lens: &[u64],
    limit: usize,
) -> Result<SampleBytes, DecodeError> {
    let (mut metrics, mut pairs) = (Vec::new(), Vec::new());
    for (name, range) in index.names() {
        let rows = if name == METRIC_NAME.as_bytes() { &mut metrics } else { &mut pairs };
        for pair in range {
            let places = chosen.places_of(index.postings(PairIndex(pair))?);
            let (count, len) =
                places.fold((0u64, 0), |(count, len), place| (count + 1, len + lens[place]));
            if count > 0 {
                rows.push((len, pair));
            }
        }
    }
    let listed = |rows| {
        let rows = top(rows, limit).into_iter();
        rows.map(|(count, pair)| Count::of_pair(index, count, pair)).collect()
    };
    Ok(SampleBytes { total: lens.iter().sum(), metrics: listed(metrics), pairs: listed(pairs) })
}
