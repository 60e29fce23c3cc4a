//! The answer of a query row by row, each term in two texts.

use std::ops::ControlFlow;

use manicule_core::watch::Watch;
use manicule_graph::sparql::{DefaultGraphChoice, QueryForm, QueryLimits, query_form};
use oxrdf::{Literal, Term, Triple};

use super::answer::{AnswerCall, Part};
use super::error::Error;
use super::listed::ListedTerm;
use super::store::Store;

/// Arguments of solutions.
#[derive(Clone, Debug)]
pub struct SolutionsCall {
    /// The query.
    pub text: String,
    /// The default graph, where the query names none.
    pub default_graph: DefaultGraphChoice,
    /// What it may cost.
    pub limits: QueryLimits,
}

/// What its rows are of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SolutionsOf {
    /// These variables.
    Variables(Vec<String>),
    /// Yes or no, in one row of one term.
    Boolean,
    /// Subject, predicate and object.
    Triples,
}

impl SolutionsOf {
    /// Those of a query, which its text tells.
    ///
    /// # Errors
    /// A text that is no query, with the place.
    pub fn query(text: &str) -> Result<SolutionsOf, Error> {
        Ok(match query_form(text, None)? {
            QueryForm::Rows(names) => SolutionsOf::Variables(names),
            QueryForm::Boolean => SolutionsOf::Boolean,
            QueryForm::Triples => SolutionsOf::Triples,
        })
    }
}

/// Takes a row; whether it wants more.
type Take<'t> = &'t mut dyn FnMut(&[Option<ListedTerm>]) -> ControlFlow<()>;

impl Store {
    /// Asks a query, and hands out its answer as it is computed, until `take` breaks. Returns the
    /// number of rows.
    pub fn solutions(
        &self,
        call: &SolutionsCall,
        watch: &Watch<'_>,
        take: Take<'_>,
    ) -> Result<u64, Error> {
        let call = AnswerCall {
            text: call.text.clone(),
            base: None,
            default_graph: call.default_graph,
            dataset: None,
            limits: call.limits,
        };
        let mut count = 0;
        let mut give = |terms: &[Option<Term>]| {
            count += 1;
            let listed = terms.iter().map(|term| term.as_ref().map(ListedTerm::of_term));
            take(&listed.collect::<Vec<_>>())
        };
        self.answer(&call, watch, &mut |part| match part {
            Part::Variables(_) | Part::Triples => ControlFlow::Continue(()),
            Part::Boolean(answer) => give(&[Some(Literal::from(answer).into())]),
            Part::Row(row) => give(row.values()),
            Part::Triple(Triple { subject, predicate, object }) => {
                give(&[subject.into(), predicate.into(), object].map(Some))
            }
        })?;
        Ok(count)
    }
}
