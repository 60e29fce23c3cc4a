//! Runs into a generation: terms merged, rows sorted, files put and published.

use std::io;

use manicule_core::watch::{Meter, Phase, Unit, Watch};
use manicule_format_leaf::dictionary::Sample;
use manicule_format_leaf::statistics::Statistics;
use manicule_format_leaf::{Id, Tag};
use manicule_store::threads::beside;

use super::BulkOptions;
use super::dictionary::Segments;
use super::rows::{DEFAULT_STEPS, NAMED_STEPS, RowSink, put_orders};
use super::run::{MemoryRun, TapedRun};
use super::sort::{Sorter, Space, take_row};
use super::tape::{Overflow, Tape, TapeReader};
use super::terms::{MemoryLane, Ranked, TapedLane, merge_terms};
use crate::dictionary::PerTag;
use crate::error::GraphError;
use crate::store::Bulk;

/// Runs, all in memory or all on tapes.
#[derive(Debug)]
pub(super) enum Runs {
    Memory(Vec<MemoryRun>),
    Taped(Vec<TapedRun>),
}

/// All rows with the ranks of their terms among all.
pub(super) struct Joined<'o> {
    pub(super) ranked: Ranked,
    /// The dictionary segment that isn't put.
    pub(super) segment: Option<Vec<u8>>,
    pub(super) triples: Sorter<'o, 3>,
    pub(super) quads: Sorter<'o, 4>,
}

/// Publishes what the runs hold. Returns how many quads that are; without any, nothing is
/// published.
pub(super) fn build(
    mut bulk: Bulk,
    runs: Runs,
    overflow: &Overflow,
    options: BulkOptions,
    watch: &Watch<'_>,
) -> Result<u64, GraphError> {
    let space = Space::of(overflow, options);
    let merging = watch.endless(Phase::Merging, Unit::Rows);
    let joined = match runs {
        Runs::Memory(runs) if !runs.is_empty() => join(&mut bulk, runs, space, options)?,
        Runs::Taped(runs) if !runs.is_empty() => {
            join_taped(&mut bulk, &runs, space, options, &merging)?
        }
        _ => return Ok(0),
    };
    merging.end();
    put_generation(bulk, joined, Vec::new(), space, options, watch)
}

/// Puts the rows in each order, and publishes them with graphs that have none. Returns how many
/// quads there are.
pub(super) fn put_generation(
    mut bulk: Bulk,
    joined: Joined<'_>,
    empty_graphs: Vec<Id>,
    space: Space<'_>,
    options: BulkOptions,
    watch: &Watch<'_>,
) -> Result<u64, GraphError> {
    let Joined { ranked, segment, triples, quads } = joined;
    if let Some(bytes) = segment {
        bulk.put_dictionary(&bytes)?;
    }
    let writing = watch.endless(Phase::Writing, Unit::Rows);
    let threads = options.threads.max(1);
    let mut sink = RowSink { bulk: &mut bulk, ranked: &ranked, threads, meter: &writing };
    let default = put_orders(&mut sink, triples, &DEFAULT_STEPS, space)?;
    let named = put_orders(&mut sink, quads, &NAMED_STEPS, space)?;
    writing.end();
    let next = ranked.next();
    let mut sorted_below = next;
    // Blank nodes have no texts.
    sorted_below.set(Tag::BLANK, 0);
    let count = default.statistics.row_count + named.statistics.row_count;
    let (default, graphs, named) = (default.statistics, named.graphs, named.statistics);
    bulk.publish(next, sorted_below, empty_graphs, &Statistics { default, named, graphs })?;
    Ok(count)
}

/// Merges runs in memory.
fn join<'o>(
    bulk: &mut Bulk,
    runs: Vec<MemoryRun>,
    space: Space<'o>,
    options: BulkOptions,
) -> Result<Joined<'o>, GraphError> {
    let mut segments = Segments::one();
    let mut lanes: Vec<MemoryLane<'_>> = runs.iter().map(MemoryLane::new).collect();
    let ranked = merge_terms(&mut lanes, |tag, text| segments.put(tag, text, bulk))?;
    let ranked = ranked.ok_or_else(|| too_many(bulk))?;
    let ranks: Vec<Vec<u32>> = lanes.into_iter().map(MemoryLane::finish).collect();
    let rows = || {
        let (mut triples, mut quads) = (Vec::new(), Vec::new());
        for (run, ranks) in runs.into_iter().zip(ranks) {
            append(&mut triples, run.rows.triples, &ranks, &ranked);
            append(&mut quads, run.rows.quads, &ranks, &ranked);
        }
        (triples, quads)
    };
    let (segment, (triples, quads)) = match options.threads {
        0 | 1 => (segments.finish(), rows()),
        _ => beside(|| segments.finish(), rows),
    };
    let triples = Sorter::new(space, DEFAULT_STEPS[0], ranked.max(), triples);
    let quads = Sorter::new(space, NAMED_STEPS[0], ranked.max(), quads);
    Ok(Joined { ranked, segment, triples, quads })
}

/// Appends rows of a run's numbers as rows of ranks.
fn append<const N: usize>(
    rows: &mut Vec<[u32; N]>,
    mut own: Vec<[u32; N]>,
    ranks: &[u32],
    ranked: &Ranked,
) {
    for number in own.as_flattened_mut() {
        *number = ranked.settled(ranks[*number as usize]);
    }
    if rows.is_empty() {
        *rows = own;
    } else {
        rows.extend_from_slice(&own);
    }
}

/// Merges runs on tapes.
fn join_taped<'o>(
    bulk: &mut Bulk,
    runs: &[TapedRun],
    space: Space<'o>,
    options: BulkOptions,
    meter: &Meter<'_>,
) -> Result<Joined<'o>, GraphError> {
    let overflow = space.overflow;
    let mut samples: PerTag<Sample> = PerTag::default();
    for run in runs {
        samples.iter_mut().zip(&run.samples).for_each(|(all, own)| all.append(own));
    }
    let mut segments = Segments::streamed(samples, options.memory_len() / 8);
    let buffer_len = space.buffer_len(2 * runs.len());
    let lanes = runs.iter().map(|run| TapedLane::new(run, overflow, buffer_len));
    let mut lanes = lanes.collect::<Result<Vec<_>, _>>()?;
    let ranked = merge_terms(&mut lanes, |tag, text| segments.put(tag, text, bulk))?;
    let ranked = ranked.ok_or_else(|| too_many(bulk))?;
    segments.end(bulk)?;
    let ranks = lanes.into_iter().map(TapedLane::finish).collect::<Result<Vec<_>, _>>()?;
    let mut triples = Sorter::new(space, DEFAULT_STEPS[0], ranked.max(), Vec::new());
    let mut quads = Sorter::new(space, NAMED_STEPS[0], ranked.max(), Vec::new());
    for (run, ranks) in runs.iter().zip(ranks) {
        let ranks = words(&ranks, space)?;
        push_all(&run.triples, &ranks, &ranked, &mut triples, space, meter)?;
        push_all(&run.quads, &ranks, &ranked, &mut quads, space, meter)?;
    }
    Ok(Joined { ranked, segment: None, triples, quads })
}

/// The words of a tape.
fn words(tape: &Tape, space: Space<'_>) -> Result<Vec<u32>, GraphError> {
    let mut reader = TapeReader::new(space.overflow, tape, space.buffer_len(1))?;
    let mut words = Vec::new();
    while !reader.is_done() {
        words.push(u32::from_le_bytes(reader.take()?));
    }
    Ok(words)
}

/// Gives rows of a run, which are of ranks in the run, to a sorter as rows of ranks among all.
fn push_all<const N: usize>(
    tape: &Tape,
    ranks: &[u32],
    ranked: &Ranked,
    sorter: &mut Sorter<'_, N>,
    space: Space<'_>,
    meter: &Meter<'_>,
) -> Result<(), GraphError> {
    /// Rows that are given at once.
    const BATCH: usize = 1024;
    if tape.is_empty() {
        return Ok(());
    }
    let mut reader = TapeReader::new(space.overflow, tape, space.buffer_len(1))?;
    let mut batch: Vec<[u32; N]> = Vec::with_capacity(BATCH);
    while !reader.is_done() {
        let row: [u32; N] = take_row(&mut reader)?;
        batch.push(row.map(|rank| ranked.settled(ranks[rank as usize])));
        if batch.len() == BATCH || reader.is_done() {
            sorter.push(&batch)?;
            meter.step(batch.len() as u64)?;
            batch.clear();
        }
    }
    Ok(())
}

/// Error of more distinct terms than ranks have numbers.
pub(super) fn too_many(bulk: &Bulk) -> GraphError {
    let why = "more than 4,294,967,295 distinct terms at once: load documents one after the other";
    GraphError::Io { file: bulk.folder().to_owned(), source: io::Error::other(why) }
}
