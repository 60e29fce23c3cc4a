//! The chunks of one series from several blocks as chunks that don't overlap.
//!
//! Chunks that overlap nothing stay as they are. Those that are the same in times and bytes become
//! one. Others are decoded, merged by time and encoded again.

use std::slice;
use std::vec;

use manicule_format_prometheus::ChunkMeta;
use manicule_format_prometheus::chunk::{AGGREGATES_ENCODING, Contents};

use super::chain::Chain;
use super::heap::Heap;
use super::ledger::{Gone, Ledger};
use super::recode::{Origin, OutChunk, Recoder, without};
use crate::block::samples::is_cut;
use crate::block::{Block, BlockError};

/// The chunks of a series in one block, in the order of time; or such as were made.
#[derive(Debug)]
pub(crate) enum ChunkRun<'a> {
    Block {
        block: &'a Block,
        metas: slice::Iter<'a, ChunkMeta>,
        gone: &'a Gone<'a>,
        ledger: &'a Ledger<'a>,
        /// Behind the first one of those that a chunk became.
        made: vec::IntoIter<OutChunk<'a>>,
    },
    Made(vec::IntoIter<OutChunk<'a>>),
}

impl<'a> ChunkRun<'a> {
    /// Chunks of one series of a block without the times that go. Samples that go are counted.
    pub(crate) fn new(
        block: &'a Block,
        metas: &'a [ChunkMeta],
        gone: &'a Gone<'a>,
        ledger: &'a Ledger<'a>,
    ) -> Self {
        let (metas, made) = (metas.iter(), Vec::new().into_iter());
        ChunkRun::Block { block, metas, gone, ledger, made }
    }

    pub(crate) fn next(&mut self) -> Result<Option<OutChunk<'a>>, BlockError> {
        let (block, metas, gone, ledger, made) = match self {
            ChunkRun::Made(made) => return Ok(made.next()),
            ChunkRun::Block { block, metas, gone, ledger, made } => {
                (block, metas, gone, ledger, made)
            }
        };
        loop {
            if let Some(chunk) = made.next() {
                return Ok(Some(chunk));
            }
            let Some(meta) = metas.next() else { return Ok(None) };
            let damaged = |error| block.in_chunk(meta.reference)(error);
            let contents = match (block.sound_chunk(meta, ledger.salvage), ledger.salvage) {
                (Err(error), Some(salvage)) if !error.is_unread() => {
                    salvage.chunk(block, gone.series, meta, &error);
                    continue;
                }
                (contents, _) => contents.map_err(damaged)?,
            };
            if is_cut(meta, &gone.times) {
                let Contents::Samples(chunk) = contents else { return Err(uncut(block, meta)) };
                *made = without(&chunk, gone, ledger).map_err(damaged)?.into_iter();
                continue;
            }
            let (encoding, data, at) = match contents {
                Contents::Samples(chunk) => (chunk.encoding as u8, chunk.data, chunk.at),
                Contents::Aggregates(aggregates) => {
                    (AGGREGATES_ENCODING, aggregates.data(), aggregates.at())
                }
            };
            let (min_time, max_time, data) = (meta.min_time, meta.max_time, data.into());
            let origin = Some(Origin { block, reference: meta.reference, at });
            return Ok(Some(OutChunk { min_time, max_time, encoding, data, origin }));
        }
    }
}

/// Some times of a chunk of aggregates were to go: a window has no part.
fn uncut(block: &Block, meta: &ChunkMeta) -> BlockError {
    let (first, last) = (meta.min_time, meta.max_time);
    BlockError::Downsampled {
        path: block.path().to_owned(),
        why: format!(
            "a chunk of aggregates from {first} to {last} is kept or left out as a whole, not cut"
        ),
    }
}

/// A run, standing at a chunk.
#[derive(Debug)]
struct Cursor<'a> {
    head: OutChunk<'a>,
    rest: ChunkRun<'a>,
}

fn is_earlier(left: &Cursor<'_>, right: &Cursor<'_>) -> bool {
    (left.head.min_time, left.head.max_time) < (right.head.min_time, right.head.max_time)
}

/// Chunks of one series from several blocks, merged.
#[derive(Debug)]
pub(crate) struct MergedChunks<'a> {
    runs: Heap<Cursor<'a>>,
    ledger: &'a Ledger<'a>,
}

impl<'a> MergedChunks<'a> {
    pub(crate) fn new(
        runs: impl Iterator<Item = ChunkRun<'a>>,
        ledger: &'a Ledger<'a>,
    ) -> Result<Self, BlockError> {
        let mut merged = MergedChunks { runs: Heap::new(), ledger };
        for run in runs {
            merged.push(run)?;
        }
        Ok(merged)
    }

    /// Goes on with a run.
    fn push(&mut self, mut rest: ChunkRun<'a>) -> Result<(), BlockError> {
        if let Some(head) = rest.next()? {
            self.runs.push(Cursor { head, rest }, is_earlier);
        }
        Ok(())
    }

    pub(crate) fn next(&mut self) -> Result<Option<OutChunk<'a>>, BlockError> {
        while let Some(Cursor { head: first, rest }) = self.runs.pop(is_earlier) {
            self.push(rest)?;
            let mut overlapping = self.take_overlapping(&first)?;
            if overlapping.is_empty() {
                return Ok(Some(first));
            }
            // The first is chained last: so does the peer, and of samples of one time that decides.
            overlapping.push(first);
            let mut made = recode(&overlapping, self.ledger)?.into_iter();
            let first = made.next();
            self.push(ChunkRun::Made(made))?;
            // Chunks without a sample leave nothing.
            if first.is_some() {
                return Ok(first);
            }
        }
        Ok(None)
    }

    /// The chunks that overlap the first one or each other, without copies.
    fn take_overlapping(&mut self, first: &OutChunk<'a>) -> Result<Vec<OutChunk<'a>>, BlockError> {
        let mut overlapping: Vec<OutChunk<'a>> = Vec::new();
        let mut max_time = first.max_time;
        while self.runs.peek().is_some_and(|run| run.head.min_time <= max_time) {
            let Some(Cursor { head, rest }) = self.runs.pop(is_earlier) else { break };
            self.push(rest)?;
            // Compared with the last one only, as in the peer.
            let before = overlapping.last().unwrap_or(first);
            let is_copy = (head.min_time, head.max_time) == (before.min_time, before.max_time)
                && head.data == before.data;
            if is_copy {
                self.ledger.repeat(head.sample_count()?);
            } else {
                max_time = max_time.max(head.max_time);
                overlapping.push(head);
            }
        }
        Ok(overlapping)
    }
}

/// Samples of overlapping chunks in chunks that don't.
fn recode(
    chunks: &[OutChunk<'_>],
    ledger: &Ledger<'_>,
) -> Result<Vec<OutChunk<'static>>, BlockError> {
    let mut recoder = Recoder::default();
    let mut chain = Chain::new(chunks, ledger)?;
    while let Some(sample) = chain.next()? {
        recoder.push(sample);
    }
    Ok(recoder.finish())
}
