//! The base of a generation: leaves of each order as one sequence of rows, and what becomes of them
//! when changes are merged in.

mod build;
mod carry;
mod edit;
mod gather;
mod leaf;
mod merge;
mod part;
mod rows;
mod seeker;
mod set;
#[cfg(test)]
mod tests;

pub use build::LeafCutter;
pub use carry::{CountRows, OrderedChanges, carry_on};
pub use gather::Gatherer;
pub use leaf::{BaseLeaf, LeafBytes};
pub use merge::merge_leaves;
pub use part::{NewLeaf, Part};
pub use rows::BaseRows;
pub use seeker::Seeker;
pub use set::LeafSet;

/// Rows of a leaf that writers aim at: 128 blocks, some 400 kB. A merge rewrites whole leaves, so
/// smaller ones write less for each change, and larger ones are fewer to map.
pub const LEAF_ROWS: u32 = 128 << 10;

/// Sizes of leaves that merges make.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LeafSizes {
    /// Rows of a leaf that are aimed at.
    pub rows: u32,
    /// When a leaf that grows becomes several.
    pub split: Split,
}

/// When a leaf that grows becomes several.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Split {
    /// When it would have more than twice the rows that are aimed at.
    AtTwice,
    /// Never.
    Never,
}

impl LeafSizes {
    /// [`LEAF_ROWS`], split at twice as many.
    pub const STANDARD: LeafSizes = LeafSizes { rows: LEAF_ROWS, split: Split::AtTwice };
}
