//! A block of some series of another one, with a part of their samples.

use manicule_core::bytes::DecodeError;
use manicule_core::watch::Meter;
use manicule_format_prometheus::{ChunkMeta, Interval, Meta, SeriesRef, SeriesWalk, Ulid};
use manicule_store::store::RangedFile;

use super::labels::SortedTable;
use crate::block::samples::is_deleted;
use crate::block::{Block, BlockError};
use crate::make::merge::{
    ChunkRun, Gone, Ledger, MergeError, Merged, MergedChunks, Output, Pairs, draft_in, merged_meta,
    publish,
};
use crate::make::publish::{Draft, Target};
use crate::make::write::{SymbolChoice, WriteError, Written};

/// Times of series that are deleted.
pub(crate) trait Deletions {
    /// Adds the times of a series of the source that go, beside its tombstones, each with the
    /// number of its deletion.
    /// Called once for each series that stays.
    fn of(&self, series: SeriesRef, add: &mut dyn FnMut(usize, Interval));
}

/// A part of a block.
pub(crate) struct PartPlan<'p> {
    pub(crate) ulid: Ulid,
    /// Memory limit of the index writer, in bytes.
    pub(crate) memory: u64,
    pub(crate) series: &'p SortedTable,
    /// The series, by their numbers in the order of labels; nothing for all.
    pub(crate) chosen: Option<&'p dyn Fn(usize) -> bool>,
    /// The times that it has, both included.
    pub(crate) range: Interval,
    pub(crate) deletions: &'p dyn Deletions,
    /// Samples that go are counted in it.
    pub(crate) ledger: &'p Ledger<'p>,
    /// Looks at the index before anybody sees the block; an error is the end of it.
    pub(crate) check: &'p dyn Fn(&Written) -> Result<(), WriteError>,
}

/// A block whose series are all there, and whose index isn't yet.
pub(crate) struct Collected {
    draft: Option<Draft>,
    output: Output,
    /// Contents of the meta file, as written or as it would be.
    pub(crate) meta: Meta,
}

/// Writes the chunks, if there is a target; `meter` counts the series.
pub(crate) fn collect(
    block: &Block,
    target: Option<&Target>,
    plan: &PartPlan<'_>,
    meter: &Meter<'_>,
) -> Result<Collected, MergeError> {
    let source = meta_of(block)?;
    let mut meta = meta(plan, source);
    let draft = draft_in(target, plan.ulid)?;
    let mut output = Output::create(draft.as_ref(), Pairs::new(plan.series.strings().len()))?;
    let mut steps = meter.steps();
    let mut walk = block.index().walk();
    for (number, group) in plan.series.groups().enumerate() {
        if plan.chosen.is_some_and(|is_chosen| !is_chosen(number)) {
            continue;
        }
        let mut parts = Vec::new();
        for series in group.series() {
            parts.push(SeriesPart::read(block, &mut walk, series, plan).map_err(in_index(block))?);
        }
        match &parts[..] {
            [only] => {
                let mut run = only.run(block, plan.ledger);
                output.series(group.labels, || run.next())?;
            }
            parts => {
                let runs = parts.iter().map(|part| part.run(block, plan.ledger));
                let mut merged = MergedChunks::new(runs, plan.ledger)?;
                output.series(group.labels, || merged.next())?;
            }
        }
        steps.add(1)?;
    }
    meta.stats = output.stats;
    Ok(Collected { draft, output, meta })
}

/// Writes the rest and publishes the block, if there is a target and a sample is left; `meter`
/// counts the bytes of the index. Gives the block with what is known of its index.
pub(crate) fn finish(
    collected: Collected,
    plan: &PartPlan<'_>,
    meter: &Meter<'_>,
) -> Result<Option<(Merged, Written)>, MergeError> {
    let Collected { draft, output, mut meta } = collected;
    let Some(draft) = draft.filter(|_| meta.stats.num_samples > 0) else { return Ok(None) };
    let strings = plan.series.strings();
    let written =
        output.finish(&strings, SymbolChoice::Used, plan.memory, &draft, &mut meta, meter)?;
    (plan.check)(&written)?;
    Ok(Some((Merged { path: publish(draft, meter)?, meta }, written)))
}

pub(crate) fn meta_of(block: &Block) -> Result<&Meta, MergeError> {
    block.meta().ok_or_else(|| MergeError::NotBlock { path: block.path().to_owned() })
}

pub(crate) fn in_index(block: &Block) -> impl Fn(DecodeError) -> BlockError + '_ {
    block.in_index()
}

/// The block is one more step from the head than its source, and keeps what other systems said of
/// that.
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

/// The chunks of a series that don't go as a whole, and the times that go.
struct SeriesPart<'b> {
    chunks: Vec<ChunkMeta>,
    gone: Gone<'b>,
}

impl<'b> SeriesPart<'b> {
    fn read(
        block: &'b Block,
        walk: &mut SeriesWalk<'_, RangedFile>,
        series: SeriesRef,
        plan: &PartPlan<'_>,
    ) -> Result<Self, DecodeError> {
        let gone = gone(block, series, plan);
        walk.read_chunks(series)?;
        let mut chunks = Vec::with_capacity(walk.chunks().len());
        for chunk in walk.chunks() {
            if is_deleted(chunk, &gone.times) {
                gone.count_chunk(block, chunk, plan.ledger)
            } else {
                chunks.push(*chunk)
            }
        }
        Ok(SeriesPart { chunks, gone })
    }

    fn run<'a>(&'a self, block: &'a Block, ledger: &'a Ledger<'a>) -> ChunkRun<'a> {
        ChunkRun::new(block, &self.chunks, &self.gone, ledger)
    }
}

/// The times of a series that go, and why.
fn gone<'b>(block: &'b Block, series: SeriesRef, plan: &PartPlan<'_>) -> Gone<'b> {
    let mut gone = Gone::new(series, block.deleted(series), plan.range);
    plan.deletions.of(series, &mut |number, interval| gone.deletions.push((number, interval)));
    gone.fill();
    gone
}
