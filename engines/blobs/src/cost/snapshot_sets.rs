//! Sets of snapshots, each held once, with a number.
//!
//! A set is the list of its runs: numbers of snapshots that follow each other without a gap.
//! Snapshots are numbered so that those of one host and one set of paths follow each other by time;
//! then what a backup keeps for a while is one run, whatever the number of snapshots, and a set
//! takes 8 bytes a run where bits would take one for each snapshot.
//!
//! Most unions repeat: the files of a folder share their history. So each pair of sets is united
//! once.

use hashbrown::HashTable;
use manicule_core::bytes::mix;

/// Number of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct SetId(u32);

impl SetId {
    /// The set of no snapshot.
    pub(crate) const EMPTY: SetId = SetId(0);

    pub(crate) fn of_index(index: usize) -> Self {
        SetId(index as u32)
    }

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Snapshots from `start` to before `end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Run {
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// All sets.
#[derive(Debug)]
pub(crate) struct SnapshotSets {
    /// The runs of all sets, one set after the other.
    runs: Vec<Run>,
    /// Where the runs of each set end.
    ends: Vec<u32>,
    /// Sets, found by their runs.
    by_runs: HashTable<u32>,
    /// Unions that were made: left, right, result.
    unions: HashTable<[u32; 3]>,
    scratch: Vec<Run>,
}

impl SnapshotSets {
    /// The empty set alone.
    pub(crate) fn new() -> Self {
        let mut sets = SnapshotSets {
            runs: Vec::new(),
            ends: Vec::new(),
            by_runs: HashTable::new(),
            unions: HashTable::new(),
            scratch: Vec::new(),
        };
        sets.intern(&[]);
        sets
    }

    /// Number of sets.
    #[cfg(test)]
    pub(crate) fn count(&self) -> usize {
        self.ends.len()
    }

    /// The set of one snapshot.
    pub(crate) fn single(&mut self, snapshot: u32) -> SetId {
        self.intern(&[Run { start: snapshot, end: snapshot + 1 }])
    }

    /// Runs of a set, ordered, with gaps between them.
    pub(crate) fn runs(&self, set: SetId) -> &[Run] {
        let start = set.index().checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.runs[start as usize..self.ends[set.index()] as usize]
    }

    /// The set of the snapshots of either.
    #[inline]
    pub(crate) fn union(&mut self, left: SetId, right: SetId) -> SetId {
        if left == right || right == SetId::EMPTY {
            return left;
        }
        if left == SetId::EMPTY {
            return right;
        }
        let (low, high) = (left.min(right), left.max(right));
        let is = |made: &[u32; 3]| made[..2] == [low.0, high.0];
        if let Some(made) = self.unions.find(pair_hash(low, high), is) {
            return SetId(made[2]);
        }
        self.unite(low, high)
    }

    /// The set of the snapshots of any: no set is made but that one.
    pub(crate) fn union_of(&mut self, all: &[SetId]) -> SetId {
        let Some((&first, others)) = all.split_first() else { return SetId::EMPTY };
        if others.iter().all(|&other| other == first) {
            return first;
        }
        let mut runs = std::mem::take(&mut self.scratch);
        runs.clear();
        all.iter().for_each(|&set| runs.extend_from_slice(self.runs(set)));
        runs.sort_unstable_by_key(|run| run.start);
        join(&mut runs);
        let result = self.intern(&runs);
        self.scratch = runs;
        result
    }

    fn unite(&mut self, low: SetId, high: SetId) -> SetId {
        let result = self.union_of(&[low, high]);
        let hash_of = |made: &[u32; 3]| pair_hash(SetId(made[0]), SetId(made[1]));
        self.unions.insert_unique(pair_hash(low, high), [low.0, high.0, result.0], hash_of);
        result
    }

    fn intern(&mut self, runs: &[Run]) -> SetId {
        let hash = runs_hash(runs);
        let is = |&set: &u32| self.runs(SetId(set)) == runs;
        if let Some(&set) = self.by_runs.find(hash, is) {
            return SetId(set);
        }
        let set = self.ends.len() as u32;
        self.runs.extend_from_slice(runs);
        self.ends.push(self.runs.len() as u32);
        let (all, ends) = (&self.runs, &self.ends);
        let hash_of = |&set: &u32| {
            let start = set.checked_sub(1).map_or(0, |before| ends[before as usize]);
            runs_hash(&all[start as usize..ends[set as usize] as usize])
        };
        self.by_runs.insert_unique(hash, set, hash_of);
        SetId(set)
    }
}

/// Makes one of runs that touch or overlap. They come in the order of their starts.
fn join(runs: &mut Vec<Run>) {
    runs.dedup_by(|run, last| {
        let touches = run.start <= last.end;
        if touches {
            last.end = last.end.max(run.end);
        }
        touches
    });
}

fn pair_hash(low: SetId, high: SetId) -> u64 {
    mix(0, u64::from(low.0) << 32 | u64::from(high.0))
}

fn runs_hash(runs: &[Run]) -> u64 {
    runs.iter().fold(0, |hash, run| mix(hash, u64::from(run.start) << 32 | u64::from(run.end)))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use manicule_testkit::Rng;

    use super::*;

    fn members(sets: &SnapshotSets, set: SetId) -> BTreeSet<u32> {
        sets.runs(set).iter().flat_map(|run| run.start..run.end).collect()
    }

    #[test]
    fn unions_hold_what_plain_sets_hold_and_equal_sets_have_one_number() {
        let mut rng = Rng::new(4);
        let mut sets = SnapshotSets::new();
        let mut plain = vec![(SetId::EMPTY, BTreeSet::new())];
        for snapshot in 0..40 {
            plain.push((sets.single(snapshot), BTreeSet::from([snapshot])));
        }
        for _ in 0..3000 {
            let (one, other) = (rng.below(plain.len()), rng.below(plain.len()));
            let set = sets.union(plain[one].0, plain[other].0);
            let want: BTreeSet<u32> = plain[one].1.union(&plain[other].1).copied().collect();
            assert_eq!(members(&sets, set), want);
            assert!(sets.runs(set).windows(2).all(|two| two[0].end < two[1].start));
            plain.push((set, want));
        }
        let (numbers, contents): (BTreeSet<_>, BTreeSet<_>) = plain.into_iter().unzip();
        assert_eq!(numbers.len(), contents.len());
        assert_eq!(sets.count(), contents.len());
    }
}
