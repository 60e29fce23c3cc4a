//! Where an unfiltered was, as checks of indexes are given it.

use crate::deletion::Deletion;
use crate::prefix::Prefix;

/// A row or a marker of a partition; the static row is none.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// Distance from the partition's first byte.
    pub offset: u64,
    /// Length in bytes.
    pub len: u64,
    /// Its place among the others.
    pub prefix: Prefix<'a>,
    /// The range deletion that is open before it.
    pub open_before: Option<Deletion>,
    /// The range deletion that is open after it.
    pub open_after: Option<Deletion>,
}

/// The number that errors show of a deletion: its mark, 0 for none.
pub(crate) fn mark(deletion: Option<Deletion>) -> u64 {
    deletion.map_or(0, |deletion| deletion.marked_at as u64)
}
