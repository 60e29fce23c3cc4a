//! Listing of a folder: the sum over its names that tells whether one came, went or became another
//! kind.
//!
//! Bytes:   docs/formats/tree.md, section *manifest*

use manicule_core::bytes::mix;

/// Kind of an entry in the sum of a listing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ListedKind {
    /// A file.
    File = 0,
    /// A folder.
    Folder = 1,
    /// Anything else.
    Rest = 2,
}

/// The names of a folder and their kinds, summed up in any order.
#[derive(Clone, Copy, Debug, Default)]
pub struct Listing(u64);

impl Listing {
    /// Adds an entry.
    #[inline]
    pub fn add(&mut self, name: &[u8], kind: ListedKind) {
        let words = name.chunks(8).map(|chunk| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            u64::from_le_bytes(word)
        });
        let hash = words.fold(name.len() as u64, mix);
        self.0 = self.0.wrapping_add(mix(hash, kind as u64));
    }

    /// The sum, as a manifest stores it.
    pub fn sum(self) -> u64 {
        self.0
    }
}

/// Orders paths name by name, as a sorted walk goes and a manifest's folders are.
pub fn by_name(left: &[u8], right: &[u8]) -> std::cmp::Ordering {
    left.split(|byte| *byte == b'/').cmp(right.split(|byte| *byte == b'/'))
}
