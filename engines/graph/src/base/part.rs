//! What an order is made of after a merge: leaves that stay, and leaves that were made.

use std::sync::Arc;

use manicule_format_leaf::Id;

use super::leaf::BaseLeaf;

/// A leaf that was made: its file is not written yet.
#[derive(Clone, Debug)]
pub struct NewLeaf {
    /// Where its interval begins.
    pub separator: [Id; 4],
    /// Number of its rows.
    pub row_count: u32,
    /// The bytes of its file.
    pub bytes: Vec<u8>,
}

/// A leaf of an order after a merge.
#[derive(Clone, Debug)]
pub enum Part {
    /// A leaf that no change is in: the same file. Its interval may begin elsewhere, where the
    /// first leaf of the order has gone.
    Kept {
        /// The leaf.
        leaf: Arc<BaseLeaf>,
        /// Where its interval begins.
        separator: [Id; 4],
    },
    /// A leaf that was made.
    New(NewLeaf),
}

impl Part {
    /// Where its interval begins.
    pub fn separator(&self) -> [Id; 4] {
        match self {
            Part::Kept { separator, .. } | Part::New(NewLeaf { separator, .. }) => *separator,
        }
    }

    /// Number of its rows.
    pub fn row_count(&self) -> u64 {
        match self {
            Part::Kept { leaf, .. } => leaf.row().row_count,
            Part::New(leaf) => leaf.row_count.into(),
        }
    }

    pub(super) fn set_separator(&mut self, to: [Id; 4]) {
        match self {
            Part::Kept { separator, .. } | Part::New(NewLeaf { separator, .. }) => *separator = to,
        }
    }
}
