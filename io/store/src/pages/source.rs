//! Where bytes come from, and how many reads they took.

use std::fmt;
use std::io;
use std::ops::Range;

use crate::store::Version;

manicule_core::counts! {
    /// What a query read, and what it found in the cache.
    pub struct ReadCounts {
        /// Reads: calls of the system, or requests.
        reads,
        /// Bytes that they read.
        read_bytes,
        /// Reads, or reads side by side, that had to wait for those before them.
        rounds,
        /// Pages and parsed values that were in the cache.
        cache_hits,
        /// Those that were not.
        cache_misses,
    }
}

/// An immutable file whose bytes can be read by range.
pub trait ByteSource: fmt::Debug + Send + Sync {
    /// Identity of its contents: bytes of two sources of one version are the same.
    fn version(&self) -> Version;

    /// Its length in bytes.
    fn len(&self) -> u64 {
        self.version().len()
    }

    /// Whether it has no bytes.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether a range can be read without a round that is dear.
    fn is_at_hand(&self, _: Range<u64>) -> bool {
        true
    }

    /// All of its bytes, where they can be read in place.
    fn mapped(&self) -> Option<&[u8]>;

    /// Fills `out` with the bytes from an offset on.
    ///
    /// # Errors
    /// Of the system; `UnexpectedEof` for a range that is not in the file.
    fn read_at(&self, at: u64, out: &mut [u8], counts: &mut ReadCounts) -> io::Result<()>;

    /// Fills each part with the bytes from its offset on: one round, whatever their number. Where
    /// waiting costs nothing they are read one after the other.
    ///
    /// # Errors
    /// As [`ByteSource::read_at`]; what the parts hold then is not said.
    fn read_parts(&self, parts: &mut [Part<'_>], counts: &mut ReadCounts) -> io::Result<()> {
        parts.iter_mut().try_for_each(|part| self.read_at(part.at, part.out, counts))
    }
}

/// A range that is wanted, and its buffer.
#[derive(Debug)]
pub struct Part<'o> {
    /// Offset of its first byte.
    pub at: u64,
    /// As many bytes as it has.
    pub out: &'o mut [u8],
}
