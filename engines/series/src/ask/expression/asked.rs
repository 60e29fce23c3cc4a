//! An expression as it was read, and the error of a text that is none.

use std::fmt;

use crate::ask::selector::Selector;

/// What is asked.
#[derive(Clone, PartialEq, Debug)]
pub enum Expression {
    /// A number, computed.
    Number(f64),
    /// A string.
    String(Vec<u8>),
    /// Of each series one sample a step: the newest one that is not too old.
    Instant(Timed),
    /// Of each series the samples of a range, in milliseconds.
    Range(Timed, i64),
}

/// A selector and the times that it asks for.
#[derive(Clone, PartialEq, Debug)]
pub struct Timed {
    /// Which series.
    pub selector: Selector,
    /// How much earlier, in milliseconds.
    pub offset: i64,
    /// A time instead of that of the step.
    pub at: Option<At>,
}

/// A time that all steps share.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum At {
    /// Milliseconds since 1970.
    Time(i64),
    /// The first step's.
    Start,
    /// The last step's.
    End,
}

/// Error of a text that is no expression, or one that is PromQL beyond selectors.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExpressionError {
    /// Line and column of the byte, both from 1; of an empty text there is none.
    pub position: Option<(usize, usize)>,
    /// Description of the error; of PromQL beyond selectors what that is.
    pub what: String,
    /// Whether it is PromQL beyond selectors.
    pub is_beyond: bool,
}

impl fmt::Display for ExpressionError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.position {
            Some((line, column)) => write!(out, "{line}:{column}: ")?,
            None => out.write_str("unknown position: ")?,
        }
        let kind = if self.is_beyond { "PromQL beyond selectors" } else { "parse error" };
        write!(out, "{kind}: {}", self.what)
    }
}

impl std::error::Error for ExpressionError {}
