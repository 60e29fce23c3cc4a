//! Which snapshots reach each tree and blob.
//!
//! A tree is reached by the snapshots whose root it is, and by all that reach a tree it lies in. In
//! an order in which each tree comes after those, one pass over the trees does it: a union for each
//! subtree of each distinct tree. A blob is reached by all that reach a tree it lies in: their runs
//! are put together at once, so that no set is made on the way to the last one.

use super::snapshot_sets::{SetId, SnapshotSets};
use crate::trees::{Forest, TreeNo};

/// Sets of snapshots by the numbers of trees and data blobs.
#[derive(Debug)]
pub(crate) struct Reach {
    pub(crate) sets: SnapshotSets,
    pub(crate) trees: Vec<SetId>,
    pub(crate) blobs: Vec<SetId>,
}

impl Reach {
    /// From the snapshots' root trees, in the order of the snapshots' numbers; `None` for one
    /// without. `blob_count` is above every number of a blob.
    pub(crate) fn of(forest: &Forest, roots: &[Option<TreeNo>], blob_count: usize) -> Self {
        let mut sets = SnapshotSets::new();
        let mut trees = vec![SetId::EMPTY; forest.numbers()];
        for (snapshot, root) in (0..).zip(roots) {
            let Some(root) = root else { continue };
            let single = sets.single(snapshot);
            let set = &mut trees[root.0 as usize];
            *set = sets.union(*set, single);
        }
        let known: Vec<TreeNo> = roots.iter().flatten().copied().collect();
        let order = forest.downwards(&known);
        for &tree in &order {
            let reached = trees[tree.0 as usize];
            for subtree in forest.subtrees(tree) {
                let set = &mut trees[subtree.0 as usize];
                *set = sets.union(*set, reached);
            }
        }
        let holders = Holders::of(forest, &order, &trees, blob_count);
        let blobs = (0..blob_count).map(|blob| sets.union_of(holders.sets(blob))).collect();
        Reach { sets, trees, blobs }
    }
}

/// For each data blob the sets of the trees that hold it: 4 bytes for each blob of each tree.
struct Holders {
    /// Where the sets of each blob start, and where the last ones end.
    starts: Vec<usize>,
    sets: Vec<SetId>,
}

impl Holders {
    /// Counted first, so that each set is put straight at its place.
    fn of(forest: &Forest, order: &[TreeNo], trees: &[SetId], blob_count: usize) -> Self {
        let mut starts = vec![0; blob_count + 1];
        for blob in order.iter().flat_map(|&tree| forest.blobs(tree)) {
            starts[blob.0 as usize] += 1;
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += std::mem::replace(start, sum);
        }
        let mut sets = vec![SetId::EMPTY; sum];
        for &tree in order {
            for blob in forest.blobs(tree) {
                let place = &mut starts[blob.0 as usize];
                sets[*place] = trees[tree.0 as usize];
                *place += 1;
            }
        }
        // Each start is where the next one was now.
        starts.rotate_right(1);
        starts[0] = 0;
        Holders { starts, sets }
    }

    fn sets(&self, blob: usize) -> &[SetId] {
        &self.sets[self.starts[blob]..self.starts[blob + 1]]
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use manicule_testkit::Rng;

    use super::*;
    use crate::trees::{BlobNo, Part};

    fn below(forest: &Forest, tree: TreeNo, trees: &mut BTreeSet<u32>, blobs: &mut BTreeSet<u32>) {
        trees.insert(tree.0);
        blobs.extend(forest.blobs(tree).iter().map(|blob| blob.0));
        forest.subtrees(tree).iter().for_each(|&subtree| below(forest, subtree, trees, blobs));
    }

    #[test]
    fn a_snapshot_reaches_what_a_walk_from_its_root_meets() {
        let mut rng = Rng::new(3);
        for _ in 0..30 {
            let count = 2 + rng.below(20) as u32;
            let mut part = Part::default();
            for tree in 0..count {
                let above = (tree + 1..count).filter(|_| rng.below(4) == 0).collect::<Vec<_>>();
                above.into_iter().for_each(|subtree| part.subtree(TreeNo(subtree)));
                (0..rng.below(4)).for_each(|_| part.blob(BlobNo(rng.below(25) as u32)));
                part.end(TreeNo(tree));
            }
            let forest = Forest::new(vec![part], count as usize);
            let roots: Vec<_> = (0..6).map(|_| TreeNo(rng.below(count as usize) as u32)).collect();
            let given: Vec<_> = roots.iter().copied().map(Some).collect();
            let reach = Reach::of(&forest, &given, 25);
            let holds = |set: SetId, snapshot: u32| {
                reach.sets.runs(set).iter().any(|run| (run.start..run.end).contains(&snapshot))
            };
            for (snapshot, &root) in (0..).zip(&roots) {
                let (mut trees, mut blobs) = (BTreeSet::new(), BTreeSet::new());
                below(&forest, root, &mut trees, &mut blobs);
                for tree in 0..count {
                    assert_eq!(holds(reach.trees[tree as usize], snapshot), trees.contains(&tree));
                }
                for blob in 0..25 {
                    assert_eq!(holds(reach.blobs[blob as usize], snapshot), blobs.contains(&blob));
                }
            }
        }
    }
}
