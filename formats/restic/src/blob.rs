//! Blobs: their kinds, and their places in packs.

use std::fmt;

use crate::id::Id;
use crate::seal::ENVELOPE_LEN;

/// Kind of a blob. The same id as data and as tree names two different blobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BlobKind {
    /// A piece of a file's contents.
    Data,
    /// The list of a folder's nodes.
    Tree,
}

impl BlobKind {
    /// The word for it in index files and listings.
    pub fn name(self) -> &'static str {
        match self {
            BlobKind::Data => "data",
            BlobKind::Tree => "tree",
        }
    }
}

impl fmt::Display for BlobKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Where a blob lies in its pack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// Offset in the pack.
    pub offset: u32,
    /// Length as stored, in its envelope.
    pub len: u32,
    /// Length of the plaintext of a compressed blob; 0 where it isn't compressed.
    pub raw_len: u32,
}

impl Place {
    /// Whether the blob is stored as Zstandard.
    pub fn is_compressed(&self) -> bool {
        self.raw_len != 0
    }

    /// Length of the blob's plaintext. A stored length below that of an envelope, which is damage,
    /// counts as nothing.
    pub fn plain_len(&self) -> u32 {
        if self.is_compressed() {
            self.raw_len
        } else {
            self.len.saturating_sub(ENVELOPE_LEN as u32)
        }
    }

    /// Offset of the byte after it. More than 32 bits where place and length contradict each other.
    pub fn end(&self) -> u64 {
        u64::from(self.offset) + u64::from(self.len)
    }
}

/// A blob at its place in a pack, as index files and pack headers list it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PackedBlob {
    /// Its kind. `None` only in index files that don't say it, which restic accepts; it finds no
    /// blob by such an entry.
    pub kind: Option<BlobKind>,
    /// SHA-256 of its plaintext.
    pub id: Id,
    /// Its place.
    pub place: Place,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plaintext_is_as_long_as_its_place_says() {
        for (len, raw_len, want) in [(49, 8, 8), (49, 0, 17), (32, 0, 0), (5, 0, 0)] {
            let place = Place { offset: u32::MAX, len, raw_len };
            assert_eq!((place.plain_len(), place.is_compressed()), (want, raw_len != 0));
            assert_eq!(place.end(), u64::from(u32::MAX) + u64::from(len));
        }
    }
}
