//! Regular expressions in Go's words, anchored at both ends as Prometheus's matchers are.
//!
//! Bytes:   docs/formats/prometheus.md, section *Regular expressions*
//! Callers: engines/series

use std::fmt;

/// An expression `^(?s:EXPR)$`, ready to judge values.
#[derive(Clone)]
pub struct Regex {
    program: regex_automata::meta::Regex,
    matches_empty: bool,
}

/// What an expression accepts, as far as its text alone tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Accepts<'a> {
    /// Every value, also the empty one.
    Everything,
    /// Every value but the empty one.
    NonEmpty,
    /// These values and no others: rising strictly, perhaps none.
    Values(&'a [Vec<u8>]),
    /// Every value that begins so.
    Prefix(&'a [u8]),
    /// Some of the values that begin so (the prefix may be empty): each has to be tried.
    Some {
        /// What each accepted value begins with.
        prefix: &'a [u8],
    },
}

/// Why an expression is refused, in Go's words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SyntaxError {
    what: String,
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "error parsing regexp: {}", self.what)
    }
}

impl std::error::Error for SyntaxError {}

impl Regex {
    /// Reads and compiles an expression.
    pub fn new(expression: &str) -> Result<Regex, SyntaxError> {
        let program = regex_automata::meta::Regex::new(&format!("^(?s:{expression})$"))
            .map_err(|error| SyntaxError { what: error.to_string() })?;
        let matches_empty = program.is_match("");
        Ok(Regex { program, matches_empty })
    }

    /// The same of bytes, which must be UTF-8.
    pub fn from_bytes(expression: &[u8]) -> Result<Regex, SyntaxError> {
        let text = std::str::from_utf8(expression);
        Regex::new(text.map_err(|_| SyntaxError { what: "invalid UTF-8".to_owned() })?)
    }

    /// Whether the whole value matches.
    pub fn is_match(&self, value: &[u8]) -> bool {
        self.program.is_match(value)
    }

    /// Whether the empty value matches.
    pub fn matches_empty(&self) -> bool {
        self.matches_empty
    }

    /// What the expression accepts.
    pub fn accepts(&self) -> Accepts<'_> {
        Accepts::Some { prefix: b"" }
    }
}
