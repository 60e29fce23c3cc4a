//! What the trees of snapshots hold, without names: for each tree its subtrees and the data blobs
//! of its files.
//!
//! Trees and blobs are numbers: those of their entries in the index. 4 bytes a subtree or blob of a
//! tree, 24 a tree; a tree that a million paths lead to is here once.

/// Number of a tree: that of its first entry among the index's trees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct TreeNo(pub(crate) u32);

/// Number of a data blob: that of its first entry among the index's data blobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct BlobNo(pub(crate) u32);

/// Trees by their numbers.
#[derive(Debug, Default)]
pub(crate) struct Forest {
    parts: Vec<Part>,
    /// The place of each tree; `None` for one that no walk has met.
    places: Vec<Option<Spans>>,
}

/// Trees that one thread has met.
#[derive(Debug, Default)]
pub(crate) struct Part {
    trees: Vec<(TreeNo, [u32; 2])>,
    subtrees: Vec<TreeNo>,
    blobs: Vec<BlobNo>,
}

/// A tree's subtrees and blobs in the lists of a part.
#[derive(Clone, Copy, Debug)]
struct Spans {
    part: u32,
    subtrees: [u32; 2],
    blobs: [u32; 2],
}

impl Part {
    /// Adds a subtree of the tree that [`Part::end`] will name.
    pub(crate) fn subtree(&mut self, tree: TreeNo) {
        self.subtrees.push(tree);
    }

    /// Adds a data blob of it.
    pub(crate) fn blob(&mut self, blob: BlobNo) {
        self.blobs.push(blob);
    }

    /// Ends a tree.
    ///
    /// # Panics
    /// If there are more than 2^32 subtrees or blobs of trees.
    pub(crate) fn end(&mut self, tree: TreeNo) {
        let ends = [self.subtrees.len(), self.blobs.len()];
        let ends = ends.map(|end| u32::try_from(end).expect("a part holds less than 2^32"));
        self.trees.push((tree, ends));
    }
}

impl Forest {
    /// All that the threads of a walk have met; `count` is above every number of a tree.
    pub(crate) fn new(parts: Vec<Part>, count: usize) -> Self {
        let mut places = vec![None; count];
        for (number, part) in (0..).zip(&parts) {
            let mut starts = [0, 0];
            for &(tree, ends) in &part.trees {
                let [subtrees, blobs] = [[starts[0], ends[0]], [starts[1], ends[1]]];
                places[tree.0 as usize] = Some(Spans { part: number, subtrees, blobs });
                starts = ends;
            }
        }
        Forest { parts, places }
    }

    /// Above every number of a tree.
    pub(crate) fn numbers(&self) -> usize {
        self.places.len()
    }

    /// The trees that were met, in the order of their numbers.
    pub(crate) fn trees(&self) -> impl Iterator<Item = TreeNo> {
        let numbers = (0..).map(TreeNo).zip(&self.places);
        numbers.filter_map(|(tree, place)| place.map(|_| tree))
    }

    /// The subtrees of a tree, in the order of its nodes; none of one that was not met.
    pub(crate) fn subtrees(&self, tree: TreeNo) -> &[TreeNo] {
        let Some(spans) = self.places[tree.0 as usize] else { return &[] };
        &self.parts[spans.part as usize].subtrees[range(spans.subtrees)]
    }

    /// The data blobs of a tree's files, in the order of its nodes, repetitions among them.
    pub(crate) fn blobs(&self, tree: TreeNo) -> &[BlobNo] {
        let Some(spans) = self.places[tree.0 as usize] else { return &[] };
        &self.parts[spans.part as usize].blobs[range(spans.blobs)]
    }

    /// The forest without the trees that no root leads to; `None` if it lacks one that a root leads
    /// to.
    pub(crate) fn below(mut self, roots: &[TreeNo]) -> Option<Self> {
        let mut is_met = vec![false; self.numbers()];
        let mut waiting = roots.to_vec();
        while let Some(tree) = waiting.pop() {
            if !std::mem::replace(is_met.get_mut(tree.0 as usize)?, true) {
                self.places[tree.0 as usize]?;
                waiting.extend_from_slice(self.subtrees(tree));
            }
        }
        for (place, is_met) in self.places.iter_mut().zip(is_met) {
            *place = place.filter(|_| is_met);
        }
        Some(self)
    }

    /// Trees below `roots`, each after all trees that it lies in.
    pub(crate) fn downwards(&self, roots: &[TreeNo]) -> Vec<TreeNo> {
        let mut waiting = vec![0u32; self.numbers()];
        let mut is_met = vec![false; self.numbers()];
        let mut met: Vec<TreeNo> = Vec::new();
        let meet = |tree: TreeNo, is_met: &mut [bool], met: &mut Vec<TreeNo>| {
            if !std::mem::replace(&mut is_met[tree.0 as usize], true) {
                met.push(tree);
            }
        };
        roots.iter().for_each(|&root| meet(root, &mut is_met, &mut met));
        let mut next = 0;
        while let Some(&tree) = met.get(next) {
            next += 1;
            for &subtree in self.subtrees(tree) {
                waiting[subtree.0 as usize] += 1;
                meet(subtree, &mut is_met, &mut met);
            }
        }
        let mut order: Vec<TreeNo> =
            met.into_iter().filter(|tree| waiting[tree.0 as usize] == 0).collect();
        let mut next = 0;
        while let Some(&tree) = order.get(next) {
            next += 1;
            for &subtree in self.subtrees(tree) {
                let left = &mut waiting[subtree.0 as usize];
                *left -= 1;
                if *left == 0 {
                    order.push(subtree);
                }
            }
        }
        order
    }
}

fn range([start, end]: [u32; 2]) -> std::ops::Range<usize> {
    start as usize..end as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forest(rows: &[(u32, &[u32], &[u32])]) -> Forest {
        let mut parts = vec![Part::default(), Part::default()];
        for (row, (tree, subtrees, blobs)) in rows.iter().enumerate() {
            let part = &mut parts[row % 2];
            subtrees.iter().for_each(|&subtree| part.subtree(TreeNo(subtree)));
            blobs.iter().for_each(|&blob| part.blob(BlobNo(blob)));
            part.end(TreeNo(*tree));
        }
        Forest::new(parts, 10)
    }

    #[test]
    fn a_tree_comes_after_all_that_it_lies_in() {
        let rows: &[(u32, &[u32], &[u32])] =
            &[(0, &[1, 2], &[7]), (1, &[3], &[]), (2, &[1, 3, 3], &[8, 8]), (3, &[], &[9])];
        let forest = forest(rows);
        let order = forest.downwards(&[TreeNo(0), TreeNo(2)]);
        assert_eq!(order, [0, 2, 1, 3].map(TreeNo));
        assert_eq!(forest.downwards(&[TreeNo(1)]), [1, 3].map(TreeNo));
        assert_eq!(forest.blobs(TreeNo(2)), [8, 8].map(BlobNo));
        assert_eq!(forest.trees().collect::<Vec<_>>(), [0, 1, 2, 3].map(TreeNo));
        assert_eq!(forest.subtrees(TreeNo(5)), []);
        let below = forest.below(&[TreeNo(1)]).unwrap();
        assert_eq!(below.trees().collect::<Vec<_>>(), [1, 3].map(TreeNo));
        assert!(below.below(&[TreeNo(0)]).is_none(), "a root that it lacks");
    }
}
