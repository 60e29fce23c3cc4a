//! The answer of a query row by row, as terms of the RDF library.

use std::io::{self, Write};
use std::ops::ControlFlow;

use manicule_core::watch::Watch;
pub use manicule_graph::sparql::NamedDataset;
use manicule_graph::sparql::{
    Answer, DefaultGraphChoice, Evaluation, QueryLimits, QueryOptions, RowFormat, Solution,
    SparqlError, query, write_boolean as put_boolean, write_solutions as put_solutions,
};
use oxrdf::{Triple, Variable};

use super::error::Error;
use super::store::Store;

/// Arguments of an answer.
#[derive(Clone, Debug)]
pub struct AnswerCall {
    /// The query.
    pub text: String,
    /// What relative IRIs are resolved against.
    pub base: Option<String>,
    /// The default graph, where neither the query nor the call names one.
    pub default_graph: DefaultGraphChoice,
    /// Graphs that the call names: they take the place of those that the query does.
    pub dataset: Option<NamedDataset>,
    /// What it may cost.
    pub limits: QueryLimits,
}

/// A part of an answer.
#[derive(Debug)]
pub enum Part {
    /// Rows come, of these variables: the first part of a SELECT.
    Variables(Vec<Variable>),
    /// A row of them.
    Row(Solution),
    /// Triples come: the first part of a CONSTRUCT or DESCRIBE.
    Triples,
    /// One of them.
    Triple(Triple),
    /// Yes or no: the one part of an ASK.
    Boolean(bool),
}

impl Store {
    /// Asks a query, and hands out its answer as it is computed, until `take` breaks.
    pub fn answer(
        &self,
        call: &AnswerCall,
        watch: &Watch<'_>,
        take: &mut dyn FnMut(Part) -> ControlFlow<()>,
    ) -> Result<(), Error> {
        let options = QueryOptions {
            base: call.base.as_deref(),
            default_graph: call.default_graph,
            dataset: call.dataset.as_ref(),
            limits: call.limits,
            evaluation: Evaluation::Columns,
        };
        let snapshot = self.snapshot();
        let (first, parts): (_, &mut dyn Iterator<Item = Result<Part, SparqlError>>) =
            match query(&snapshot, &call.text, &options, watch)? {
                Answer::Boolean(answer, _) => (Part::Boolean(answer), &mut std::iter::empty()),
                Answer::Rows(rows) => {
                    let variables = rows.variables().to_vec();
                    (Part::Variables(variables), &mut rows.map(|row| row.map(Part::Row)))
                }
                Answer::Triples(triples) => {
                    (Part::Triples, &mut triples.map(|triple| triple.map(Part::Triple)))
                }
            };
        let mut flow = take(first);
        for part in parts {
            if flow.is_break() {
                break;
            }
            flow = take(part?);
        }
        Ok(())
    }
}

/// Writes rows of an answer as a document, which has no line end that its format doesn't ask for.
/// Where a row is an error, what was written before is not closed.
pub fn write_solutions(
    variables: &[Variable],
    rows: impl Iterator<Item = io::Result<Solution>>,
    format: RowFormat,
    out: &mut dyn Write,
) -> Result<(), Error> {
    let mut rows = rows.map(|row| row.map_err(SparqlError::from));
    Ok(put_solutions(variables, &mut rows, format, out)?)
}

/// Writes yes or no as a document, of one line.
pub fn write_boolean(answer: bool, format: RowFormat, out: &mut dyn Write) -> Result<(), Error> {
    Ok(put_boolean(answer, format, out)?)
}
