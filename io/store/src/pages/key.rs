//! Names of things in the cache: a file, what kind of thing, and where it lies there.

use manicule_core::bytes::mix;

use crate::store::Version;

/// The kind of pages. Parsed values have kinds from 1, chosen by those who parse.
pub const PAGE_KIND: u8 = 0;

/// What the cache knows a thing by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Key {
    pub(super) file: Version,
    pub(super) kind: u8,
    pub(super) at: u64,
}

impl Key {
    pub(super) fn hash(&self, seed: u64) -> u64 {
        mix(self.file.hash(seed), self.at << 8 | u64::from(self.kind))
    }
}
