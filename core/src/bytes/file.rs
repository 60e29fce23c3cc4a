//! Bytes of a file, of which some may still be elsewhere.

use std::ops::{Deref, Range};

use super::DecodeError;

/// Bytes of a file: all of them are at hand, or ranges are brought as they are wanted. Nobody looks
/// at a byte that he has not asked for by one of the two calls: until then it is zero, or what it
/// will be.
pub trait FileBytes: Deref<Target = [u8]> {
    /// Whether all bytes are at hand, so that none has to be asked for.
    #[inline]
    fn is_whole(&self) -> bool {
        true
    }

    /// Brings ranges that are going to be looked at, side by side, as far as the file has them.
    ///
    /// # Errors
    /// [`DecodeError::Unread`]; who holds the file says why.
    fn bring(&self, _: &[Range<u64>]) -> Result<(), DecodeError> {
        Ok(())
    }

    /// Brings a range that nobody has foreseen, and with it what may be asked for next.
    ///
    /// # Errors
    /// As [`FileBytes::bring`].
    fn need(&self, _: Range<u64>) -> Result<(), DecodeError> {
        Ok(())
    }
}

impl FileBytes for &[u8] {}

impl FileBytes for Vec<u8> {}
