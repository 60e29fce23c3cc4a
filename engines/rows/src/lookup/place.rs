//! The place of a partition, as an index says it.

use manicule_format_sstable::{Deletion, Promoted};

/// Where a partition lies, and what there is to search it by.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// Offset of the partition in the uncompressed data.
    pub(crate) position: u64,
    pub(crate) blocks: Blocks,
}

/// The index of a partition's blocks.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum Blocks {
    /// It is one block.
    #[default]
    One,
    /// In Index.db, whose promoted index begins there and is so long.
    Promoted { promoted: Promoted, index_bytes: u64 },
    /// In Rows.db: root of the trie, and the partition's deletion.
    Trie { root: u64, deletion: Deletion },
}
