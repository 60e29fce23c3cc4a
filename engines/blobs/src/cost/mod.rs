//! What snapshots cost: the bytes that a set of them reaches, and those that only it reaches, which
//! deleting it frees.
//!
//! One walk over the distinct trees answers for every snapshot and every group at once. Each blob
//! gets the set of snapshots that reach it; blobs of equal sets are weighed together; and a group
//! has a set to itself if the set lies within it.

mod reach;
mod snapshot_sets;
mod weigh;

use manicule_core::watch::Watch;
use manicule_format_restic::{BlobKind, Id, entry_len};

use crate::error::RepoError;
use crate::index::Index;
use crate::repository::Repository;
use crate::snapshots::Kept;
use crate::trees::{TreeNo, gap_in_words, gather};
use reach::Reach;
use snapshot_sets::SetId;
use weigh::Weights;

pub use weigh::{Weighed, Weight};

/// Which snapshots reach each tree and blob.
#[derive(Debug)]
pub struct Reached {
    reach: Reach,
    /// For each snapshot as it was given, its number in the sets.
    numbers: Vec<u32>,
    /// The other way around.
    given: Vec<usize>,
    gaps: Vec<String>,
}

impl Reached {
    /// By all of `snapshots`.
    ///
    /// Each distinct tree is read once. Memory beside the index: 4 bytes for each subtree and blob
    /// of each distinct tree, 4 a blob, 8 for each run of each distinct set of snapshots.
    pub fn of(
        repository: &Repository,
        index: &Index,
        snapshots: &[Kept],
        threads: usize,
        watch: &Watch<'_>,
    ) -> Result<Reached, RepoError> {
        let given = by_origin(snapshots);
        let (mut gaps, mut roots) = (Vec::new(), Vec::new());
        let mut numbers = vec![0; snapshots.len()];
        for (number, &at) in (0..).zip(&given) {
            numbers[at] = number;
            roots.push(snapshots[at].root(index).map_err(|gap| gaps.push(gap)).ok());
        }
        let known: Vec<TreeNo> = roots.iter().flatten().copied().collect();
        let gathered = gather(repository, index, &known, threads, watch)?;
        gaps.extend(gathered.gaps.iter().map(|gap| gap_in_words(index, gap)));
        let blob_count = index.of(BlobKind::Data).numbers_end();
        let reach = Reach::of(&gathered.forest, &roots, blob_count);
        Ok(Reached { reach, numbers, given, gaps })
    }

    /// The first of the snapshots, in the order in which they were given, that reaches a data blob.
    pub fn first_snapshot(&self, index: &Index, blob: &Id) -> Option<usize> {
        let number = index.of(BlobKind::Data).number(blob)?;
        let runs = self.reach.sets.runs(self.reach.blobs[number as usize]);
        let members = runs.iter().flat_map(|run| run.start..run.end);
        members.map(|number| self.given[number as usize]).min()
    }
}

/// Costs of the snapshots of a repository.
#[derive(Debug)]
pub struct Costs {
    reached: Reached,
    weights: Weights,
    /// Blobs that some snapshot reaches.
    pub used: Weight,
    /// Blobs that none reaches, which a prune frees whatever is deleted.
    pub unused: Weight,
    /// Further copies of blobs that are reached, which a prune frees as well.
    pub copies: Weight,
}

impl Costs {
    /// From what the snapshots reach.
    pub fn of(index: &Index, reached: Reached) -> Costs {
        let mut costs = Costs {
            reached,
            weights: Weights::new(),
            used: Weight::default(),
            unused: Weight::default(),
            copies: Weight::default(),
        };
        costs.weigh(index, BlobKind::Data);
        costs.weigh(index, BlobKind::Tree);
        costs
    }

    /// Trees and blobs that are missing or can't be read, as sentences: what they would reach is in
    /// no number.
    pub fn gaps(&self) -> &[String] {
        &self.reached.gaps
    }

    fn weigh(&mut self, index: &Index, kind: BlobKind) {
        let blobs = index.of(kind);
        let reached_by = match kind {
            BlobKind::Data => &self.reached.reach.blobs,
            BlobKind::Tree => &self.reached.reach.trees,
        };
        for (first, number, _, stored) in blobs.entries_by_blob() {
            let set = reached_by[first as usize];
            let weight = Weight {
                blobs: 1,
                trees: u64::from(kind == BlobKind::Tree),
                bytes: stored.place.len.into(),
                header_bytes: entry_len(&stored.place).into(),
            };
            match (set == SetId::EMPTY, first == number) {
                (true, _) => self.unused.add(&weight),
                (false, false) => self.copies.add(&weight),
                (false, true) => {
                    self.used.add(&weight);
                    self.weights.add(set, &weight);
                }
            }
        }
    }

    /// Of each snapshot by itself, in the order in which they were given.
    pub fn each_snapshot(&self) -> Vec<Weighed> {
        let numbers = &self.reached.numbers;
        let all = self.weights.of_each_snapshot(&self.reached.reach.sets, numbers.len());
        numbers.iter().map(|&number| all[number as usize]).collect()
    }

    /// Of a group of snapshots, by their places in the order in which they were given.
    ///
    /// # Panics
    /// If there is no snapshot at one of the places.
    pub fn of_group(&self, members: impl IntoIterator<Item = usize>) -> Weighed {
        let numbers = &self.reached.numbers;
        let mut is_member = vec![false; numbers.len()];
        members.into_iter().for_each(|at| is_member[numbers[at] as usize] = true);
        self.weights.of_group(&self.reached.reach.sets, &is_member)
    }
}

/// Snapshots of one host and one set of paths after each other, by time: what they share is one run
/// then.
fn by_origin(snapshots: &[Kept]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..snapshots.len()).collect();
    let origin = |at: &usize| {
        let snapshot = &snapshots[*at].snapshot;
        (&snapshot.hostname, &snapshot.paths, snapshot.time.moment, snapshots[*at].id)
    };
    order.sort_by(|one, other| origin(one).cmp(&origin(other)));
    order
}
