//! A block that is merged, series by series: its labels in the merged symbols, its chunks without those that are
//! deleted as a whole.
//!
//! Callers: merge

use manicule_core::bytes::DecodeError;
use manicule_format_prometheus::{ChunkMeta, Interval, SeriesRef};

use super::chunks::ChunkRun;
use super::symbols::Label;
use crate::samples::is_deleted;
use crate::{Block, BlockError};

/// A block, standing at one of its series.
#[derive(Debug)]
pub(super) struct Input<'b> {
    pub(super) block: &'b Block,
    /// Of each of its symbols the merged number.
    number_of: &'b [u32],
    refs: Vec<SeriesRef>,
    next: usize,
    /// The times that the merged block has.
    range: Interval,
    /// Of the series it stands at.
    pub(super) labels: Vec<Label>,
    pub(super) chunks: Vec<ChunkMeta>,
    /// Times whose samples are left out; they rise and don't touch.
    pub(super) deleted: Vec<Interval>,
}

impl<'b> Input<'b> {
    pub(super) fn new(
        block: &'b Block,
        number_of: &'b [u32],
        range: Interval,
    ) -> Result<Self, BlockError> {
        let refs = block.index().all_postings().map_err(|error| damaged(block, error))?;
        let refs = refs.iter().collect();
        let (labels, chunks, deleted) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Input { block, number_of, refs, next: 0, range, labels, chunks, deleted })
    }

    /// The chunks of the series that it stands at.
    pub(super) fn run(&self) -> ChunkRun<'_> {
        ChunkRun::new(self.block, &self.chunks, &self.deleted)
    }

    /// Goes on to the next series that has chunks left; `false` behind the last.
    pub(super) fn advance(&mut self) -> Result<bool, BlockError> {
        while let Some(&reference) = self.refs.get(self.next) {
            self.next += 1;
            if self.read(reference).map_err(|error| damaged(self.block, error))? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn read(&mut self, reference: SeriesRef) -> Result<bool, DecodeError> {
        let series = self.block.index().series(reference)?;
        self.labels.clear();
        let mut labels = series.labels();
        for label in labels.by_ref() {
            let (name, value) = label?;
            let number = |symbol: u32| self.number_of[symbol as usize];
            self.labels.push((number(name.0), number(value.0)));
        }
        let Interval { min_time, max_time } = self.range;
        let deleted = self.block.deleted(reference);
        self.chunks.clear();
        let (mut first, mut last) = (min_time, max_time);
        for chunk in labels.chunks()? {
            let chunk = chunk?;
            if chunk.overlaps(min_time, max_time) && !is_deleted(&chunk, deleted) {
                (first, last) = (first.min(chunk.min_time), last.max(chunk.max_time));
                self.chunks.push(chunk);
            }
        }
        self.deleted.clear();
        // A chunk may reach beyond the times that the meta file tells.
        if first < min_time {
            self.deleted.push(Interval { min_time: i64::MIN, max_time: min_time - 1 });
        }
        self.deleted.extend_from_slice(deleted);
        if last > max_time {
            self.deleted.push(Interval { min_time: max_time + 1, max_time: i64::MAX });
        }
        Ok(!self.chunks.is_empty())
    }
}

fn damaged(block: &Block, error: DecodeError) -> BlockError {
    BlockError::damaged(&block.path().join("index"))(error)
}
