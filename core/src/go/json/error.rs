//! Error of a text that isn't the JSON that was wanted: where, wanted, got.

use std::fmt;

/// A text that isn't JSON, or whose value is of another kind than the one wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonError {
    /// Offset in the text, in bytes.
    pub at: u64,
    /// What the format wants there.
    pub want: &'static str,
    /// What is there.
    pub got: String,
}

impl JsonError {
    /// An error at an offset: also for callers, whose values have rules of their own.
    pub fn new(at: u64, want: &'static str, got: impl Into<String>) -> Self {
        JsonError { at, want, got: got.into() }
    }
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "JSON at offset {}: wanted {}, got {}", self.at, self.want, self.got)
    }
}

impl std::error::Error for JsonError {}
