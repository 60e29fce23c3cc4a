//! What a group of snapshots reaches, and what it alone does, from the sets that blobs are reached
//! by.
//!
//! Blobs of one set are weighed together. A set lies within a group if all its runs do, and meets
//! it if any run does: both come from running counts of the group's members, two looks a run.

use super::snapshot_sets::{Run, SetId, SnapshotSets};

manicule_core::counts! {
    /// Blobs and their stored bytes.
    pub struct Weight {
        /// Blobs, trees among them, each once however often it is stored.
        blobs,
        /// Trees.
        trees,
        /// Stored bytes: the length with its envelope, without its entry in the pack's header.
        bytes,
        /// Bytes of their entries in headers of packs.
        header_bytes,
    }
}

/// Weight of a group of snapshots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Weighed {
    /// Blobs that some snapshot of the group reaches.
    pub reached: Weight,
    /// Those that no snapshot outside of it reaches.
    pub exclusive: Weight,
}

/// The weight of each set of snapshots: that of the blobs that exactly these reach.
#[derive(Debug)]
pub(crate) struct Weights {
    by_set: Vec<Weight>,
}

impl Weights {
    pub(crate) fn new() -> Self {
        Weights { by_set: Vec::new() }
    }

    pub(crate) fn add(&mut self, set: SetId, weight: &Weight) {
        if self.by_set.len() <= set.index() {
            self.by_set.resize(set.index() + 1, Weight::default());
        }
        self.by_set[set.index()].add(weight);
    }

    fn each<'a>(&'a self, sets: &'a SnapshotSets) -> impl Iterator<Item = (&'a [Run], &'a Weight)> {
        let all = (0..self.by_set.len()).map(SetId::of_index);
        all.zip(&self.by_set)
            .filter(|(_, weight)| weight.blobs > 0)
            .map(|(set, weight)| (sets.runs(set), weight))
    }

    /// Of each snapshot by itself: in one pass over the sets, as a set adds to its members where it
    /// begins and ends.
    pub(crate) fn of_each_snapshot(
        &self,
        sets: &SnapshotSets,
        snapshot_count: usize,
    ) -> Vec<Weighed> {
        let mut rises = vec![Weight::default(); snapshot_count + 1];
        let mut falls = rises.clone();
        let mut all = vec![Weighed::default(); snapshot_count];
        for (runs, weight) in self.each(sets) {
            for run in runs {
                rises[run.start as usize].add(weight);
                falls[run.end as usize].add(weight);
            }
            if let [Run { start, end }] = runs
                && end - start == 1
            {
                all[*start as usize].exclusive.add(weight);
            }
        }
        let mut sum = Weight::default();
        for (one, (rise, fall)) in all.iter_mut().zip(rises.iter().zip(&falls)) {
            sum.add(rise);
            sum.take(fall);
            one.reached = sum;
        }
        all
    }

    /// Of a group, whose members are marked.
    pub(crate) fn of_group(&self, sets: &SnapshotSets, is_member: &[bool]) -> Weighed {
        let mut counts = Vec::with_capacity(is_member.len() + 1);
        counts.push(0);
        counts.extend(is_member.iter().scan(0u32, |count, &is| {
            *count += u32::from(is);
            Some(*count)
        }));
        let members = |run: &Run| counts[run.end as usize] - counts[run.start as usize];
        let mut weighed = Weighed::default();
        for (runs, weight) in self.each(sets) {
            if runs.iter().any(|run| members(run) > 0) {
                weighed.reached.add(weight);
                if runs.iter().all(|run| members(run) == run.end - run.start) {
                    weighed.exclusive.add(weight);
                }
            }
        }
        weighed
    }
}

impl Weight {
    fn take(&mut self, other: &Weight) {
        self.blobs -= other.blobs;
        self.trees -= other.trees;
        self.bytes -= other.bytes;
        self.header_bytes -= other.header_bytes;
    }
}

#[cfg(test)]
mod tests {
    use manicule_testkit::Rng;

    use super::*;

    /// Random blobs with the snapshots that reach them, weighed by going through all of them.
    #[test]
    fn groups_weigh_what_a_count_of_every_blob_says() {
        let mut rng = Rng::new(11);
        for _ in 0..50 {
            let count = 1 + rng.below(12);
            let mut sets = SnapshotSets::new();
            let mut weights = Weights::new();
            let mut blobs = Vec::new();
            for number in 0..60u64 {
                let reached: Vec<bool> = (0..count).map(|_| rng.below(3) == 0).collect();
                let mut set = SetId::EMPTY;
                for snapshot in (0..count).filter(|&snapshot| reached[snapshot]) {
                    let single = sets.single(snapshot as u32);
                    set = sets.union(set, single);
                }
                let weight =
                    Weight { blobs: 1, trees: number % 2, bytes: number * 7, header_bytes: 37 };
                weights.add(set, &weight);
                blobs.push((reached, weight));
            }
            let plain = |is_member: &[bool]| {
                let mut weighed = Weighed::default();
                for (reached, weight) in &blobs {
                    let by = |member: bool| {
                        reached.iter().zip(is_member).any(|(&reached, &is)| reached && is == member)
                    };
                    if by(true) {
                        weighed.reached.add(weight);
                        if !by(false) {
                            weighed.exclusive.add(weight);
                        }
                    }
                }
                weighed
            };
            let singles = weights.of_each_snapshot(&sets, count);
            for (snapshot, single) in singles.into_iter().enumerate() {
                let alone: Vec<bool> = (0..count).map(|other| other == snapshot).collect();
                assert_eq!(single, plain(&alone));
                assert_eq!(single, weights.of_group(&sets, &alone));
            }
            let some: Vec<bool> = (0..count).map(|_| rng.below(2) == 0).collect();
            assert_eq!(weights.of_group(&sets, &some), plain(&some));
        }
    }
}
