//! Why an evaluation ends before its answer.

use super::super::error::SparqlError;

/// Why an evaluation ended.
#[derive(Debug)]
pub(in crate::sparql) enum Stop {
    /// It met something that isn't evaluated, or more rows than are counted.
    Unsupported(&'static str),
    /// Its tables need more memory than they may take.
    Memory(SparqlError),
    /// It failed, and so does the query.
    Failed(SparqlError),
}

impl From<Stop> for SparqlError {
    fn from(stop: Stop) -> SparqlError {
        match stop {
            Stop::Failed(error) | Stop::Memory(error) => error,
            Stop::Unsupported(what) => SparqlError::Evaluation(what.to_owned()),
        }
    }
}

/// A result, or why there is none.
pub(in crate::sparql) type Outcome<T> = Result<T, Stop>;
