//! The walk of a search: waves of trees, each with the states in which it is to be read.
//!
//! As in the walk that gathers forests, the trees of a wave are read in the order of their packs,
//! neighbours together, by all threads; what they name, and no earlier wave had in that state, is
//! the next one. Nothing recurses.

use manicule_core::watch::{Meter, Phase, Stopped, Unit, Watch};
use manicule_format_restic::{BlobKind, Nodes};
use manicule_store::threads::{self, Chunks};

use super::level::{Forest, LevelNo, Part, Subtree};
use super::look::{Look, State};
use crate::index::Index;
use crate::packs::{BlobReader, Run, brought, runs_of};
use crate::repository::Repository;
use crate::trees::TreeNo;

/// A tree that is to be read, in a state.
type Wanted = (TreeNo, State, LevelNo);

/// Below this number of trees a wave is one thread's.
const SMALL_WAVE: usize = 64;

/// Walks all trees below `roots`; with the gaps, as sentences.
pub(super) fn walk<L: Look>(
    repository: &Repository,
    index: &Index,
    roots: &[TreeNo],
    look: &L,
    threads: usize,
    watch: &Watch<'_>,
) -> Result<(Forest<L::Kept>, Vec<String>), Stopped> {
    let (mut forest, mut gaps) = (Forest::new(), Vec::new());
    let mut wave: Vec<Wanted> = Vec::new();
    for &root in roots {
        let (level, is_new) = forest.number(root, look.start());
        if is_new {
            wave.push((root, look.start(), level));
        }
    }
    let meter = watch.endless(Phase::Reading, Unit::Trees);
    while !wave.is_empty() {
        wave.sort_unstable();
        let threads = if wave.len() < SMALL_WAVE { 1 } else { threads.max(1) };
        let found = read_wave(repository, index, &wave, look, threads, &meter);
        watch.check()?;
        wave.clear();
        for (part, more) in found {
            forest.add(part, |tree, state, level| wave.push((tree, state, level)));
            gaps.extend(more);
        }
    }
    meter.end();
    // A tree that is read in several states says what is wrong with it each time.
    gaps.sort_unstable();
    gaps.dedup();
    Ok((forest.finish(), gaps))
}

fn read_wave<L: Look>(
    repository: &Repository,
    index: &Index,
    wave: &[Wanted],
    look: &L,
    threads: usize,
    meter: &Meter<'_>,
) -> Vec<(Part<L::Kept>, Vec<String>)> {
    let mut trees: Vec<u32> = wave.iter().map(|(tree, ..)| tree.0).collect();
    trees.dedup();
    let runs = runs_of(repository, index, BlobKind::Tree, trees);
    let mut found = Vec::new();
    for runs in brought(repository, index, &runs) {
        let chunks = Chunks::new(0..runs.len(), 1);
        found.append(&mut threads::one_each(0..threads, |_| {
            let mut reader = BlobReader::new(repository, index);
            let mut visit = Visit { index, wave, look, part: Part::new(), gaps: Vec::new() };
            for run in (&chunks).flatten().map(|number| &runs[number]) {
                if meter.step(run.len() as u64).is_err() {
                    break;
                }
                visit.run(&mut reader, run);
            }
            (visit.part, visit.gaps)
        }));
    }
    found
}

/// What a thread does with the trees of a wave.
struct Visit<'w, L: Look> {
    index: &'w Index,
    wave: &'w [Wanted],
    look: &'w L,
    part: Part<L::Kept>,
    gaps: Vec<String>,
}

impl<L: Look> Visit<'_, L> {
    fn run(&mut self, reader: &mut BlobReader<'_>, run: &Run) {
        reader.read_run(run, |number, text| {
            let tree = TreeNo(number);
            let text = match text {
                Ok(text) => Some(text),
                Err(error) => {
                    self.gap(tree, error);
                    None
                }
            };
            let first = self.wave.partition_point(|(before, ..)| *before < tree);
            let (wave, is_same) = (self.wave, |(other, ..): &&Wanted| *other == tree);
            for (_, state, level) in wave[first..].iter().take_while(is_same) {
                if let Some(text) = text {
                    self.read(tree, *state, text);
                }
                self.part.end(*level);
            }
        });
    }

    fn read(&mut self, tree: TreeNo, state: State, text: &[u8]) {
        let mut nodes = match Nodes::open(text) {
            Ok(nodes) => nodes,
            Err(error) => return self.gap(tree, error),
        };
        loop {
            let node = match nodes.next_node() {
                Ok(Some(node)) => node,
                Ok(None) => return,
                Err(error) => return self.gap(tree, error),
            };
            let kept_before = self.part.kept.len();
            let below = self.look.node(state, node, &mut self.part.kept);
            let below = below.and_then(|state| {
                let id = node.child()?;
                let number = self.index.of(BlobKind::Tree).number(&id);
                if number.is_none() {
                    self.gap(tree, format_args!("its subtree {id} is not in the index"));
                }
                Some(Subtree { tree: TreeNo(number?), state })
            });
            if below.is_some() || self.part.kept.len() > kept_before {
                self.part.node(&node.name(), below);
            }
        }
    }

    fn gap(&mut self, tree: TreeNo, why: impl std::fmt::Display) {
        let id = self.index.of(BlobKind::Tree).entry(tree.0).0;
        self.gaps.push(format!("tree {id}: {why}"));
    }
}
