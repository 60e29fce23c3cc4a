//! What a new block leaves out, counted while it is made: each sample of its sources is in it, or
//! in one of these counts.

use std::cell::Cell;
use std::path::PathBuf;

use manicule_core::bytes::DecodeError;
use manicule_format_prometheus::chunk::Sample;
use manicule_format_prometheus::{
    ChunkMeta, Interval, META_NAME, SeriesRef, SeriesWalk, Tombstones,
};
use manicule_store::store::RangedFile;

use crate::block::salvage::Salvage;
use crate::block::samples::{holding, is_cut, is_deleted, is_same};
use crate::block::{Block, BlockError};

/// Samples of the sources that a new block doesn't have. Each is in one count.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LeftOut {
    /// Deleted before, by tombstones. Nobody could read them.
    pub tombstoned: u64,
    /// Outside of the times of the meta files.
    pub outside: u64,
    /// Deleted by a rule.
    pub deleted: u64,
    /// Of series that are left out.
    pub dropped: u64,
    /// Their series has another one of the same time and value.
    pub repeated: u64,
    /// Their series has another one of the same time and a different value.
    pub lost: u64,
    /// Series and chunks that were to go and can't be read: how many samples they had isn't known.
    pub uncounted: u64,
}

/// The counts while they are made.
#[derive(Debug, Default)]
pub(crate) struct Ledger<'s> {
    /// Damaged series and chunks are left out, and go there.
    pub(crate) salvage: Option<&'s Salvage>,
    tombstoned: Cell<u64>,
    outside: Cell<u64>,
    deleted: Cell<u64>,
    dropped: Cell<u64>,
    repeated: Cell<u64>,
    lost: Cell<u64>,
    uncounted: Cell<u64>,
    /// Of each deletion, the samples that it holds.
    deletions: Vec<Cell<u64>>,
    /// Chunks that go as a whole are not looked at.
    ignores_chunks: bool,
}

fn add(counter: &Cell<u64>, count: u64) {
    counter.set(counter.get() + count);
}

impl<'s> Ledger<'s> {
    pub(crate) fn new(deletions: usize, salvage: Option<&'s Salvage>) -> Self {
        Ledger { deletions: vec![Cell::new(0); deletions], salvage, ..Ledger::default() }
    }

    /// For a part of a block: what it lacks is in another one.
    pub(crate) fn of_part() -> Self {
        Ledger { ignores_chunks: true, ..Ledger::default() }
    }

    /// For an answer, of which nobody asks what it leaves out.
    pub(crate) fn of_answer(salvage: Option<&'s Salvage>) -> Self {
        Ledger { ignores_chunks: true, salvage, ..Ledger::default() }
    }

    pub(crate) fn left_out(&self) -> LeftOut {
        LeftOut {
            tombstoned: self.tombstoned.get(),
            outside: self.outside.get(),
            deleted: self.deleted.get(),
            dropped: self.dropped.get(),
            repeated: self.repeated.get(),
            lost: self.lost.get(),
            uncounted: self.uncounted.get(),
        }
    }

    /// Fails where blocks don't have as many samples as their meta files say together. `kept` are
    /// in the new block; what can't be read isn't counted, nor is it asked for.
    pub(crate) fn check_samples(&self, blocks: &[&Block], kept: u64) -> Result<(), BlockError> {
        let stats = |block: &&Block| block.meta().map_or(0, |meta| meta.stats.num_samples);
        let (want, left) = (blocks.iter().map(stats).sum::<u64>(), self.left_out());
        let gone = left.tombstoned + left.outside + left.deleted + left.dropped;
        let got = kept + gone + left.repeated + left.lost;
        if want == got || want == 0 || left.uncounted > 0 || self.salvage.is_some() {
            return Ok(());
        }
        let what = format!("numSamples: wanted {got} by the chunks, got {want}");
        let path = blocks.first().map_or(PathBuf::new(), |block| block.path().join(META_NAME));
        let what = match blocks.len() {
            1 => what,
            count => format!("{what}, of this and {} more blocks together", count - 1),
        };
        Err(BlockError::Contradiction { path, what })
    }

    /// Number of samples in a deletion, of series that stay, tombstones apart. Several may hold the
    /// same one.
    pub(crate) fn deleted_by(&self, deletion: usize) -> u64 {
        self.deletions[deletion].get()
    }

    /// Two samples of a series have one time; `kept` stays.
    pub(super) fn clash(&self, kept: Option<&Sample>, other: &Sample) {
        if kept.is_some_and(|kept| is_same(kept, other)) {
            add(&self.repeated, 1)
        } else {
            add(&self.lost, 1)
        }
    }

    /// Counts samples that are there twice.
    pub(super) fn repeat(&self, count: u64) {
        add(&self.repeated, count);
    }

    /// Counts the samples of a series that is left out, without those that tombstones delete; gives
    /// how many.
    pub(crate) fn drop_series(
        &self,
        block: &Block,
        walk: &mut SeriesWalk<'_, RangedFile>,
        series: SeriesRef,
    ) -> u64 {
        let tombstones = block.deleted(series);
        let mut samples = 0;
        if walk.read_chunks(series).is_err() {
            add(&self.uncounted, 1);
        }
        for chunk in walk.chunks() {
            match self.drop_chunk(block, chunk, tombstones) {
                Ok(count) => samples += count,
                Err(_) => add(&self.uncounted, 1),
            }
        }
        add(&self.dropped, samples);
        samples
    }

    /// The samples of a chunk that tombstones leave.
    fn drop_chunk(
        &self,
        block: &Block,
        meta: &ChunkMeta,
        tombstones: &[Interval],
    ) -> Result<u64, DecodeError> {
        let Some(chunk) = block.chunk(meta.reference)?.contents()?.counted() else { return Ok(0) };
        let count = chunk.sample_count()?.into();
        if !is_cut(meta, tombstones) {
            return Ok(count);
        }
        if is_deleted(meta, tombstones) {
            add(&self.tombstoned, count);
            return Ok(0);
        }
        let (mut left, mut tombstoned) = (0, 0);
        for sample in chunk.samples()? {
            match holding(sample?.time, tombstones) {
                Some(_) => tombstoned += 1,
                None => left += 1,
            }
        }
        add(&self.tombstoned, tombstoned);
        Ok(left)
    }
}

/// The times of a series whose samples go, by reason.
#[derive(Debug)]
pub(crate) struct Gone<'b> {
    pub(super) series: SeriesRef,
    /// All of them; they rise and don't touch.
    pub(crate) times: Vec<Interval>,
    tombstones: &'b [Interval],
    /// The times that stay.
    range: Interval,
    /// Times with the number of their deletion.
    pub(crate) deletions: Vec<(usize, Interval)>,
}

impl<'b> Gone<'b> {
    /// Tombstones, and what is outside of a range. Deletions may follow, then one of the two that
    /// fill in all times.
    pub(crate) fn new(series: SeriesRef, tombstones: &'b [Interval], range: Interval) -> Self {
        Gone { series, times: Vec::new(), tombstones, range, deletions: Vec::new() }
    }

    /// For another series of the block.
    pub(crate) fn turn_to(&mut self, series: SeriesRef, tombstones: &'b [Interval]) {
        (self.series, self.tombstones) = (series, tombstones);
        self.times.clear();
        self.deletions.clear();
    }

    /// All times are the tombstones': nothing of the series is outside, and there are no deletions.
    pub(crate) fn fill_with_tombstones(&mut self) {
        self.times.extend_from_slice(self.tombstones);
    }

    /// All times are those of every reason, united: they overlap.
    pub(crate) fn fill(&mut self) {
        let (mut all, series) = (Tombstones::default(), SeriesRef(0));
        let Interval { min_time, max_time } = self.range;
        if let Some(before) = min_time.checked_sub(1) {
            all.add(series, Interval { min_time: i64::MIN, max_time: before });
        }
        if let Some(after) = max_time.checked_add(1) {
            all.add(series, Interval { min_time: after, max_time: i64::MAX });
        }
        let deletions = self.deletions.iter().map(|deletion| &deletion.1);
        self.tombstones.iter().chain(deletions).for_each(|interval| all.add(series, *interval));
        self.times.extend_from_slice(all.of(series));
    }

    /// Counts samples of a time that goes.
    pub(super) fn count(&self, time: i64, count: u64, ledger: &Ledger<'_>) {
        if holding(time, self.tombstones).is_some() {
            return add(&ledger.tombstoned, count);
        }
        if !self.range.contains(time) {
            return add(&ledger.outside, count);
        }
        add(&ledger.deleted, count);
        for (deletion, times) in &self.deletions {
            if times.contains(time) {
                add(&ledger.deletions[*deletion], count);
            }
        }
    }

    /// Counts the samples of a chunk that goes as a whole.
    pub(crate) fn count_chunk(&self, block: &Block, meta: &ChunkMeta, ledger: &Ledger<'_>) {
        if !ledger.ignores_chunks && self.try_count_chunk(block, meta, ledger).is_err() {
            add(&ledger.uncounted, 1);
        }
    }

    fn try_count_chunk(
        &self,
        block: &Block,
        meta: &ChunkMeta,
        ledger: &Ledger<'_>,
    ) -> Result<(), DecodeError> {
        let contents = block.chunk(meta.reference)?.contents()?;
        let Some(chunk) = contents.counted() else { return Ok(()) };
        let ends_within = |times: &Interval| {
            meta.overlaps(times.min_time, times.max_time)
                && !(times.contains(meta.min_time) && times.contains(meta.max_time))
        };
        let deletions = self.deletions.iter().map(|deletion| &deletion.1);
        if !self.tombstones.iter().chain([&self.range]).chain(deletions).any(ends_within) {
            self.count(meta.min_time, chunk.sample_count()?.into(), ledger);
            return Ok(());
        }
        // All or nothing: what can't be read to its end is not counted.
        let times = chunk.samples()?.map(|sample| Ok(sample?.time));
        for time in times.collect::<Result<Vec<i64>, DecodeError>>()? {
            self.count(time.clamp(meta.min_time, meta.max_time), 1, ledger);
        }
        Ok(())
    }
}
