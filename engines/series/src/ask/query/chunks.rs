//! The chunks of a series from all blocks that have it, as they lie.

use manicule_format_prometheus::{ChunkMeta, Interval};

use super::MergedRow;
use crate::block::BlockError;
use crate::make::merge::{ChunkRun, Gone, Ledger, MergedChunks, OutChunk};

/// A chunk of samples.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ShownChunk<'c> {
    /// Time of its first sample, in milliseconds since 1970.
    pub min_time: i64,
    /// Time of its last sample.
    pub max_time: i64,
    /// Number of its encoding.
    pub encoding: u8,
    /// Its data, encoded.
    pub data: &'c [u8],
}

impl MergedRow<'_> {
    /// Hands out its chunks with samples of some times, in the order of time, as Prometheus gives
    /// them to who reads from it: bytes as they lie. Encoded again are those of which times are
    /// deleted or not asked for, without these, and those of several blocks that overlap. Checksums
    /// are compared.
    ///
    /// Fails where blocks are downsampled: their chunks have several samples for each time.
    pub fn each_chunk<E: From<BlockError>>(
        &self,
        times: Interval,
        each: &mut dyn FnMut(ShownChunk<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.check_raw()?;
        self.ready(&self.parts.iter().collect::<Vec<_>>(), times)?;
        let ledger = Ledger::of_answer(self.salvage);
        let mut parts = Vec::with_capacity(self.parts.len());
        for part in &self.parts {
            let is_asked = |chunk: &&ChunkMeta| chunk.overlaps(times.min_time, times.max_time);
            let chunks: Vec<ChunkMeta> = part.chunks.iter().filter(is_asked).copied().collect();
            let mut gone = Gone::new(part.series, part.block.deleted(part.series), times);
            gone.fill();
            parts.push((part.block, chunks, gone));
        }
        let mut runs =
            parts.iter().map(|(block, chunks, gone)| ChunkRun::new(block, chunks, gone, &ledger));
        let mut show = |chunk: OutChunk<'_>| {
            let (min_time, max_time, encoding) = (chunk.min_time, chunk.max_time, chunk.encoding);
            each(ShownChunk { min_time, max_time, encoding, data: &chunk.data })
        };
        if runs.len() == 1 {
            // Of one block nothing is merged, whatever overlaps.
            let mut run = runs.next().expect("one");
            while let Some(chunk) = run.next()? {
                show(chunk)?;
            }
            return Ok(());
        }
        let mut merged = MergedChunks::new(runs, &ledger)?;
        while let Some(chunk) = merged.next()? {
            show(chunk)?;
        }
        Ok(())
    }
}
