//! A walk over the trees below some roots: each distinct tree is read once, however many paths and
//! snapshots lead to it.
//!
//! The walk goes in waves. The trees of a wave are read in the order of their packs and offsets,
//! neighbours together, by all threads; the trees that they name, and that no earlier wave had, are
//! the next one. So there are as many waves as a path has components at most, nothing recurses, and
//! a repository of 2^40 paths over 41 trees costs 41 trees.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use manicule_core::watch::{Phase, Stopped, Unit, Watch};
use manicule_format_restic::{BlobKind, Id};
use manicule_store::threads::{self, Chunks};

use super::TreeNo;
use crate::index::Index;
use crate::packs::{BlobReader, ReadError, Run, brought, runs_of};
use crate::repository::Repository;

/// What a walk hands its trees to; each thread has one.
pub(crate) trait VisitTrees: Send {
    /// A tree's text, or why it can't be read. Trees that the visitor names to `next` are walked
    /// too.
    fn tree(&mut self, tree: TreeNo, text: Result<&[u8], ReadError>, next: &mut Next<'_>);
}

/// The trees that the next wave will have.
pub(crate) struct Next<'w> {
    index: &'w Index,
    is_met: &'w Marks,
    trees: Vec<TreeNo>,
}

impl Next<'_> {
    /// The number of a tree, which is walked if it wasn't yet; `None` for one that the index lacks.
    #[inline]
    pub(crate) fn tree(&mut self, id: &Id) -> Option<TreeNo> {
        let tree = TreeNo(self.index.of(BlobKind::Tree).number(id)?);
        self.add(tree);
        Some(tree)
    }

    fn add(&mut self, tree: TreeNo) {
        if self.is_met.mark(tree.0) {
            self.trees.push(tree);
        }
    }
}

/// Below this number of trees a wave is one thread's.
const SMALL_WAVE: usize = 64;

/// Walks the trees below `roots`, with a visitor for each thread; gives the visitors back.
pub(crate) fn walk<V: VisitTrees>(
    repository: &Repository,
    index: &Index,
    roots: &[TreeNo],
    mut visitors: Vec<V>,
    watch: &Watch<'_>,
) -> Result<Vec<V>, Stopped> {
    let is_met = Marks::new(index.of(BlobKind::Tree).numbers_end());
    let new_next = || Next { index, is_met: &is_met, trees: Vec::new() };
    let mut first = new_next();
    roots.iter().for_each(|&root| first.add(root));
    let mut wave = first.trees;
    let meter = watch.endless(Phase::Reading, Unit::Trees);
    while !wave.is_empty() {
        let numbers = wave.iter().map(|tree| tree.0).collect();
        let runs = runs_of(repository, index, BlobKind::Tree, numbers);
        let threads = if wave.len() < SMALL_WAVE { 1 } else { visitors.len() };
        wave = Vec::new();
        for runs in brought(repository, index, &runs) {
            let chunks = Chunks::new(0..runs.len(), 1);
            let work = |mut visitor: V| {
                let mut next = new_next();
                let mut reader = BlobReader::new(repository, index);
                for run in (&chunks).flatten().map(|number| &runs[number]) {
                    if meter.step(run.len() as u64).is_err() {
                        break;
                    }
                    visit(&mut reader, run, &mut visitor, &mut next);
                }
                (visitor, next.trees)
            };
            let idle = visitors.split_off(threads);
            for (visitor, mut trees) in threads::one_each(std::mem::take(&mut visitors), work) {
                visitors.push(visitor);
                wave.append(&mut trees);
            }
            visitors.extend(idle);
            watch.check()?;
        }
    }
    meter.end();
    Ok(visitors)
}

fn visit<V: VisitTrees>(
    reader: &mut BlobReader<'_>,
    run: &Run,
    visitor: &mut V,
    next: &mut Next<'_>,
) {
    reader.read_run(run, |number, text| visitor.tree(TreeNo(number), text, next));
}

/// A flag for each number, set by any thread.
#[derive(Debug)]
struct Marks {
    words: Vec<AtomicU64>,
}

impl Marks {
    fn new(count: usize) -> Self {
        Marks { words: (0..count.div_ceil(64)).map(|_| AtomicU64::new(0)).collect() }
    }

    /// Sets a flag; whether it was not set before.
    fn mark(&self, number: u32) -> bool {
        let (word, bit) = (&self.words[number as usize / 64], 1 << (number % 64));
        word.load(Relaxed) & bit == 0 && word.fetch_or(bit, Relaxed) & bit == 0
    }
}
