//! Why a shard can't be opened.

use std::fmt;

use manicule_core::bytes::DecodeError;

/// Error of reading a shard, or a part of it.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// Bytes that contradict the format.
    Bytes(DecodeError),
    /// JSON that can't be read.
    Json {
        /// The section.
        what: &'static str,
        /// Its offset.
        at: u64,
        /// The error.
        source: serde_json::Error,
    },
    /// A shard of a version that can't be read: another format, features too old, or a writer too
    /// new.
    Version {
        /// Its version.
        what: &'static str,
        /// The nearest version that can be read.
        want: u32,
        /// The shard's.
        got: u32,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Bytes(error) => error.fmt(f),
            Error::Json { what, at, source } => write!(f, "{what} at offset {at}: {source}"),
            Error::Version { what, want, got } => {
                write!(f, "{what} is {got}; this program reads {want}")
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Bytes(error) => Some(error),
            Error::Json { source, .. } => Some(source),
            Error::Version { .. } => None,
        }
    }
}

impl From<DecodeError> for Error {
    fn from(error: DecodeError) -> Self {
        Error::Bytes(error)
    }
}
