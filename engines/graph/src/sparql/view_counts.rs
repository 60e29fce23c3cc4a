//! What a view knows before a query runs: counts of patterns, the first quads of them, whether a
//! term is a node of a graph.

use std::cell::RefCell;
use std::rc::Rc;

use oxrdf::Term;
use spargebra::term::{GroundTerm, NamedNodePattern, TermPattern, TriplePattern};

use super::explain::Estimates;
use super::graphs::DefaultGraph;
use super::rewrite::{Counts, Place, Solution};
use super::session::Session;
use super::terms::with_term_ref;
use crate::quad::{GraphChoice, Pattern, Quad};
use crate::view::View;
use crate::{GraphError, Id};

/// Counts of a view, with the first error that was met: a count that failed is 0.
pub(super) struct ViewCounts<'c, 'v, V> {
    view: &'c V,
    session: &'c Session<'v>,
    default_graph: &'c DefaultGraph,
    /// Where the estimates of chosen patterns are kept, if somebody wants to know.
    estimates: Option<&'c Estimates>,
    failed: RefCell<Option<GraphError>>,
}

impl<'c, 'v, V: View> ViewCounts<'c, 'v, V> {
    pub(super) fn new(
        view: &'c V,
        session: &'c Session<'v>,
        default_graph: &'c DefaultGraph,
        estimates: Option<&'c Estimates>,
    ) -> Self {
        ViewCounts { view, session, default_graph, estimates, failed: RefCell::default() }
    }

    /// The first error.
    pub(super) fn check(&self) -> Result<(), GraphError> {
        self.failed.borrow_mut().take().map_or(Ok(()), Err)
    }

    fn kept<T>(&self, outcome: Result<T, GraphError>) -> Option<T> {
        match outcome {
            Ok(value) => Some(value),
            Err(error) => {
                self.failed.borrow_mut().get_or_insert(error);
                None
            }
        }
    }

    fn find(&self, term: &Term) -> Result<Option<Id>, GraphError> {
        self.session.count(|work| work.terms_found += 1);
        Ok(with_term_ref(term, |term| self.view.find_term(term)).transpose()?.flatten())
    }

    /// The graphs that a pattern is matched in; none that is there, if its name is unknown.
    fn graphs(
        &self,
        graph: Option<&NamedNodePattern>,
        solution: &Solution,
    ) -> Result<Rc<[GraphChoice]>, GraphError> {
        Ok(match (graph, self.default_graph) {
            (None, DefaultGraph::One(graph)) => [*graph].into(),
            (None, DefaultGraph::Union(graphs)) => graphs.clone(),
            (Some(NamedNodePattern::Variable(name)), _) => match solution.get(name.as_str()) {
                Some(id) => [GraphChoice::Named(*id)].into(),
                None => [GraphChoice::AnyNamed].into(),
            },
            (Some(NamedNodePattern::NamedNode(name)), _) => {
                let found = self.find(&Term::from(name.clone()))?;
                found.map(GraphChoice::Named).into_iter().collect()
            }
        })
    }

    /// The ids of the places; none if a constant is not in the store.
    fn ids(
        &self,
        triple: &TriplePattern,
        solution: &Solution,
    ) -> Result<Option<[Option<Id>; 3]>, GraphError> {
        let mut ids = [None; 3];
        let predicate = match triple.predicate.clone() {
            NamedNodePattern::NamedNode(node) => TermPattern::NamedNode(node),
            NamedNodePattern::Variable(variable) => TermPattern::Variable(variable),
        };
        for (id, term) in ids.iter_mut().zip([&triple.subject, &predicate, &triple.object]) {
            let constant = match term {
                TermPattern::Variable(variable) => {
                    *id = solution.get(variable.as_str()).copied();
                    continue;
                }
                TermPattern::BlankNode(_) => continue,
                TermPattern::NamedNode(node) => Term::from(node.clone()),
                TermPattern::Literal(literal) => Term::from(literal.clone()),
            };
            let Some(found) = self.find(&constant)? else { return Ok(None) };
            *id = Some(found);
        }
        Ok(Some(ids))
    }

    fn try_count(
        &self,
        triple: &TriplePattern,
        graph: Option<&NamedNodePattern>,
        solution: &Solution,
    ) -> Result<u64, GraphError> {
        let Some([subject, predicate, object]) = self.ids(triple, solution)? else { return Ok(0) };
        let mut count = 0_u64;
        for graph in self.graphs(graph, solution)?.iter() {
            self.session.count(|work| work.estimates += 1);
            let pattern = Pattern { subject, predicate, object, graph: *graph };
            count = count.saturating_add(self.view.estimate(&pattern)?);
        }
        Ok(count)
    }

    fn try_some(
        &self,
        triple: &TriplePattern,
        graph: Option<&NamedNodePattern>,
        solution: &Solution,
        count: usize,
    ) -> Result<Vec<Solution>, GraphError> {
        let Some([subject, predicate, object]) = self.ids(triple, solution)? else {
            return Ok(Vec::new());
        };
        let mut solutions = Vec::new();
        for graph in self.graphs(graph, solution)?.iter() {
            self.session.count(|work| work.estimates += 1);
            let pattern = Pattern { subject, predicate, object, graph: *graph };
            for quad in self.view.quads(&pattern).take(count - solutions.len()) {
                solutions.push(with_quad(solution.clone(), triple, quad?));
            }
            if solutions.len() == count {
                break;
            }
        }
        Ok(solutions)
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
        for graph in self.graphs(graph, &Solution::new())?.iter() {
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

fn with_quad(mut solution: Solution, triple: &TriplePattern, quad: Quad) -> Solution {
    for (place, id) in Place::ALL.iter().zip([quad.subject, quad.predicate, quad.object]) {
        if let Some(name) = place.variable(triple) {
            solution.insert(name, id);
        }
    }
    solution
}

impl<V: View> Counts for ViewCounts<'_, '_, V> {
    fn count(
        &self,
        triple: &TriplePattern,
        graph: Option<&NamedNodePattern>,
        solution: &Solution,
    ) -> u64 {
        self.kept(self.try_count(triple, graph, solution)).unwrap_or(0)
    }

    fn some(
        &self,
        triple: &TriplePattern,
        graph: Option<&NamedNodePattern>,
        solution: &Solution,
        count: usize,
    ) -> Vec<Solution> {
        self.kept(self.try_some(triple, graph, solution, count)).unwrap_or_default()
    }

    fn is_told(&self) -> bool {
        self.estimates.is_some()
    }

    fn tell(&self, text: &str, graph: Option<&NamedNodePattern>, count: u64) {
        if let Some(estimates) = self.estimates {
            estimates.keep(text, graph, count);
        }
    }
}
