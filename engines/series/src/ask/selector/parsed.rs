//! A selector as it was read, and the error of one that was not.

use std::fmt;

use crate::ask::matcher::METRIC_NAME;
use crate::ask::matcher::{MatchOp, Matcher};

/// Conditions that a series has to satisfy, all of them. Without any, nothing is selected.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Selector {
    pub(super) matchers: Vec<Matcher>,
}

/// Error of a text that is no selector.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SelectorError {
    /// Line and column of the byte, both from 1; of an empty text there is none.
    pub position: Option<(usize, usize)>,
    /// Description of the error.
    pub what: String,
    /// Whether it stands where an expression of PromQL goes on that a selector is only a part of.
    pub is_expression: bool,
}

impl fmt::Display for SelectorError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.position {
            Some((line, column)) => write!(out, "{line}:{column}: parse error: {}", self.what),
            None => write!(out, "unknown position: parse error: {}", self.what),
        }
    }
}

impl std::error::Error for SelectorError {}

impl Selector {
    /// A selector of these matchers.
    pub fn new(matchers: Vec<Matcher>) -> Selector {
        Selector { matchers }
    }

    /// The selector that selects every series, also such without a metric's name.
    pub fn everything() -> Selector {
        let matcher = Matcher::new(METRIC_NAME, MatchOp::Regex, "(?s:.*)");
        Selector { matchers: vec![matcher.expect("an expression that Go takes")] }
    }

    /// Its matchers: the items as written, then the metric that stands before them.
    pub fn matchers(&self) -> &[Matcher] {
        &self.matchers
    }

    /// Whether a series is selected: `value` gives the value of a label, or "" if the series hasn't
    /// got it.
    ///
    /// This is the plain judge. An index is asked through its postings.
    pub fn selects<'a>(&self, mut value: impl FnMut(&[u8]) -> &'a [u8]) -> bool {
        let holds = |matcher: &Matcher| matcher.matches(value(matcher.name()));
        !self.matchers.is_empty() && self.matchers.iter().all(holds)
    }
}

/// Error at a byte of the text.
pub(in crate::ask) struct Fault {
    pub(in crate::ask) at: usize,
    pub(in crate::ask) what: String,
    pub(in crate::ask) is_expression: bool,
}

impl Fault {
    pub(in crate::ask) fn placed(self, text: &str) -> SelectorError {
        let before = &text.as_bytes()[..self.at];
        let line = 1 + memchr::memchr_iter(b'\n', before).count();
        let line_start = memchr::memrchr(b'\n', before).map_or(0, |at| at + 1);
        let position = (!text.is_empty()).then(|| (line, 1 + self.at - line_start));
        SelectorError { position, what: self.what, is_expression: self.is_expression }
    }
}
