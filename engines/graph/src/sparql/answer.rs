//! The answer of a query: rows and triples, computed as they are read.

use std::rc::Rc;

use oxrdf::{Triple, Variable};
use spareval::{QueryEvaluationError, QuerySolution, QuerySolutionIter};

use super::columns::Solutions;
use super::error::SparqlError;
use super::levels::{Leveled, Levels};
use super::session::{QueryWork, Session};
use crate::view::View;

/// Answer of a query. Rows and triples are computed as they are read.
pub enum Answer<'v> {
    /// Of SELECT.
    Rows(Rows<'v>),
    /// Of ASK.
    Boolean(bool, QueryWork),
    /// Of CONSTRUCT and DESCRIBE.
    Triples(Triples<'v>),
}

/// Rows of a SELECT.
pub struct Rows<'v> {
    pub(super) inner: Leveled<QuerySolutionIter<'v>>,
    pub(super) session: Rc<Session<'v>>,
}

impl<'v> Rows<'v> {
    pub(super) fn of_columns<V: View>(
        solutions: Solutions<'v, V>,
        session: Rc<Session<'v>>,
    ) -> Rows<'v> {
        let (variables, own) = (solutions.variables.clone(), solutions.variables.clone());
        let kept = session.clone();
        let rows = solutions.map_while(move |terms| match terms {
            Ok(terms) => Some(Ok((own.clone(), terms).into())),
            Err(error) => {
                // The first error is looked for when there is no row.
                kept.end(error);
                None
            }
        });
        let inner = QuerySolutionIter::new(variables, rows);
        Rows { inner: Leveled::new(inner, Levels::NONE), session }
    }

    /// The variables, in the order in which the query names them.
    pub fn variables(&self) -> &[Variable] {
        self.inner.get().variables()
    }

    /// The cost so far.
    pub fn work(&self) -> QueryWork {
        self.session.work()
    }
}

impl Iterator for Rows<'_> {
    type Item = Result<QuerySolution, SparqlError>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.inner.with(|inner| inner.next().map(|row| row.map_err(evaluation)));
        checked(next.unwrap_or_else(|error| Some(Err(error))), &self.session)
    }
}

/// Triples of a CONSTRUCT or DESCRIBE.
pub struct Triples<'v> {
    pub(super) inner: Leveled<Box<dyn Iterator<Item = Result<Triple, SparqlError>> + 'v>>,
    pub(super) session: Rc<Session<'v>>,
}

impl<'v> Triples<'v> {
    #[cfg(feature = "judge")]
    pub(super) fn of_rows(
        triples: impl Iterator<Item = Result<Triple, QueryEvaluationError>> + 'v,
        levels: Levels,
        session: Rc<Session<'v>>,
    ) -> Triples<'v> {
        let inner: Box<dyn Iterator<Item = _>> =
            Box::new(triples.map(|triple| triple.map_err(evaluation)));
        Triples { inner: Leveled::new(inner, levels), session }
    }

    /// The cost so far.
    pub fn work(&self) -> QueryWork {
        self.session.work()
    }
}

impl Iterator for Triples<'_> {
    type Item = Result<Triple, SparqlError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.session.has_all_rows() {
            return None;
        }
        let next = self.inner.with(Iterator::next);
        checked(next.unwrap_or_else(|error| Some(Err(error))), &self.session)
    }
}

/// What the evaluator gave, if nothing has gone wrong that it kept to itself.
fn checked<T>(
    item: Option<Result<T, SparqlError>>,
    session: &Session<'_>,
) -> Option<Result<T, SparqlError>> {
    if let Some(error) = session.take_error() {
        return Some(Err(error));
    }
    Some(item?.and_then(|item| session.pass_row().map(|()| item)))
}

pub(super) fn evaluation(error: QueryEvaluationError) -> SparqlError {
    SparqlError::Evaluation(error.to_string())
}
