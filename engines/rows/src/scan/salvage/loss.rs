//! What a salvage could not read, or not trust.

use std::ops::Range;

/// A part of a table that is damaged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// What it is.
    pub kind: LossKind,
    /// Key of the partition as it lies in the file, where it is known.
    pub key: Option<Vec<u8>>,
    /// Its bytes: of the uncompressed data, but of [`LossKind::Index`] of no file, and empty.
    pub range: Range<u64>,
    /// Why it can't be read: file, place, wanted, got.
    pub why: String,
}

/// What is damaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossKind {
    /// A row or marker is lost.
    Row,
    /// Rows up to the next block of the index, or to the end of the partition.
    Rows,
    /// A partition, or its rest from the head on.
    Partition,
    /// The key of a partition in the data is not that of the index, which was taken.
    Key,
    /// Data that were kept, but don't have their checksum, or contradict themselves.
    Doubtful,
    /// What says where data lie, an entry of the index or the places of chunks: of the data nothing
    /// is lost by it.
    Index,
}

impl LossKind {
    /// Whether nothing of the data is missing from what was printed.
    pub fn is_printed(self) -> bool {
        matches!(self, LossKind::Key | LossKind::Doubtful | LossKind::Index)
    }
}
