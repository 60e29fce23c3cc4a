//! Blocks of a partition, and how they are looked for.

use manicule_core::blocks::ReadCost;
use manicule_format_sstable::{Deletion, Prefix};

/// Whether the index of a partition's blocks is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seek {
    /// It is, with reads that cost this.
    Index(ReadCost),
    /// It isn't: each slice reads the partition from its start. For comparison.
    Scan,
}

/// A block.
#[derive(Clone, Debug)]
pub(crate) struct BlockPlace {
    /// Distance of its first unfiltered from the partition's first byte.
    pub(crate) offset: u64,
    /// The deletion open before it.
    pub(crate) open: Option<Deletion>,
    /// Its end, from the partition's first byte, where the index is sure of it.
    pub(crate) end: Option<u64>,
    /// An offset from the partition's first byte that the slice ends before, as blocks that were
    /// looked at anyway say.
    pub(crate) limit: Option<u64>,
    pub(super) token: Token,
}

/// Where a slice goes from a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Toward {
    /// Forward: what lies before the place is not wanted.
    End,
    /// In reverse: what lies after it is not.
    Start,
}

/// What of a partition is looked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted<'w> {
    /// Where the slice begins in its direction.
    pub(crate) place: &'w Prefix<'w>,
    /// Where it ends.
    pub(crate) until: &'w Prefix<'w>,
    /// Its direction.
    pub(crate) toward: Toward,
}

/// What the block is known by in its index.
#[derive(Clone, Debug)]
pub(super) enum Token {
    /// The only one.
    One,
    Number(u32),
    /// Its separator.
    Path(Vec<u8>),
}

impl BlockPlace {
    /// All of a partition's rows, which begin at an offset.
    pub(crate) fn whole(offset: u64) -> Self {
        BlockPlace { offset, open: None, end: None, limit: None, token: Token::One }
    }
}
