//! The leaves of an order as one sequence of rows. A position is the number of a row in it.

use std::ops::Range;
use std::sync::Arc;

use manicule_format_leaf::{Id, Order};

use super::leaf::BaseLeaf;
use crate::error::GraphError;

/// The leaves of an order. Cloning shares them.
#[derive(Clone, Debug)]
pub struct LeafSet {
    order: Order,
    leaves: Arc<[Arc<BaseLeaf>]>,
    /// Positions at which the leaves begin, and at the end the count of rows.
    starts: Arc<[u64]>,
}

impl LeafSet {
    /// The leaves of an order, by their separators.
    ///
    /// Panics if one is of another order, or out of order: the manifest has them so.
    pub fn new(order: Order, leaves: Vec<Arc<BaseLeaf>>) -> Self {
        assert!(leaves.iter().all(|leaf| leaf.row().order == order), "leaves of {order:?}");
        let separators = || leaves.iter().map(|leaf| leaf.row().separator);
        assert!(separators().is_sorted_by(|left, right| left < right), "leaves are in order");
        let mut starts = vec![0];
        for leaf in &leaves {
            starts.push(starts[starts.len() - 1] + leaf.row().row_count);
        }
        LeafSet { order, leaves: leaves.into(), starts: starts.into() }
    }

    /// The order of the rows.
    pub fn order(&self) -> Order {
        self.order
    }

    /// The leaves, by their separators.
    pub fn leaves(&self) -> &[Arc<BaseLeaf>] {
        &self.leaves
    }

    /// Number of rows.
    pub fn row_count(&self) -> u64 {
        self.starts[self.leaves.len()]
    }

    /// The leaf that has the row at a position.
    fn leaf_at(&self, position: u64) -> usize {
        self.starts.partition_point(|start| *start <= position) - 1
    }

    /// The leaf whose interval a row is in: it begins with the leaf's separator, and ends before
    /// the next one's.
    pub fn leaf_of(&self, row: &[Id]) -> Option<usize> {
        // The first separator is below everything.
        self.leaves.partition_point(|leaf| leaf.row().separator[..row.len()] <= *row).checked_sub(1)
    }

    /// The positions of all rows whose first columns are `prefix`: as many as it is long. At most
    /// four blocks are looked into.
    pub fn range(&self, prefix: &[Id]) -> Result<Range<u64>, GraphError> {
        if prefix.is_empty() || self.leaves.is_empty() {
            return Ok(0..self.row_count());
        }
        let prefix = &prefix[..prefix.len().min(self.order.width())];
        let below =
            self.leaves.partition_point(|leaf| leaf.row().separator[..prefix.len()] < *prefix);
        let last = self.leaf_of(prefix).unwrap_or(0);
        let first = below.saturating_sub(1);
        let own = self.leaves[first].leaf().range(prefix);
        let own = own.map_err(|error| self.leaves[first].damaged(error))?;
        let start = self.starts[first] + u64::from(own.start);
        if first == last {
            return Ok(start..self.starts[first] + u64::from(own.end));
        }
        let end = self.leaves[last].leaf().upper_bound(prefix);
        let end = end.map_err(|error| self.leaves[last].damaged(error))?;
        Ok(start..self.starts[last] + u64::from(end))
    }

    /// Whether a row is there.
    pub fn contains(&self, row: &[Id; 4]) -> Result<bool, GraphError> {
        self.range(&row[..self.order.width()]).map(|positions| !positions.is_empty())
    }

    /// Where the block that has the row at a position ends; the end of all rows, if there is none.
    pub fn block_end(&self, position: u64) -> u64 {
        if position >= self.row_count() {
            return self.row_count();
        }
        let leaf = self.leaf_at(position);
        let (start, own) = (self.starts[leaf], self.leaves[leaf].leaf());
        start + u64::from(own.positions_of(own.block_at((position - start) as u32)).end)
    }

    /// Appends the ids of one column at a range of positions, as numbers.
    pub fn decode(
        &self,
        column: usize,
        positions: Range<u64>,
        out: &mut Vec<u64>,
    ) -> Result<(), GraphError> {
        let mut next = positions.start;
        while next < positions.end {
            let leaf = self.leaf_at(next);
            let end = self.starts[leaf + 1].min(positions.end);
            let own = (next - self.starts[leaf]) as u32..(end - self.starts[leaf]) as u32;
            let decoded = self.leaves[leaf].leaf().decode(column, own, out);
            decoded.map_err(|error| self.leaves[leaf].damaged(error))?;
            next = end;
        }
        Ok(())
    }
}
