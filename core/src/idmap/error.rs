//! Why an id map can't take more.

use std::fmt;

/// Why an id map can't take more entries. What it held before it still holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum GrowError {
    /// Entries have numbers of 32 bits, and all of them are taken. Divide the entries among several
    /// maps.
    Full {
        /// The most entries that a map takes.
        count_max: u32,
    },
    /// The system gives no more memory.
    Memory {
        /// Bytes that were asked for at once.
        bytes: u64,
    },
}

impl fmt::Display for GrowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GrowError::Full { count_max } => {
                write!(
                    f,
                    "id map: wanted room for one more entry, got the most already, {count_max}"
                )
            }
            GrowError::Memory { bytes } => {
                write!(f, "id map: wanted {bytes} bytes of memory, got none from the system")
            }
        }
    }
}

impl std::error::Error for GrowError {}
