//! What becomes of the partitions and rows that a salvage can read.

use manicule_format_sstable::{Deletion, Unfiltered};
use manicule_store::pages::Reading;

use crate::RowsError;

/// A partition that was found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FoundPartition<'a> {
    /// Its key as it lies in the file.
    pub(crate) key: &'a [u8],
    /// Whether the index has this key at its place.
    pub(crate) is_indexed: bool,
    /// Offset of the partition in the uncompressed data.
    pub(crate) at: u64,
    /// Offset of what follows its head and its static row.
    pub(crate) rows_at: u64,
    /// Its deletion; live if there is none.
    pub(crate) deletion: Deletion,
}

/// Takes what a salvage can read.
pub(crate) trait Keep {
    type Error: From<RowsError>;

    /// A partition begins; `Some` says why it can't be kept. Then it is walked, and nothing of it
    /// comes.
    fn begin(
        &mut self,
        found: &FoundPartition<'_>,
        reading: &mut Reading<'_>,
    ) -> Result<Option<String>, Self::Error>;

    /// A static row, a row or a marker of the partition; `Some` says why it can't be kept.
    fn keep(&mut self, unfiltered: &Unfiltered<'_>) -> Result<Option<String>, Self::Error>;

    /// A range tombstone marker may have been lost here.
    fn lost_marker(&mut self);

    /// The partition ends, or what can be read of it.
    fn end(&mut self) -> Result<(), Self::Error>;
}
