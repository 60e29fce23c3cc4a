//! Series of a block that is elsewhere, brought many at once ahead of a walk over them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use manicule_core::bytes::{DecodeError, FileBytes};
use manicule_format_prometheus::{ChunkRef, Index, Interval, SeriesRef};

use crate::block::samples::is_deleted;
use crate::block::{Block, BlockError};

/// Series that are brought at first and at most: a question that selects few is answered in one
/// round, and a walk over all in few.
const FIRST: usize = 1 << 10;
const MOST: usize = 1 << 16;

/// How far the series of a walk were brought.
#[derive(Debug)]
pub(super) struct Ahead {
    /// Series that are there, of those that come; `None` if all are.
    left: Option<usize>,
    next: usize,
    times: Interval,
    /// Whether samples of these times are brought with them.
    brings_samples: bool,
    asked: Asked,
}

/// Whether somebody has read samples of a series that a walk has given: the next ones are going to
/// be asked for theirs. Clones are of the same walk.
#[derive(Clone, Debug, Default)]
pub(super) struct Asked(Arc<AtomicBool>);

impl Asked {
    /// Notes that samples are read; says whether nobody had before.
    pub(super) fn note(&self) -> bool {
        !self.0.swap(true, Relaxed)
    }
}

impl Ahead {
    /// Nothing was brought yet; of a block whose files are mapped everything is there.
    pub(super) fn of(block: &Block, times: Interval, brings_samples: bool, asked: Asked) -> Self {
        let left = block.is_elsewhere().then_some(0);
        Ahead { left, next: FIRST, times, brings_samples, asked }
    }

    /// Whether the next series was not brought, or not as it is going to be read.
    #[inline]
    pub(super) fn is_over(&self) -> bool {
        self.left.is_some_and(|left| left == 0 || self.lacks_samples())
    }

    /// Goes past a series, if it was brought.
    #[inline]
    pub(super) fn pass(&mut self) -> bool {
        let is_there = !self.is_over();
        if let Some(left) = self.left.as_mut().filter(|_| is_there) {
            *left -= 1;
        }
        is_there
    }

    fn lacks_samples(&self) -> bool {
        !self.brings_samples && self.asked.0.load(Relaxed)
    }

    /// What those who read samples note it by; of a block that is mapped nobody does.
    pub(super) fn asked(&self) -> Option<Asked> {
        self.left.map(|_| self.asked.clone())
    }

    /// Brings the next series and those after it.
    #[cold]
    pub(super) fn bring(
        &mut self,
        block: &Block,
        series: SeriesRef,
        rest: &[SeriesRef],
    ) -> Result<(), BlockError> {
        self.brings_samples |= self.lacks_samples();
        let rest = &rest[..rest.len().min(self.next - 1)];
        let batch: Vec<SeriesRef> = [series].into_iter().chain(rest.iter().copied()).collect();
        self.bring_batch(block, &batch)?;
        self.left = Some(rest.len());
        Ok(())
    }

    /// Brings some after those that were brought, if few of these are left. `coming` are all that
    /// come.
    pub(super) fn bring_more(
        &mut self,
        block: &Block,
        coming: &[SeriesRef],
    ) -> Result<(), BlockError> {
        let Some(mut left) = self.left else { return Ok(()) };
        if self.lacks_samples() {
            (self.brings_samples, left) = (true, 0);
        }
        let rest = &coming[left.min(coming.len())..];
        if rest.is_empty() || left >= self.next / 4 {
            return Ok(());
        }
        let batch = &rest[..rest.len().min(self.next)];
        self.bring_batch(block, batch)?;
        self.left = Some(left + batch.len());
        Ok(())
    }

    fn bring_batch(&mut self, block: &Block, batch: &[SeriesRef]) -> Result<(), BlockError> {
        block.index().bring_series(batch).map_err(block.in_index())?;
        if self.brings_samples {
            block.bring_chunks(chunks_of(block, batch, self.times))?;
        } else {
            self.next = (self.next * 4).min(MOST);
        }
        Ok(())
    }
}

/// Chunks with samples of some times; what is wrong with them their reading says.
fn chunks_of(block: &Block, series: &[SeriesRef], times: Interval) -> Vec<ChunkRef> {
    let mut found = Vec::new();
    for series in series {
        let Ok(chunks) = block.index().series(*series).and_then(|entry| entry.chunks()) else {
            continue;
        };
        let deleted = block.deleted(*series);
        let chunks = chunks.map_while(Result::ok).filter(|chunk| {
            chunk.overlaps(times.min_time, times.max_time) && !is_deleted(chunk, deleted)
        });
        found.extend(chunks.map(|chunk| chunk.reference));
    }
    found
}

/// Hands out series one by one, brought many at once.
pub(super) fn each_series<B: FileBytes>(
    index: &Index<B>,
    series: &[SeriesRef],
    each: &mut dyn FnMut(SeriesRef) -> Result<(), DecodeError>,
) -> Result<(), DecodeError> {
    for batch in series.chunks(MOST) {
        index.bring_series(batch)?;
        batch.iter().try_for_each(|series| each(*series))?;
    }
    Ok(())
}
