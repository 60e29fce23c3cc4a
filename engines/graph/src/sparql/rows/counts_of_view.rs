//! Counts of a view, by which joins are put in order, and the first quads of patterns: a count that
//! failed is 0.

use spargebra::term::{NamedNodePattern, TermPattern, TriplePattern};

use super::super::rewrite::constant;
use super::super::view_counts::ViewCounts;
use super::counts::{Counts, Place, Solution};
use crate::quad::{Pattern, Quad};
use crate::view::View;
use crate::{GraphError, Id};

impl<V: View> ViewCounts<'_, '_, V> {
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
            if let TermPattern::Variable(variable) = term {
                *id = solution.get(variable.as_str()).copied();
                continue;
            }
            let Some(constant) = constant(term) else { continue };
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
        for graph in self.graphs(graph, &|name| solution.get(name).copied())?.iter() {
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
        for graph in self.graphs(graph, &|name| solution.get(name).copied())?.iter() {
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
}
