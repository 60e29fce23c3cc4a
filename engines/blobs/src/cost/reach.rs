//! Which snapshots reach each tree and blob.
//!
//! A tree is reached by the snapshots whose root it is, and by all that reach a tree it lies in. In an order in which each tree comes
//! after those, one pass over the trees does it: a union for each subtree and blob of each distinct tree.
//!
//! Callers: cost

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
    /// From the snapshots' root trees, in the order of the snapshots' numbers; `None` for one without. `blob_count` is above every number of a blob.
    pub(crate) fn of(forest: &Forest, roots: &[Option<TreeNo>], blob_count: usize) -> Self {
        let mut sets = SnapshotSets::new();
        let mut trees = vec![SetId::EMPTY; forest.numbers()];
        let mut blobs = vec![SetId::EMPTY; blob_count];
        for (snapshot, root) in (0..).zip(roots) {
            let Some(root) = root else { continue };
            let single = sets.single(snapshot);
            let set = &mut trees[root.0 as usize];
            *set = sets.union(*set, single);
        }
        let known: Vec<TreeNo> = roots.iter().flatten().copied().collect();
        for tree in forest.downwards(&known) {
            let reached = trees[tree.0 as usize];
            for subtree in forest.subtrees(tree) {
                let set = &mut trees[subtree.0 as usize];
                *set = sets.union(*set, reached);
            }
            for blob in forest.blobs(tree) {
                let set = &mut blobs[blob.0 as usize];
                *set = sets.union(*set, reached);
            }
        }
        Reach { sets, trees, blobs }
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
