//! Error of a query or an update.

use std::fmt;
use std::io;

use manicule_core::ErrorClass;
use manicule_core::watch::Stopped;
use manicule_store::context::OverBudget;

use crate::error::GraphError;

/// Error of a query or an update.
#[derive(Debug)]
#[non_exhaustive]
pub enum SparqlError {
    /// The text is not SPARQL 1.2; the sentence has the line and column.
    Syntax(String),
    /// The store can't be read or written, or the watch ended the call.
    Store(GraphError),
    /// A limit of the caller's was passed.
    Limit {
        /// What there was too much of.
        what: &'static str,
        /// The limit.
        max: u64,
    },
    /// Other calls hold the memory.
    Memory(OverBudget),
    /// The text has more parts inside each other than are read.
    Deep {
        /// The parts.
        what: &'static str,
        /// The maximum of them.
        max: u32,
        /// Their number.
        got: u32,
    },
    /// The query can't be evaluated: a function that there is none of, a SERVICE.
    Evaluation(String),
    /// An operation of an update can't be done, for a reason that SILENT would have passed over.
    Refused(String),
    /// The answer can't be written.
    Output(io::Error),
    /// Rows can't be put into a temporary file, or read from it.
    Spill(io::Error),
}

impl SparqlError {
    /// Line and column, from 1, at which a text stops being SPARQL.
    pub fn place(&self) -> Option<(u64, u64)> {
        match self {
            SparqlError::Syntax(words) => said(words),
            _ => None,
        }
    }

    /// Class of the error.
    pub fn class(&self) -> ErrorClass {
        match self {
            SparqlError::Store(error) => error.class(),
            SparqlError::Syntax(_) | SparqlError::Refused(_) => ErrorClass::Asked,
            SparqlError::Limit { .. } | SparqlError::Deep { .. } => ErrorClass::TooMuch,
            SparqlError::Memory(over) => over.class(),
            SparqlError::Evaluation(_) => ErrorClass::Unsupported,
            SparqlError::Output(_) | SparqlError::Spill(_) => ErrorClass::Failed,
        }
    }
}

impl fmt::Display for SparqlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SparqlError::Syntax(why) => write!(f, "not SPARQL 1.2: {why}"),
            SparqlError::Store(source) => source.fmt(f),
            SparqlError::Limit { what, max } => {
                write!(f, "the limit of {max} {what} was passed; raise it, or ask for less")
            }
            SparqlError::Memory(over) => over.fmt(f),
            SparqlError::Deep { what, max, got } => {
                write!(f, "{got} {what}: the maximum is {max}; ask in several parts")
            }
            SparqlError::Evaluation(why) => write!(f, "can't be evaluated: {why}"),
            SparqlError::Refused(why) => f.write_str(why),
            SparqlError::Output(source) => write!(f, "the answer can't be written: {source}"),
            SparqlError::Spill(source) => {
                write!(f, "rows can't be put into a temporary file: {source}")
            }
        }
    }
}

// Causes are part of the error's own words.
impl std::error::Error for SparqlError {}

impl From<GraphError> for SparqlError {
    fn from(source: GraphError) -> Self {
        SparqlError::Store(source)
    }
}

impl From<Stopped> for SparqlError {
    fn from(stopped: Stopped) -> Self {
        SparqlError::Store(GraphError::Stopped(stopped))
    }
}

impl From<io::Error> for SparqlError {
    fn from(source: io::Error) -> Self {
        SparqlError::Output(source)
    }
}

/// Line and column, from 1, with which the words of an error of syntax begin.
fn said(words: &str) -> Option<(u64, u64)> {
    let (line, rest) = words.strip_prefix("line ")?.split_once(", column ")?;
    let (column, _) = rest.split_once(':')?;
    Some((line.parse().ok()?, column.parse().ok()?))
}
