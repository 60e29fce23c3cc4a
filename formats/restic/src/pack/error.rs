//! Errors of packs whose header can't be read.

use std::fmt;

use manicule_core::bytes::DecodeError;

use crate::seal::SealError;

/// Error of a pack whose header can't be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PackError {
    /// The bytes contradict the format. Offsets of entries count from the start of the header's
    /// plaintext, others from the start of the pack.
    Bytes(DecodeError),
    /// The header doesn't open.
    Sealed {
        /// Its offset in the pack.
        at: u64,
        /// Why.
        error: SealError,
    },
    /// The bytes at hand don't reach back to the start of the header: more have to be fetched.
    TooFew {
        /// Number of bytes needed, counted from the end of the pack.
        need: u64,
        /// The number there.
        have: u64,
    },
}

impl fmt::Display for PackError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PackError::Bytes(error) => error.fmt(f),
            PackError::Sealed { at, error } => write!(f, "pack header at offset {at}: {error}"),
            PackError::TooFew { need, have } => {
                write!(f, "end of the pack: wanted {need} bytes, got {have}")
            }
        }
    }
}

impl std::error::Error for PackError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            PackError::Bytes(error) => Some(error),
            PackError::Sealed { error, .. } => Some(error),
            PackError::TooFew { .. } => None,
        }
    }
}

impl From<DecodeError> for PackError {
    fn from(error: DecodeError) -> Self {
        PackError::Bytes(error)
    }
}
