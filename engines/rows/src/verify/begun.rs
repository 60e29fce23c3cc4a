//! The head of a partition that is verified.

use manicule_format_sstable::{Deletion, KeyHash};

/// The head of a partition, and where it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Begun<'k> {
    pub(super) key: &'k [u8],
    pub(super) hash: KeyHash,
    pub(super) position: u64,
    pub(super) deletion: Deletion,
}
