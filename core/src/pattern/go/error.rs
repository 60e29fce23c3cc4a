//! Error of an expression, in Go's words.

use std::fmt;

/// Error of an expression, in Go's words. Of a long one only the beginning is shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SyntaxError {
    pub(super) what: &'static str,
    part: String,
}

/// The most characters of an expression that a message shows.
const SHOWN_LEN_MAX: usize = 200;

impl SyntaxError {
    pub(crate) fn new(what: &'static str, part: &str) -> SyntaxError {
        let part = match part.char_indices().nth(SHOWN_LEN_MAX) {
            None => part.to_owned(),
            Some((end, _)) => format!("{}...", &part[..end]),
        };
        SyntaxError { what, part }
    }
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "error parsing regexp: {}: `{}`", self.what, self.part)
    }
}

impl std::error::Error for SyntaxError {}
