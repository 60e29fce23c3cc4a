//! A block of some series of another one, with a part of their samples.
//!
//! Callers: rewrite, split

use manicule_core::bytes::DecodeError;
use manicule_format_prometheus::{ChunkMeta, Interval, Meta, SeriesRef, Tombstones, Ulid};

use super::labels::SortedTable;
use crate::merge::{ChunkRun, MergeError, Merged, MergedChunks, Output, Pairs, io_at, merged_meta};
use crate::samples::is_deleted;
use crate::write::{SymbolChoice, WriteError, Written};
use crate::{Block, BlockError, Target};

/// Which times of which series go.
pub(crate) trait Deletions {
    /// Adds the times of a series of the source that go, beside its tombstones.
    fn of(&self, series: SeriesRef, add: &mut dyn FnMut(Interval));
}

/// A part of a block.
pub(crate) struct PartPlan<'p> {
    pub(crate) ulid: Ulid,
    /// What the index writer may take, in bytes.
    pub(crate) memory: u64,
    pub(crate) series: &'p SortedTable,
    /// Which of the series, by their number in the order of labels; nothing for all.
    pub(crate) chosen: Option<&'p dyn Fn(usize) -> bool>,
    /// The times that it has, both included.
    pub(crate) range: Interval,
    pub(crate) deletions: &'p dyn Deletions,
    /// Looks at the index before anybody sees the block; an error is the end of it.
    pub(crate) check: &'p dyn Fn(&Written) -> Result<(), WriteError>,
}

/// Writes the block, and tells of its index; `None` if no sample is left.
pub(crate) fn write(
    block: &Block,
    target: &Target,
    plan: &PartPlan<'_>,
) -> Result<Option<(Merged, Written)>, MergeError> {
    let source = meta_of(block)?;
    let mut meta = meta(plan, source);
    let draft = target.draft(plan.ulid).map_err(io_at(target.path()))?;
    let strings = plan.series.strings();
    let mut output = Output::create(&draft, Pairs::new(strings.len()))?;
    for (number, group) in plan.series.groups().enumerate() {
        if plan.chosen.is_some_and(|is_chosen| !is_chosen(number)) {
            continue;
        }
        let mut parts = Vec::new();
        for series in group.series() {
            parts.push(SeriesPart::read(block, series, plan).map_err(in_index(block))?);
        }
        match &parts[..] {
            [only] => {
                let mut run = only.run(block);
                output.series(group.labels, || run.next())?;
            }
            parts => {
                let mut merged = MergedChunks::new(parts.iter().map(|part| part.run(block)))?;
                output.series(group.labels, || merged.next())?;
            }
        }
    }
    meta.stats = output.stats;
    if meta.stats.num_samples == 0 {
        return Ok(None);
    }
    let written = output.finish(&strings, SymbolChoice::Used, plan.memory, &draft, &meta)?;
    (plan.check)(&written)?;
    let path = draft.publish().map_err(io_at(target.path()))?;
    Ok(Some((Merged { path, meta }, written)))
}

pub(crate) fn meta_of(block: &Block) -> Result<&Meta, MergeError> {
    block.meta().ok_or_else(|| MergeError::NotBlock { path: block.path().to_owned() })
}

pub(crate) fn in_index(block: &Block) -> impl Fn(DecodeError) -> BlockError + '_ {
    |error| BlockError::damaged(&block.index_path())(error)
}

/// The block is one more step from the head than its source, and keeps what other systems said of that.
fn meta(plan: &PartPlan<'_>, source: &Meta) -> Meta {
    let mut meta = merged_meta(plan.ulid, &[source]);
    meta.min_time = meta.min_time.max(plan.range.min_time);
    meta.max_time = meta.max_time.min(plan.range.max_time.saturating_add(1));
    // What is said of its files is left out already.
    for (key, value) in &source.rest {
        meta.rest.entry(key).or_insert_with(|| value.clone());
    }
    meta
}

/// The chunks of a series that aren't deleted as a whole, and the times that are.
struct SeriesPart {
    chunks: Vec<ChunkMeta>,
    deleted: Vec<Interval>,
}

impl SeriesPart {
    fn read(block: &Block, series: SeriesRef, plan: &PartPlan<'_>) -> Result<Self, DecodeError> {
        let deleted = deleted_times(block, series, plan);
        let mut chunks = Vec::new();
        for chunk in block.index().series(series)?.chunks()? {
            let chunk = chunk?;
            if !is_deleted(&chunk, &deleted) {
                chunks.push(chunk);
            }
        }
        Ok(SeriesPart { chunks, deleted })
    }

    fn run<'a>(&'a self, block: &'a Block) -> ChunkRun<'a> {
        ChunkRun::new(block, &self.chunks, &self.deleted)
    }
}

/// Rising, and none touches another.
fn deleted_times(block: &Block, series: SeriesRef, plan: &PartPlan<'_>) -> Vec<Interval> {
    let mut all = Tombstones::default();
    let Interval { min_time, max_time } = plan.range;
    if let Some(before) = min_time.checked_sub(1) {
        all.add(series, Interval { min_time: i64::MIN, max_time: before });
    }
    if let Some(behind) = max_time.checked_add(1) {
        all.add(series, Interval { min_time: behind, max_time: i64::MAX });
    }
    block.deleted(series).iter().for_each(|interval| all.add(series, *interval));
    plan.deletions.of(series, &mut |interval| all.add(series, interval));
    all.of(series).to_vec()
}
