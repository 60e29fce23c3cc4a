//! Where bytes come from, and how many reads they took.

use std::fmt;
use std::io;

use super::key::FileKey;

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
    /// Its identity. Bytes of two sources with the same one are the same.
    fn key(&self) -> FileKey;

    /// Its length in bytes.
    fn len(&self) -> u64;

    /// Whether it has no bytes.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All of its bytes, where they can be read in place.
    fn mapped(&self) -> Option<&[u8]>;

    /// Fills `out` with the bytes from an offset on.
    ///
    /// # Errors
    /// Of the system; `UnexpectedEof` for a range that is not in the file.
    fn read_at(&self, at: u64, out: &mut [u8], counts: &mut ReadCounts) -> io::Result<()>;
}
