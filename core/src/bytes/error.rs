//! What a decoder says of bytes that contradict their format: what, where, wanted, got.

use std::fmt;

/// Bytes that contradict their format. Offsets count from the start of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DecodeError {
    /// Fewer bytes than the format says. The file was cut, or a length is wrong.
    Short {
        /// What was being read.
        what: &'static str,
        /// Where it begins.
        at: u64,
        /// How many bytes it needs.
        need: u64,
        /// How many there are.
        have: u64,
    },
    /// A value that the format rules out.
    Corrupt {
        /// What was being read.
        what: &'static str,
        /// Where it stands.
        at: u64,
        /// The value, or the bound, that the format asks for.
        want: u64,
        /// The value that is there.
        got: u64,
    },
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DecodeError::Short { what, at, need, have } => {
                write!(f, "{what} at offset {at}: {need} bytes needed, {have} there")
            }
            DecodeError::Corrupt { what, at, want, got } => {
                write!(f, "{what} at offset {at}: wanted {want}, got {got}")
            }
        }
    }
}

impl std::error::Error for DecodeError {}
