//! A statement of a document that isn't one.

use std::fmt;

/// Where a document contradicts its syntax, and how.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Fault {
    /// The line, from 1; 0 where the parser doesn't say.
    pub line: u64,
    /// The character of the line, from 1; 0 where the parser doesn't say.
    pub column: u64,
    /// What is wrong.
    pub what: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.line, self.column) {
            (0, _) => f.write_str(&self.what),
            (line, column) => write!(f, "{line}:{column}: {}", self.what),
        }
    }
}
