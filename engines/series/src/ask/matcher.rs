//! Matchers: what a selector asks of one label.
//!
//! A series without the label has the value "" there. So `l=""`, `l!="x"` and `l=~".*"` also select
//! series without `l`.
//!
//! Bytes:   docs/formats/prometheus.md, section *Selectors*

use manicule_core::pattern::go::{Accepts, Regex, SyntaxError};

/// The label that holds the metric's name.
pub const METRIC_NAME: &str = "__name__";

/// Comparison operator of a matcher.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum MatchOp {
    /// `=`
    Equal,
    /// `!=`
    NotEqual,
    /// `=~`
    Regex,
    /// `!~`
    NotRegex,
}

impl MatchOp {
    /// As it is written in a selector.
    pub fn as_str(self) -> &'static str {
        match self {
            MatchOp::Equal => "=",
            MatchOp::NotEqual => "!=",
            MatchOp::Regex => "=~",
            MatchOp::NotRegex => "!~",
        }
    }

    /// Whether it selects what its value does not describe.
    pub fn is_negative(self) -> bool {
        matches!(self, MatchOp::NotEqual | MatchOp::NotRegex)
    }

    /// The operator that selects exactly the others.
    pub fn inverse(self) -> MatchOp {
        match self {
            MatchOp::Equal => MatchOp::NotEqual,
            MatchOp::NotEqual => MatchOp::Equal,
            MatchOp::Regex => MatchOp::NotRegex,
            MatchOp::NotRegex => MatchOp::Regex,
        }
    }
}

/// One condition on one label.
#[derive(Clone)]
pub struct Matcher {
    name: Vec<u8>,
    op: MatchOp,
    /// Value that it compares with; of a regex its text. One value, so that it can be lent as a
    /// list.
    value: [Vec<u8>; 1],
    regex: Option<Regex>,
}

/// Matchers are equal when they are written alike.
impl PartialEq for Matcher {
    fn eq(&self, other: &Matcher) -> bool {
        (&self.name, self.op, &self.value) == (&other.name, other.op, &other.value)
    }
}

impl Eq for Matcher {}

impl Matcher {
    /// A matcher; the error is that of its regular expression.
    pub fn new(
        name: impl Into<Vec<u8>>,
        op: MatchOp,
        value: impl Into<Vec<u8>>,
    ) -> Result<Matcher, SyntaxError> {
        let value = value.into();
        let regex = match op {
            MatchOp::Equal | MatchOp::NotEqual => None,
            MatchOp::Regex | MatchOp::NotRegex => Some(Regex::from_bytes(&value)?),
        };
        Ok(Matcher { name: name.into(), op, value: [value], regex })
    }

    /// The label's name; `__name__` for the metric.
    pub fn name(&self) -> &[u8] {
        &self.name
    }

    /// Its comparison operator.
    pub fn op(&self) -> MatchOp {
        self.op
    }

    /// The value compared with; of a regex its text.
    pub fn value(&self) -> &[u8] {
        &self.value[0]
    }

    /// Whether a series with this value (or "", if it has none) is selected.
    pub fn matches(&self, value: &[u8]) -> bool {
        self.describes(value) != self.op.is_negative()
    }

    /// Whether series without the label are selected.
    pub fn matches_empty(&self) -> bool {
        self.matches(b"")
    }

    /// Whether the value is one that the matcher's text describes: of `!=` and `!~` the ones that
    /// it does not select.
    pub fn describes(&self, value: &[u8]) -> bool {
        match &self.regex {
            None => value == self.value(),
            Some(regex) => regex.is_match(value),
        }
    }

    /// The values that the matcher's text describes, as far as is known without trying them: of
    /// `!=` and `!~` the ones that it does not select.
    pub fn described(&self) -> Accepts<'_> {
        match &self.regex {
            None => Accepts::Values(&self.value),
            Some(regex) => regex.accepts(),
        }
    }

    /// A text that each described value holds; empty if none is known.
    pub fn described_holds(&self) -> &[u8] {
        self.regex.as_ref().map_or(b"", Regex::holds)
    }

    /// The matcher that selects exactly the other series.
    pub fn inverse(&self) -> Matcher {
        Matcher { op: self.op.inverse(), ..self.clone() }
    }
}
