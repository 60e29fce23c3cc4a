//! A query: its text is parsed, its faults mended, its joins put in order; then it is evaluated as
//! its answer is read.

use std::mem;
use std::rc::Rc;

use manicule_core::watch::Watch;
use oxrdf::{GraphName, NamedOrBlankNode};
use spareval::{QueryEvaluationError, QueryExplanation, QueryResults};
use spargebra::algebra::{GraphPattern, QueryDataset};
use spargebra::{Query, SparqlParser};

use super::answer::{Answer, Rows, Triples, evaluation};
use super::columns::{self, Stop};
use super::dataset::Dataset;
use super::error::SparqlError;
use super::explain::{Estimates, Operator};
use super::filled::{Filled, taken_template};
use super::graphs::{DefaultGraph, DefaultGraphChoice, NamedDataset, QueryGraphs, default_graph};
use super::levels::{Leveled, Levels};
use super::place::refusal;
use super::rewrite::{
    Fresh, Uses, close_entries, evaluator, look_at_stored, order_joins, shape, spell, with_time,
};
use super::session::{QueryLimits, Session};
use super::text::{QueryText, query_text};
use super::view_counts::ViewCounts;
use crate::snapshot::Snapshot;
use crate::view::View;

/// Who puts joins in order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum JoinOrder {
    /// We do, by counts of the store.
    ByCounts,
    /// The evaluator does, which knows no counts: to compare with.
    Evaluators,
}

/// The way in which a query is evaluated. All of them give the same solutions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Evaluation {
    /// Vectorised where all of the query is known there, row by row elsewhere.
    Columns,
    /// Row by row: to compare with.
    Rows(JoinOrder),
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
    /// The way in which it is evaluated.
    pub evaluation: Evaluation,
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
    levels.run(|| ask(view, parse(text, options.base)?, levels, options, watch))?
}

/// Asks a query that is parsed, on a stack for its levels: those that its answer needs one for.
pub(crate) fn ask<'v, V: View>(
    view: &'v V,
    query: Query,
    levels: Levels,
    options: &QueryOptions<'_>,
    watch: &'v Watch<'v>,
) -> Result<Answer<'v>, SparqlError> {
    let mut shaped = Shaped::new(view, query, levels, options, watch)?;
    match shaped.by_columns(view, None)? {
        Some((answer, _)) => Ok(answer),
        None => {
            let uses = shaped.order(view, options, None)?;
            Ok(shaped.by_rows(view, &uses, Kept::Nothing)?.0)
        }
    }
}

/// What is kept of the evaluator's plan.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kept {
    Nothing,
    /// Its operators.
    Plan,
    /// What each of them gave too.
    Measured,
}

/// A query before its evaluation, whose scopes, paths and graphs mean what the recommendation says.
pub(super) struct Shaped<'v> {
    query: Query,
    /// Those of the answer, which is read after the call.
    levels: Levels,
    pub(super) session: Rc<Session<'v>>,
    default_graph: DefaultGraph,
    named: Option<NamedDataset>,
    fresh: Fresh,
    /// Why it is evaluated row by row, if it is.
    pub(super) why_rows: Option<String>,
}

impl<'v> Shaped<'v> {
    pub(super) fn new<V: View>(
        view: &'v V,
        mut query: Query,
        levels: Levels,
        options: &QueryOptions<'_>,
        watch: &'v Watch<'v>,
    ) -> Result<Shaped<'v>, SparqlError> {
        watch.check()?;
        let named = dataset_of(&query, options);
        let default_graph = default_graph(view, named.as_ref(), options.default_graph)?;
        let session = Rc::new(Session::new(watch, options.limits));
        let mut fresh = Fresh::default();
        let counts = ViewCounts::new(view, &session, &default_graph, None);
        let is_node = |term: &_, graph: Option<&_>| counts.is_node(term, graph);
        take_rows(&mut query, options.limits.rows_taken);
        let pattern = pattern_of(&mut query);
        *pattern = shape(with_time(mem::take(pattern)), &is_node, &mut fresh);
        counts.check()?;
        let is_asked = options.evaluation != Evaluation::Columns;
        let why_rows = is_asked.then(|| "asked for".to_owned());
        Ok(Shaped { query, levels, session, default_graph, named, fresh, why_rows })
    }

    /// The vectorised answer, if all is known there; with a clock, also the plan with what each
    /// operator did.
    pub(super) fn by_columns<V: View>(
        &mut self,
        view: &'v V,
        clock: Option<fn() -> u64>,
    ) -> Result<Option<(Answer<'v>, Option<Operator>)>, SparqlError> {
        let Some(request) = self.request(view, clock)? else { return Ok(None) };
        let session = &self.session;
        let triples = |inner| {
            let inner = Leveled::new(inner, Levels::NONE);
            Answer::Triples(Triples { inner, session: session.clone() })
        };
        let answer = match self.query {
            Query::Select { .. } => request.select().map(|(solutions, plan)| {
                (Answer::Rows(Rows::of_columns(solutions, session.clone())), plan)
            }),
            Query::Construct { .. } => {
                request.construct().map(|(inner, plan)| (triples(Box::new(inner)), plan))
            }
            Query::Describe { .. } => {
                request.describe().map(|(inner, plan)| (triples(Box::new(inner)), plan))
            }
            Query::Ask { .. } => request.ask().map(|(is_so, plan)| {
                session.count(|work| work.by_columns = 1);
                (Answer::Boolean(is_so, session.work()), plan)
            }),
        };
        let answer = self.settled(answer)?;
        self.session.count(|work| work.by_columns = u64::from(answer.is_some()));
        Ok(answer)
    }

    /// The plan of the vectorised evaluation, if all is known there.
    pub(super) fn plan_by_columns<V: View>(
        &mut self,
        view: &'v V,
    ) -> Result<Option<Operator>, SparqlError> {
        let Some(request) = self.request(view, None)? else { return Ok(None) };
        let plan = request.plan();
        self.settled(plan)
    }

    fn request<'r, V: View>(
        &'r self,
        view: &'v V,
        clock: Option<fn() -> u64>,
    ) -> Result<Option<columns::Request<'r, 'v, V>>, SparqlError> {
        if self.why_rows.is_some() {
            return Ok(None);
        }
        let graphs = QueryGraphs::new(view, self.default_graph.clone(), self.named.as_ref())?;
        let (query, session) = (&self.query, &self.session);
        Ok(Some(columns::Request { view, graphs, query, session, clock }))
    }

    /// What came of the vectorised evaluation; none, with the reason, where it is done row by row.
    fn settled<T>(&mut self, outcome: Result<T, Stop>) -> Result<Option<T>, SparqlError> {
        let why = match outcome {
            Ok(answer) => return Ok(Some(answer)),
            Err(Stop::Failed(error)) => return Err(error),
            Err(Stop::Memory(error)) => return Err(error),
            // Something was met that is answered row by row.
            Err(Stop::NotHere(what)) => what,
            Err(stop @ Stop::Enough) => return Err(stop.into()),
        };
        self.why_rows = Some(why.to_owned());
        Ok(None)
    }

    /// Puts the joins in order, and has expressions computed as the recommendation asks. Returns
    /// the functions of ours that they call.
    pub(super) fn order<V: View>(
        &mut self,
        view: &'v V,
        options: &QueryOptions<'_>,
        estimates: Option<&Estimates>,
    ) -> Result<Uses, SparqlError> {
        let pattern = mem::take(pattern_of(&mut self.query));
        let (spelled, uses) = spell(pattern, &mut self.fresh);
        let counts = ViewCounts::new(view, &self.session, &self.default_graph, estimates);
        let ordered = match options.evaluation {
            Evaluation::Rows(JoinOrder::Evaluators) => spelled,
            _ => order_joins(spelled, &counts),
        };
        *pattern_of(&mut self.query) = close_entries(ordered);
        counts.check()?;
        Ok(uses)
    }

    /// The answer row by row, after [`Shaped::order`]. A plan that is kept is filled in as the
    /// answer is read.
    pub(super) fn by_rows<V: View>(
        mut self,
        view: &'v V,
        uses: &Uses,
        kept: Kept,
    ) -> Result<(Answer<'v>, Option<QueryExplanation>), SparqlError> {
        if look_at_stored(uses) {
            self.session.want_stored();
        }
        let (session, levels) = (self.session.clone(), self.levels);
        // The evaluator itself leaves out the named graphs that the query doesn't name.
        let graphs = QueryGraphs::new(view, self.default_graph.clone(), None)?;
        let dataset = Dataset::new(view, session.clone(), graphs);
        let template = taken_template(&mut self.query);
        let (results, plan) = self.evaluated(uses, dataset, kept);
        if let Some(error) = session.take_error() {
            return Err(error);
        }
        let answer = match (results.map_err(evaluation)?, template) {
            (QueryResults::Solutions(solutions), Some(template)) => {
                let filled = Filled::new(solutions, template, session.memory_max());
                Answer::Triples(Triples::of_rows(filled, levels, session))
            }
            (QueryResults::Solutions(inner), None) => {
                Answer::Rows(Rows { inner: Leveled::new(inner, levels), session })
            }
            (QueryResults::Boolean(answer), _) => Answer::Boolean(answer, session.work()),
            (QueryResults::Graph(triples), _) => {
                Answer::Triples(Triples::of_rows(triples, levels, session))
            }
        };
        Ok((answer, plan))
    }

    /// The evaluator's answer over a dataset, and what is kept of its plan.
    pub(super) fn evaluated<'d, V: View>(
        self,
        uses: &Uses,
        dataset: Dataset<'d, V>,
        kept: Kept,
    ) -> (Result<QueryResults<'d>, QueryEvaluationError>, Option<QueryExplanation>) {
        let mut evaluator = evaluator(uses, self.session.last_read());
        if self.levels.are_many() {
            // Its optimiser looks at all that is below for each level.
            evaluator = evaluator.without_optimizations();
        }
        if kept == Kept::Measured {
            evaluator = evaluator.compute_statistics();
        }
        let mut prepared = evaluator.prepare(&self.query);
        let specification = prepared.dataset_mut();
        specification.set_default_graph(vec![oxrdf::GraphName::DefaultGraph]);
        if let Some(names) = self.named.and_then(|graphs| graphs.named) {
            specification.set_available_named_graphs(names);
        }
        if kept == Kept::Nothing {
            return (prepared.execute(dataset), None);
        }
        let (results, plan) = prepared.explain(dataset);
        (results, Some(plan))
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
fn pattern_of(query: &mut Query) -> &mut GraphPattern {
    let (Query::Select { pattern, .. }
    | Query::Construct { pattern, .. }
    | Query::Describe { pattern, .. }
    | Query::Ask { pattern, .. }) = query;
    pattern
}

/// Whether a text is a query of SPARQL 1.1.
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
