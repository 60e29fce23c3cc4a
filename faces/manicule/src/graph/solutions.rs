//! The answer of a query row by row, each term in two texts.

use std::ops::ControlFlow;

use manicule_core::watch::Watch;
use manicule_graph::sparql::{
    Answer, DefaultGraphChoice, Evaluation, QueryForm, QueryLimits, QueryOptions, query, query_form,
};
use oxrdf::{Literal, Term, Triple};

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
        let options = QueryOptions {
            base: None,
            default_graph: call.default_graph,
            dataset: None,
            limits: call.limits,
            evaluation: Evaluation::Columns,
        };
        let snapshot = self.snapshot();
        let mut count = 0;
        let mut take = |terms: &[Option<Term>]| {
            count += 1;
            let listed = terms.iter().map(|term| term.as_ref().map(ListedTerm::of_term));
            take(&listed.collect::<Vec<_>>())
        };
        match query(&snapshot, &call.text, &options, watch)? {
            Answer::Boolean(answer, _) => {
                let _ = take(&[Some(Literal::from(answer).into())]);
            }
            Answer::Rows(rows) => {
                for row in rows {
                    if take(row?.values()).is_break() {
                        break;
                    }
                }
            }
            Answer::Triples(triples) => {
                for triple in triples {
                    let Triple { subject, predicate, object } = triple?;
                    let terms = [subject.into(), predicate.into(), object].map(Some);
                    if take(&terms).is_break() {
                        break;
                    }
                }
            }
        }
        Ok(count)
    }
}
