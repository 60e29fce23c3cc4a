//! What a view knows before a query runs: whether a term is a node of a graph.

use std::cell::RefCell;
use std::rc::Rc;

use oxrdf::Term;
use spargebra::term::{GroundTerm, NamedNodePattern};

use super::graphs::DefaultGraph;
use super::session::Session;
use super::terms::with_term_ref;
use crate::quad::{GraphChoice, Pattern};
use crate::view::View;
use crate::{GraphError, Id};

/// What a view knows, with the first error that was met.
pub(super) struct ViewCounts<'c, 'v, V> {
    pub(super) view: &'c V,
    pub(super) session: &'c Session<'v>,
    default_graph: &'c DefaultGraph,
    failed: RefCell<Option<GraphError>>,
}

impl<'c, 'v, V: View> ViewCounts<'c, 'v, V> {
    pub(super) fn new(
        view: &'c V,
        session: &'c Session<'v>,
        default_graph: &'c DefaultGraph,
    ) -> Self {
        ViewCounts { view, session, default_graph, failed: RefCell::default() }
    }

    /// The first error.
    pub(super) fn check(&self) -> Result<(), GraphError> {
        self.failed.borrow_mut().take().map_or(Ok(()), Err)
    }

    pub(super) fn kept<T>(&self, outcome: Result<T, GraphError>) -> Option<T> {
        match outcome {
            Ok(value) => Some(value),
            Err(error) => {
                self.failed.borrow_mut().get_or_insert(error);
                None
            }
        }
    }

    pub(super) fn find(&self, term: &Term) -> Result<Option<Id>, GraphError> {
        self.session.count(|work| work.terms_found += 1);
        Ok(with_term_ref(term, |term| self.view.find_term(term)).transpose()?.flatten())
    }

    /// The graphs that a pattern is matched in; none that is there, if its name is unknown.
    pub(super) fn graphs(
        &self,
        graph: Option<&NamedNodePattern>,
        bound: &dyn Fn(&str) -> Option<Id>,
    ) -> Result<Rc<[GraphChoice]>, GraphError> {
        Ok(match (graph, self.default_graph) {
            (None, DefaultGraph::One(graph)) => [*graph].into(),
            (None, DefaultGraph::Union(graphs)) => graphs.clone(),
            (Some(NamedNodePattern::Variable(name)), _) => match bound(name.as_str()) {
                Some(id) => [GraphChoice::Named(id)].into(),
                None => [GraphChoice::AnyNamed].into(),
            },
            (Some(NamedNodePattern::NamedNode(name)), _) => {
                let found = self.find(&Term::from(name.clone()))?;
                found.map(GraphChoice::Named).into_iter().collect()
            }
        })
    }

    /// Whether a constant is a subject or object of a graph; none where the graph is a variable.
    fn try_is_node(
        &self,
        term: &GroundTerm,
        graph: Option<&NamedNodePattern>,
    ) -> Result<Option<bool>, GraphError> {
        if matches!(graph, Some(NamedNodePattern::Variable(_))) {
            return Ok(None);
        }
        let Some(id) = self.find(&Term::from(term.clone()))? else { return Ok(Some(false)) };
        for graph in self.graphs(graph, &|_| None)?.iter() {
            let all = Pattern { subject: None, predicate: None, object: None, graph: *graph };
            let ends = [Pattern { subject: Some(id), ..all }, Pattern { object: Some(id), ..all }];
            for pattern in ends {
                if self.view.quads(&pattern).next().transpose()?.is_some() {
                    return Ok(Some(true));
                }
            }
        }
        Ok(Some(false))
    }

    pub(super) fn is_node(
        &self,
        term: &GroundTerm,
        graph: Option<&NamedNodePattern>,
    ) -> Option<bool> {
        self.kept(self.try_is_node(term, graph))?
    }
}
