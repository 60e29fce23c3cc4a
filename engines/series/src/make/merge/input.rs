//! A block that is merged, series by series: its labels in the merged symbols, its chunks without
//! those that are deleted as a whole.

use manicule_core::bytes::DecodeError;
use manicule_format_prometheus::{ChunkMeta, Interval, SeriesRef, SeriesWalk, SymbolIndex};
use manicule_store::store::RangedFile;

use super::chunks::ChunkRun;
use super::ledger::{Gone, Ledger};
use super::symbols::Label;
use crate::block::samples::is_deleted;
use crate::block::{Block, BlockError};

/// A block, standing at one of its series.
#[derive(Debug)]
pub(super) struct Input<'b> {
    pub(super) block: &'b Block,
    /// Of each of its symbols the merged number.
    number_of: &'b [u32],
    walk: SeriesWalk<'b, RangedFile>,
    refs: Vec<SeriesRef>,
    next: usize,
    /// The times that the merged block has.
    range: Interval,
    ledger: &'b Ledger<'b>,
    /// Of the series it stands at.
    pub(super) labels: Vec<Label>,
    pub(super) chunks: Vec<ChunkMeta>,
    gone: Gone<'b>,
}

impl<'b> Input<'b> {
    pub(super) fn new(
        block: &'b Block,
        number_of: &'b [u32],
        range: Interval,
        ledger: &'b Ledger<'b>,
    ) -> Result<Self, BlockError> {
        let refs = block.all_series(ledger.salvage).map_err(block.in_index())?;
        let (labels, chunks, gone) = (Vec::new(), Vec::new(), Gone::new(SeriesRef(0), &[], range));
        let (walk, next) = (block.index().walk(), 0);
        Ok(Input { block, number_of, walk, refs, next, range, ledger, labels, chunks, gone })
    }

    /// Number of series of the block.
    pub(super) fn series_count(&self) -> u64 {
        self.refs.len() as u64
    }

    /// The chunks of the series that it stands at.
    pub(super) fn run(&self) -> ChunkRun<'_> {
        ChunkRun::new(self.block, &self.chunks, &self.gone, self.ledger)
    }

    /// Goes on to the next series that has chunks left; `false` after the last.
    pub(super) fn advance(&mut self) -> Result<bool, BlockError> {
        while let Some(&reference) = self.refs.get(self.next) {
            self.next += 1;
            match (self.read(reference), self.ledger.salvage) {
                (Err(error), Some(salvage)) if !error.is_unread() => {
                    salvage.series(self.block, reference, &error);
                }
                (Ok(false), _) => {}
                (is_left, _) => return is_left.map_err(|error| self.block.in_index()(error)),
            }
        }
        Ok(false)
    }

    fn read(&mut self, reference: SeriesRef) -> Result<bool, DecodeError> {
        self.walk.read(reference)?;
        let number = |symbol: SymbolIndex| self.number_of[symbol.0 as usize];
        self.labels.clear();
        self.labels
            .extend(self.walk.symbols().iter().map(|label| (number(label.0), number(label.1))));
        let Interval { min_time, max_time } = self.range;
        let deleted = self.block.deleted(reference);
        self.chunks.clear();
        self.gone.turn_to(reference, deleted);
        let (mut first, mut last) = (min_time, max_time);
        for chunk in self.walk.chunks() {
            if chunk.overlaps(min_time, max_time) && !is_deleted(chunk, deleted) {
                (first, last) = (first.min(chunk.min_time), last.max(chunk.max_time));
                self.chunks.push(*chunk);
            } else {
                self.gone.count_chunk(self.block, chunk, self.ledger);
            }
        }
        // A chunk may reach beyond the times that the meta file says.
        if first < min_time || last > max_time {
            self.gone.fill()
        } else {
            self.gone.fill_with_tombstones()
        }
        Ok(!self.chunks.is_empty())
    }
}
