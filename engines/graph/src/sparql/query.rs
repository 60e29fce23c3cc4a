//! A query: its text is parsed, its scopes, paths and graphs are made what the recommendation says;
//! then it is planned and run, and its terms are read as its answer is.

use std::mem;
use std::rc::Rc;

use manicule_core::watch::Watch;
use oxrdf::{GraphName, NamedOrBlankNode};
use spargebra::algebra::{GraphPattern, QueryDataset};
use spargebra::{Query, SparqlParser};

use super::answer::{Answer, Rows, Triples};
use super::columns::{self, Trace};
use super::error::SparqlError;
use super::explain::Operator;
use super::graphs::{DefaultGraph, DefaultGraphChoice, NamedDataset, QueryGraphs, default_graph};
use super::levels::{Leveled, Levels};
use super::place::refusal;
use super::rewrite::{Fresh, shape, with_time, without_open_triples};
use super::session::{QueryLimits, Session};
use super::text::{QueryText, query_text};
use super::view_counts::ViewCounts;
use crate::snapshot::Snapshot;
use crate::view::View;

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

/// Asks a query of a snapshot.
///
/// [`query_view`] for the one view that programs have: compiled here, once, and not in each crate
/// that asks.
pub fn query<'v>(
    snapshot: &'v Snapshot,
    text: &str,
    options: &QueryOptions<'_>,
    watch: &'v Watch<'v>,
) -> Result<Answer<'v>, SparqlError> {
    query_view(snapshot, text, options, watch)
}

/// Asks a query of a view.
pub fn query_view<'v, V: View>(
    view: &'v V,
    text: &str,
    options: &QueryOptions<'_>,
    watch: &'v Watch<'v>,
) -> Result<Answer<'v>, SparqlError> {
    let levels = Levels::of(text)?;
    levels.run(|| ask(view, parse(text, options.base)?, options, levels, watch))?
}

/// Asks a query that is parsed, on a stack for its levels.
pub(super) fn ask<'v, V: View>(
    view: &'v V,
    query: Query,
    options: &QueryOptions<'_>,
    levels: Levels,
    watch: &'v Watch<'v>,
) -> Result<Answer<'v>, SparqlError> {
    Shaped::new(view, query, options, levels, watch)?.opened().answer(view, None)
}

/// A query before its evaluation, whose scopes, paths and graphs mean what the recommendation says.
pub(super) struct Shaped<'v> {
    pub(super) query: Rc<Query>,
    pub(super) session: Rc<Session<'v>>,
    pub(super) default_graph: DefaultGraph,
    pub(super) named: Option<NamedDataset>,
    levels: Levels,
    /// The hidden variables that it has.
    fresh: Fresh,
}

impl<'v> Shaped<'v> {
    pub(super) fn new<V: View>(
        view: &'v V,
        mut query: Query,
        options: &QueryOptions<'_>,
        levels: Levels,
        watch: &'v Watch<'v>,
    ) -> Result<Shaped<'v>, SparqlError> {
        watch.check()?;
        let named = dataset_of(&query, options);
        let default_graph = default_graph(view, named.as_ref(), options.default_graph)?;
        let session = Rc::new(Session::new(watch, options.limits));
        let mut fresh = Fresh::default();
        let counts = ViewCounts::new(view, &session, &default_graph);
        let is_node = |term: &_, graph: Option<&_>| counts.is_node(term, graph);
        take_rows(&mut query, options.limits.rows_taken);
        let pattern = pattern_of(&mut query);
        *pattern = shape(with_time(mem::take(pattern)), &is_node, &mut fresh);
        counts.check()?;
        Ok(Shaped { query: Rc::new(query), session, default_graph, named, levels, fresh })
    }

    /// The query as `columns` plans it.
    pub(super) fn opened(mut self) -> Self {
        let pattern = pattern_of(Rc::make_mut(&mut self.query));
        *pattern = without_open_triples(mem::take(pattern), &mut self.fresh);
        self
    }

    /// The answer. A trace learns what each operator did.
    pub(super) fn answer<V: View>(
        &self,
        view: &'v V,
        trace: Option<Rc<Trace>>,
    ) -> Result<Answer<'v>, SparqlError> {
        let (request, session) = (self.request(view, trace)?, &self.session);
        let triples = |inner| {
            let inner = Leveled::new(inner, Levels::NONE);
            Answer::Triples(Triples { inner, session: session.clone() })
        };
        Ok(match &*self.query {
            Query::Select { .. } => {
                Answer::Rows(Rows::of_columns(request.select()?, session.clone()))
            }
            Query::Construct { template, .. } => triples(Box::new(request.construct(template)?)),
            Query::Describe { .. } => triples(Box::new(request.describe()?)),
            Query::Ask { .. } => Answer::Boolean(request.ask()?, session.work()),
        })
    }

    /// The plan, with what was traced of its operators if it was run.
    pub(super) fn plan<V: View>(
        &self,
        view: &'v V,
        trace: Option<Rc<Trace>>,
    ) -> Result<Operator, SparqlError> {
        Ok(self.request(view, trace)?.plan()?)
    }

    fn request<V: View>(
        &self,
        view: &'v V,
        trace: Option<Rc<Trace>>,
    ) -> Result<columns::Request<'v, V>, SparqlError> {
        let graphs = QueryGraphs::new(view, self.default_graph.clone(), self.named.as_ref())?;
        let (query, session) = (self.query.clone(), self.session.clone());
        let levels = self.levels;
        Ok(columns::Request { view, graphs, query, session, levels, trace })
    }
}

/// Ends the rows of a SELECT after some of them, as LIMIT does: so it is planned as one that ends
/// there.
fn take_rows(query: &mut Query, rows_taken: u64) {
    let Query::Select { pattern, .. } = query else { return };
    let Ok(taken) = usize::try_from(rows_taken) else { return };
    if rows_taken == u64::MAX {
        return;
    }
    match pattern {
        GraphPattern::Slice { length, .. } => {
            *length = Some(length.map_or(taken, |length| length.min(taken)));
        }
        _ => {
            let inner = Box::new(mem::take(pattern));
            *pattern = GraphPattern::Slice { inner, start: 0, length: Some(taken) };
        }
    }
}

/// The pattern of a query.
pub(super) fn pattern_of(query: &mut Query) -> &mut GraphPattern {
    let (Query::Select { pattern, .. }
    | Query::Construct { pattern, .. }
    | Query::Describe { pattern, .. }
    | Query::Ask { pattern, .. }) = query;
    pattern
}

/// Whether a text is a query of SPARQL 1.2.
///
/// # Errors
/// If it isn't, with the place.
pub fn check_query(text: &str, base: Option<&str>) -> Result<(), SparqlError> {
    Levels::of(text)?.run(|| parse(text, base).map(drop))?
}

/// Whether a query gives triples, and not rows or yes or no.
///
/// # Errors
/// If it isn't one, with the place.
pub fn gives_triples(text: &str, base: Option<&str>) -> Result<bool, SparqlError> {
    Ok(query_form(text, base)? == QueryForm::Triples)
}

/// What a query answers with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum QueryForm {
    /// Rows of these variables, in their order.
    Rows(Vec<String>),
    /// Yes or no.
    Boolean,
    /// Triples.
    Triples,
}

/// What a query answers with, which its text tells.
///
/// # Errors
/// If it isn't one, with the place.
pub fn query_form(text: &str, base: Option<&str>) -> Result<QueryForm, SparqlError> {
    let form = |query: Query| match &query {
        Query::Select { pattern, .. } => QueryForm::Rows(projected(pattern)),
        Query::Ask { .. } => QueryForm::Boolean,
        Query::Construct { .. } | Query::Describe { .. } => QueryForm::Triples,
    };
    Levels::of(text)?.run(|| parse(text, base).map(form))?
}

/// The variables of the outermost projection.
fn projected(pattern: &GraphPattern) -> Vec<String> {
    match pattern {
        GraphPattern::Slice { inner, .. }
        | GraphPattern::Distinct { inner }
        | GraphPattern::Reduced { inner } => projected(inner),
        GraphPattern::Project { variables, .. } => {
            variables.iter().map(|variable| variable.as_str().to_owned()).collect()
        }
        _ => Vec::new(),
    }
}

/// A query as it is written.
pub(super) fn parse(text: &str, base: Option<&str>) -> Result<Query, SparqlError> {
    let mut parser = SparqlParser::new();
    if let Some(base) = base {
        let wrong = |error| SparqlError::Syntax(format!("base IRI {base}: {error}"));
        parser = parser.with_base_iri(base).map_err(wrong)?;
    }
    let QueryText { text, star } = query_text(text)?;
    let parsed = |text: &str| parser.clone().parse_query(text).map_err(|error| error.to_string());
    let mut query = parsed(&text).map_err(|refused| {
        SparqlError::Syntax(refusal(&text, &refused, |text| parsed(text).map(drop)))
    })?;
    if let (Query::Select { pattern, .. }, Some(order)) = (&mut query, star) {
        order_star(pattern, &order);
    }
    Ok(query)
}

/// Puts the variables of the outermost projection in an order.
fn order_star(pattern: &mut GraphPattern, order: &[String]) {
    match pattern {
        GraphPattern::Slice { inner, .. }
        | GraphPattern::Distinct { inner }
        | GraphPattern::Reduced { inner } => order_star(inner, order),
        GraphPattern::Project { variables, .. } => {
            variables
                .sort_by_key(|variable| order.iter().position(|name| name == variable.as_str()));
        }
        _ => {}
    }
}

/// The graphs that the call names, or else those that the query does.
fn dataset_of(query: &Query, options: &QueryOptions<'_>) -> Option<NamedDataset> {
    options.dataset.cloned().or_else(|| query.dataset().map(named_dataset))
}

/// FROM and FROM NAMED as names.
pub(crate) fn named_dataset(dataset: &QueryDataset) -> NamedDataset {
    NamedDataset {
        default: Some(dataset.default.iter().cloned().map(GraphName::from).collect()),
        named: dataset
            .named
            .as_ref()
            .map(|nodes| nodes.iter().cloned().map(NamedOrBlankNode::from).collect()),
    }
}
