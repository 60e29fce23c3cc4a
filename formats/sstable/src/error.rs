//! Errors of components that have texts: bytes that contradict the format, and names that nothing
//! goes by.

use std::fmt;

use manicule_core::bytes::DecodeError;

use crate::types::TypeError;

/// Error of a component.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SstableError {
    /// The bytes contradict the format.
    Decode(DecodeError),
    /// Name of a type that can't be read.
    Type {
        /// What the type is of.
        what: &'static str,
        /// Offset of the name.
        at: u64,
        /// What is wrong with it.
        source: TypeError,
    },
    /// A text that is not what the format asks for.
    Text {
        /// What the text is.
        what: &'static str,
        /// Its offset.
        at: u64,
        /// What the format asks for.
        want: &'static str,
        /// The text, shortened.
        got: String,
    },
}

impl SstableError {
    /// Offset of the error.
    pub fn at(&self) -> u64 {
        match self {
            SstableError::Decode(error) => error.at(),
            SstableError::Type { at, .. } | SstableError::Text { at, .. } => *at,
        }
    }
}

impl fmt::Display for SstableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SstableError::Decode(error) => error.fmt(f),
            SstableError::Type { what, at, source } => write!(f, "{what} at offset {at}: {source}"),
            SstableError::Text { what, at, want, got } => {
                write!(f, "{what} at offset {at}: wanted {want}, got {got:?}")
            }
        }
    }
}

impl std::error::Error for SstableError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            SstableError::Decode(error) => Some(error),
            SstableError::Type { source, .. } => Some(source),
            SstableError::Text { .. } => None,
        }
    }
}

impl From<DecodeError> for SstableError {
    fn from(error: DecodeError) -> Self {
        SstableError::Decode(error)
    }
}
