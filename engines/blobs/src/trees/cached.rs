//! The forest below some roots from a cache: no tree is read from a pack.
//!
//! Callers: trees/gather

use manicule_core::idmap::IdBytes;
use manicule_core::watch::{Phase, Stopped, Unit, Watch};
use manicule_format_restic::{BlobKind, CachedTree, Id};
use manicule_store::threads;

use super::gap::{Gap, Gathered};
use super::{BlobNo, Forest, Part, TreeNo};
use crate::cache::trees::CachedTrees;
use crate::index::Index;

/// Trees of a wave that a thread gets at least.
const TREES_MIN: usize = 64;

/// All trees below `roots`; `None` if the cache lacks one, or is damaged.
pub(super) fn gather_cached(
    cached: &CachedTrees,
    index: &Index,
    roots: &[TreeNo],
    threads: usize,
    watch: &Watch<'_>,
) -> Result<Option<Gathered>, Stopped> {
    let Some(numbers) = numbers(cached, index) else { return Ok(None) };
    let blobs_end = index.of(BlobKind::Tree).numbers_end();
    let mut places = vec![u32::MAX; blobs_end];
    for (place, tree) in (0..).zip(&numbers) {
        places[tree.0 as usize] = place;
    }
    let mut wave: Vec<u32> = roots.iter().map(|root| places[root.0 as usize]).collect();
    if wave.contains(&u32::MAX) {
        return Ok(None);
    }
    drop(places);
    let meter = watch.endless(Phase::Reading, Unit::Trees);
    cached.open_all(threads);
    let mut is_met = vec![false; numbers.len()];
    let (mut parts, mut gaps) = (Vec::new(), Vec::new());
    loop {
        wave.retain(|place| !std::mem::replace(&mut is_met[*place as usize], true));
        if wave.is_empty() {
            break;
        }
        wave.sort_unstable();
        meter.step(wave.len() as u64)?;
        let share = wave.len().div_ceil(threads.max(1)).max(TREES_MIN);
        let reads = threads::one_each(wave.chunks(share), |trees| {
            let mut reading = Reading {
                cached,
                index,
                numbers: &numbers,
                part: Part::default(),
                gaps: Vec::new(),
                children: Vec::new(),
            };
            trees.iter().try_for_each(|&place| reading.read(place)).map(|()| reading)
        });
        wave = Vec::new();
        for read in reads {
            let Some(mut read) = read else { return Ok(None) };
            parts.push(read.part);
            gaps.append(&mut read.gaps);
            wave.append(&mut read.children);
        }
    }
    meter.end();
    Ok(Some(Gathered { forest: Forest::new(parts, blobs_end), gaps }))
}

/// The number in the index of each tree of a cache.
fn numbers(cached: &CachedTrees, index: &Index) -> Option<Vec<TreeNo>> {
    let ids = cached.ids()?;
    let mut numbers = Vec::with_capacity(ids.len());
    index.of(BlobKind::Tree).find_each(&ids, |_, number| numbers.extend(number.map(TreeNo)));
    (numbers.len() == ids.len()).then_some(numbers)
}

struct Reading<'c> {
    cached: &'c CachedTrees,
    index: &'c Index,
    numbers: &'c [TreeNo],
    part: Part,
    gaps: Vec<Gap>,
    /// Places of subtrees.
    children: Vec<u32>,
}

impl Reading<'_> {
    fn read(&mut self, place: u32) -> Option<()> {
        let record = self.cached.record(place)?;
        let tree = self.numbers[place as usize];
        let nodes = CachedTree::open(&record).ok()?;
        let Reading { index, part, gaps, .. } = self;
        let mut ids: Vec<IdBytes> = Vec::new();
        for number in 0..nodes.len() {
            let node = nodes.node(number).ok()?;
            ids.extend_from_slice(node.blobs);
            if let Some(child) = node.child {
                part.subtree(*self.numbers.get(child as usize)?);
                self.children.push(child);
            }
        }
        index.of(BlobKind::Data).find_each(&ids, |at, number| match number {
            Some(number) => part.blob(BlobNo(number)),
            None => gaps.push(Gap::NoBlob(tree, Id(ids[at]))),
        });
        part.end(tree);
        Some(())
    }
}
