//! Errors of blocks that can't be decompressed.

use std::fmt;

use super::codec::Codec;

/// A block can't be decompressed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DecompressError {
    /// Bytes that the codec doesn't know, or a block that is longer than it has to be.
    Damaged {
        /// The codec.
        codec: Codec,
        /// Its library's reason.
        why: String,
    },
    /// A block that is shorter than it has to be.
    Length {
        /// The codec.
        codec: Codec,
        /// Length in bytes that the block has to have.
        want: u64,
        /// Length that it has.
        got: u64,
    },
    /// The dictionary can't be used.
    Dictionary {
        /// The library's reason.
        why: String,
    },
}

impl fmt::Display for DecompressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DecompressError::Damaged { codec, why } => {
                write!(f, "wanted a block of {}, got other bytes ({why})", codec.name())
            }
            DecompressError::Length { codec, want, got } => {
                write!(f, "block of {}: wanted {want} bytes, got {got}", codec.name())
            }
            DecompressError::Dictionary { why } => {
                write!(f, "wanted a dictionary of Zstandard, got other bytes ({why})")
            }
        }
    }
}

impl std::error::Error for DecompressError {}
