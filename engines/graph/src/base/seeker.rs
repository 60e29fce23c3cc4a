//! Counts of rows by prefixes that increase: each is looked for near the one before.

use manicule_format_leaf::Id;
use manicule_format_leaf::leaf::{Block, Leaf};

use super::leaf::BaseLeaf;
use super::set::LeafSet;
use crate::error::GraphError;

/// Looks for rows of an order, from the first to the last.
#[derive(Debug)]
pub struct Seeker<'s> {
    set: &'s LeafSet,
    /// Leaf and block of the last prefix.
    leaf: usize,
    block: usize,
    bound: Option<Block<'s>>,
}

impl<'s> Seeker<'s> {
    /// Begins before all rows.
    pub fn new(set: &'s LeafSet) -> Self {
        Seeker { set, leaf: 0, block: 0, bound: None }
    }

    /// Number of rows that begin with a prefix: not an empty one, and one that is above all that
    /// were asked for before.
    pub fn count(&mut self, prefix: &[Id]) -> Result<u64, GraphError> {
        let leaves = self.set.leaves();
        let is_leaf_below = |leaf: &BaseLeaf| leaf.row().separator[..prefix.len()] < *prefix;
        let below = seek(self.leaf, leaves.len(), |at| is_leaf_below(&leaves[at]));
        let Some(at) = below.checked_sub(1) else { return self.count_anywhere(prefix) };
        let owner = &leaves[at];
        let leaf: Leaf<'s> = owner.leaf();
        if at != self.leaf {
            (self.leaf, self.block, self.bound) = (at, 0, None);
        }
        let first_of = |block| leaf.first_of(block);
        let low =
            seek(self.block, leaf.block_count(), |block| first_of(block)[..prefix.len()] < *prefix);
        let is_next = |first: [Id; 4]| first[..prefix.len()] == *prefix;
        let goes_on = if low < leaf.block_count() {
            is_next(first_of(low))
        } else {
            leaves.get(at + 1).is_some_and(|next| is_next(next.row().separator))
        };
        let Some(block) = low.checked_sub(1).filter(|_| !goes_on) else {
            return self.count_anywhere(prefix);
        };
        if block != self.block {
            (self.block, self.bound) = (block, None);
        }
        let bound = match self.bound {
            Some(bound) => bound,
            None => leaf.block(block).map_err(|error| owner.damaged(error))?,
        };
        self.bound = Some(bound);
        Ok(bound.equal_rows(prefix).len() as u64)
    }

    /// For rows at the edges of blocks and leaves.
    fn count_anywhere(&self, prefix: &[Id]) -> Result<u64, GraphError> {
        let positions = self.set.range(prefix)?;
        Ok(if self.set.leaves().is_empty() { 0 } else { positions.end - positions.start })
    }
}

/// The first index from `from` on that isn't below, near ones in few steps; all before `from` are.
fn seek(from: usize, count: usize, is_below: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut step) = (from, 1);
    while low + step <= count && is_below(low + step - 1) {
        low += step;
        step *= 2;
    }
    let mut high = count.min(low + step - 1);
    while low < high {
        let middle = low.midpoint(high);
        if is_below(middle) { low = middle + 1 } else { high = middle }
    }
    low
}
