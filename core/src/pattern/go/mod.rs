//! Regular expressions in Go's words, anchored at both ends as Prometheus's matchers are.
//!
//! An expression is asked about many values of a label, each of a few dozen bytes. So it is looked
//! at once more than a search would: whether it names a few values, or texts in a row with anything
//! between them; if not, whether its automaton is small enough to be laid out at once. Only what is
//! left goes to an automaton that is built as it runs.
//!
//! The road: `parse` makes the tree, with `class` for what stands in brackets and after
//! backslashes, `shape` looks at it, `judge` runs it; `replace` asks what its groups hold.
//!
//! Bytes:   docs/formats/prometheus.md, section *Regular expressions*

mod class;
mod error;
mod judge;
mod parse;
mod replace;
mod shape;
#[cfg(test)]
mod tests;

pub use error::SyntaxError;

use judge::Judge;
pub use replace::{Replace, Template};
use std::fmt;
use std::sync::Arc;

/// An expression `^(?s:EXPR)$`, ready to judge values.
#[derive(Clone)]
pub struct Regex {
    judge: Arc<Judge>,
    prefix: Vec<u8>,
    matches_empty: bool,
}

impl fmt::Debug for Regex {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Regex({:?})", self.accepts())
    }
}

/// The values that an expression accepts, as far as its text alone shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Accepts<'a> {
    /// Every value, also the empty one.
    Everything,
    /// Every value but the empty one.
    NonEmpty,
    /// These values and no others: strictly increasing, perhaps none.
    Values(&'a [Vec<u8>]),
    /// Every value that begins so.
    Prefix(&'a [u8]),
    /// Some of the values that begin so (the prefix may be empty): each has to be tried.
    Some {
        /// Prefix of each accepted value.
        prefix: &'a [u8],
    },
}

impl Regex {
    /// Reads and compiles an expression.
    pub fn new(expression: &str) -> Result<Regex, SyntaxError> {
        if let Some(judge) = plain_values(expression.as_bytes()) {
            return Ok(Regex::of(judge, Vec::new()));
        }
        let hir = parse::parse(expression)?;
        let prefix = shape::prefix(&hir);
        // Go would go on without a limit of its own; here the automaton has one.
        let judge =
            Judge::new(hir).ok_or_else(|| SyntaxError::new("expression too large", expression))?;
        Ok(Regex::of(judge, prefix))
    }

    /// The same of bytes. Bytes that are not valid UTF-8 are only taken in values that stand for
    /// themselves, as Prometheus does.
    pub fn from_bytes(expression: &[u8]) -> Result<Regex, SyntaxError> {
        match (std::str::from_utf8(expression), plain_values(expression)) {
            (Ok(text), _) => Regex::new(text),
            (Err(_), Some(judge)) => Ok(Regex::of(judge, Vec::new())),
            (Err(error), None) => {
                let rest = String::from_utf8_lossy(&expression[error.valid_up_to()..]);
                Err(SyntaxError::new("invalid UTF-8", &rest))
            }
        }
    }

    fn of(judge: Judge, prefix: Vec<u8>) -> Regex {
        let matches_empty = judge.is_match(b"");
        Regex { judge: Arc::new(judge), prefix, matches_empty }
    }

    /// Whether the whole value matches.
    #[inline]
    pub fn is_match(&self, value: &[u8]) -> bool {
        self.judge.is_match(value)
    }

    /// Whether the empty value matches.
    pub fn matches_empty(&self) -> bool {
        self.matches_empty
    }

    /// A text that every accepted value holds, besides what it begins with; empty if none is known.
    pub fn holds(&self) -> &[u8] {
        match &*self.judge {
            Judge::Glob(glob) => glob.longest(),
            _ => b"",
        }
    }

    /// The values that the expression accepts.
    pub fn accepts(&self) -> Accepts<'_> {
        match &*self.judge {
            Judge::Values(values, _) => Accepts::Values(values),
            Judge::Glob(glob) => match (glob.prefix(), glob.only_gap()) {
                (b"", Some(0)) => Accepts::Everything,
                (b"", Some(1)) => Accepts::NonEmpty,
                (prefix, Some(0)) => Accepts::Prefix(prefix),
                (prefix, _) => Accepts::Some { prefix },
            },
            _ => Accepts::Some { prefix: &self.prefix },
        }
    }
}

/// Values that are written out with bars between them and nothing else: people have lists of
/// thousands, and a tree of those takes 5 us a value.
fn plain_values(expression: &[u8]) -> Option<Judge> {
    if expression.iter().any(|byte| br"\.+*?()[]{}^$".contains(byte)) {
        return None;
    }
    let mut values: Vec<Vec<u8>> =
        expression.split(|byte| *byte == b'|').map(<[u8]>::to_vec).collect();
    values.sort_unstable();
    values.dedup();
    Some(Judge::values(values))
}
