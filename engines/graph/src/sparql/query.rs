//! A query: its text is parsed, its faults mended, its joins put in order; then it is evaluated as its answer is read.
//!
//! Callers: faces/manicule, proof/graphs

use std::rc::Rc;

use manicule_core::watch::Watch;
use oxrdf::{NamedNode, NamedOrBlankNode, Term, Triple, Variable};
use spareval::{QueryEvaluationError, QueryEvaluator, QueryResults, QuerySolutionIter};
use spareval::{QuerySolution, QueryTripleIter};
use spargebra::algebra::QueryDataset;
use spargebra::{Query, SparqlParser};

use super::dataset::{Dataset, DefaultGraph};
use super::error::SparqlError;
use super::session::{QueryLimits, QueryWork, Session};
use super::terms::with_term_ref;
use crate::GraphError;
use crate::quad::GraphChoice;
use crate::view::View;

/// What the default graph of a query is, where neither the query nor the call names graphs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DefaultGraphChoice {
    /// The default graph of the store.
    Own,
    /// The union of the default graph and all named graphs.
    Union,
}

/// Graphs that a call names: they take the place of the query's own FROM and FROM NAMED.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedDataset {
    /// IRIs of the graphs whose union is the default graph.
    pub default: Vec<String>,
    /// IRIs of the named graphs.
    pub named: Vec<String>,
}

/// How a query is asked.
#[derive(Clone, Copy, Debug)]
pub struct QueryOptions<'q> {
    /// Base of relative IRIs.
    pub base: Option<&'q str>,
    /// The default graph.
    pub default_graph: DefaultGraphChoice,
    /// Graphs that the call names.
    pub dataset: Option<&'q NamedDataset>,
    /// What it may cost.
    pub limits: QueryLimits,
}

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
    inner: QuerySolutionIter<'v>,
    session: Rc<Session<'v>>,
}

impl Rows<'_> {
    /// The variables, in the order in which the query names them.
    pub fn variables(&self) -> &[Variable] {
        self.inner.variables()
    }

    /// The cost so far.
    pub fn work(&self) -> QueryWork {
        self.session.work()
    }
}

impl Iterator for Rows<'_> {
    type Item = Result<QuerySolution, SparqlError>;

    fn next(&mut self) -> Option<Self::Item> {
        checked(self.inner.next(), &self.session)
    }
}

/// Triples of a CONSTRUCT or DESCRIBE.
pub struct Triples<'v> {
    inner: QueryTripleIter<'v>,
    session: Rc<Session<'v>>,
}

impl Triples<'_> {
    /// The cost so far.
    pub fn work(&self) -> QueryWork {
        self.session.work()
    }
}

impl Iterator for Triples<'_> {
    type Item = Result<Triple, SparqlError>;

    fn next(&mut self) -> Option<Self::Item> {
        checked(self.inner.next(), &self.session)
    }
}

/// What the evaluator gave, if nothing has gone wrong that it kept to itself.
fn checked<T>(
    item: Option<Result<T, QueryEvaluationError>>,
    session: &Session<'_>,
) -> Option<Result<T, SparqlError>> {
    if let Some(error) = session.take_error() {
        return Some(Err(error));
    }
    Some(match item? {
        Ok(item) => session.pass_row().map(|()| item),
        Err(error) => Err(SparqlError::Evaluation(error.to_string())),
    })
}

/// Asks a query of a view.
pub fn query<'v, V: View>(
    view: &'v V,
    text: &str,
    options: &QueryOptions<'_>,
    watch: &'v Watch<'v>,
) -> Result<Answer<'v>, SparqlError> {
    let query = parse(text, options.base)?;
    let session = Rc::new(Session::new(watch, options.limits, None));
    let named = dataset_of(&query, options);
    let default_graph = default_graph(view, named.as_ref(), options.default_graph)?;
    let dataset = Dataset::new(view, session.clone(), default_graph);
    let evaluator = QueryEvaluator::new();
    let mut prepared = evaluator.prepare(&query);
    let specification = prepared.dataset_mut();
    specification.set_default_graph(vec![oxrdf::GraphName::DefaultGraph]);
    if let Some(graphs) = named {
        let names = graphs.named.into_iter().map(NamedNode::new_unchecked);
        specification.set_available_named_graphs(names.map(NamedOrBlankNode::from).collect());
    }
    let results = prepared.execute(dataset);
    if let Some(error) = session.take_error() {
        return Err(error);
    }
    Ok(match results.map_err(|error| SparqlError::Evaluation(error.to_string()))? {
        QueryResults::Solutions(inner) => Answer::Rows(Rows { inner, session }),
        QueryResults::Boolean(answer) => Answer::Boolean(answer, session.work()),
        QueryResults::Graph(inner) => Answer::Triples(Triples { inner, session }),
    })
}

fn parse(text: &str, base: Option<&str>) -> Result<Query, SparqlError> {
    let mut parser = SparqlParser::new();
    if let Some(base) = base {
        let wrong = |error| SparqlError::Syntax(format!("base IRI {base}: {error}"));
        parser = parser.with_base_iri(base).map_err(wrong)?;
    }
    parser.parse_query(text).map_err(|error| SparqlError::Syntax(error.to_string()))
}

/// The graphs that the call names, or else those that the query does.
fn dataset_of(query: &Query, options: &QueryOptions<'_>) -> Option<NamedDataset> {
    options.dataset.cloned().or_else(|| query.dataset().map(named_dataset))
}

/// FROM and FROM NAMED as names.
pub(crate) fn named_dataset(dataset: &QueryDataset) -> NamedDataset {
    let texts = |nodes: &[NamedNode]| nodes.iter().map(|node| node.as_str().to_owned()).collect();
    NamedDataset {
        default: texts(&dataset.default),
        named: texts(dataset.named.as_deref().unwrap_or_default()),
    }
}

/// The default graph of a query over a view.
pub(crate) fn default_graph<V: View>(
    view: &V,
    named: Option<&NamedDataset>,
    choice: DefaultGraphChoice,
) -> Result<DefaultGraph, GraphError> {
    let Some(graphs) = named else {
        return Ok(match choice {
            DefaultGraphChoice::Own => DefaultGraph::One(GraphChoice::Default),
            DefaultGraphChoice::Union => {
                DefaultGraph::Union([GraphChoice::Default, GraphChoice::AnyNamed].into())
            }
        });
    };
    let mut choices = Vec::new();
    for iri in &graphs.default {
        let term = Term::from(NamedNode::new_unchecked(iri.as_str()));
        let found = with_term_ref(&term, |term| view.find_term(term)).transpose()?;
        choices.extend(found.flatten().map(GraphChoice::Named));
    }
    Ok(match choices.as_slice() {
        [one] => DefaultGraph::One(*one),
        _ => DefaultGraph::Union(choices.into()),
    })
}
