//! What makes a plan: it numbers the operators, and knows which variables are parameters.

use std::cell::{Cell, RefCell};

use oxrdf::Variable;
use spargebra::term::{NamedNodePattern, TriplePattern};

use super::super::super::rewrite::Variables;
use super::super::scan::quads::{At, QuadPattern};
use super::super::state::{Columns, GraphOf};
use super::super::stop::Outcome;
use crate::view::View;

/// Makes the plan of a query, whose operators are numbered as they are made.
pub(in crate::sparql) struct Planner<'p, 's, 'v, V> {
    pub(in crate::sparql) columns: &'p Columns<'s, 'v, V>,
    next: Cell<usize>,
    /// Variables that are parameters of the part that is planned.
    parameters: RefCell<Variables>,
}

impl<'p, 's, 'v, V: View> Planner<'p, 's, 'v, V> {
    pub(in crate::sparql) fn new(columns: &'p Columns<'s, 'v, V>) -> Self {
        Planner { columns, next: Cell::new(0), parameters: RefCell::default() }
    }

    /// The number of the next operator.
    pub(in crate::sparql) fn number(&self) -> usize {
        self.next.replace(self.next.get() + 1)
    }

    /// Plans a part, some more variables of which are its parameters.
    pub(in crate::sparql) fn with_parameters<T>(
        &self,
        names: &Variables,
        part: impl FnOnce() -> T,
    ) -> T {
        let all = self.parameters.borrow().union(names).cloned().collect();
        self.with_only_parameters(all, part)
    }

    /// Plans an inner query: of the parameters those that it doesn't project are other variables
    /// inside.
    pub(super) fn inside_projection<T>(
        &self,
        variables: &[Variable],
        part: impl FnOnce() -> T,
    ) -> T {
        let is_among = |name: &str| variables.iter().any(|variable| variable.as_str() == name);
        let mut inside = self.parameters.borrow().clone();
        inside.retain(|name| is_among(name));
        self.with_only_parameters(inside, part)
    }

    fn with_only_parameters<T>(&self, all: Variables, part: impl FnOnce() -> T) -> T {
        let outer = self.parameters.replace(all);
        let planned = part();
        self.parameters.replace(outer);
        planned
    }

    /// The graph of a name.
    pub(in crate::sparql) fn graph(&self, name: &NamedNodePattern) -> GraphOf {
        match name {
            NamedNodePattern::NamedNode(node) => GraphOf::Name(node.clone()),
            NamedNodePattern::Variable(variable) => {
                let name = variable.as_str().to_owned();
                let is_parameter = self.parameters.borrow().contains(&name);
                if is_parameter { GraphOf::Parameter(name) } else { GraphOf::Variable(name) }
            }
        }
    }

    /// A triple pattern as quads; none if a constant isn't in the store.
    pub(in crate::sparql) fn quad_pattern(
        &self,
        triple: &TriplePattern,
        graph: &GraphOf,
    ) -> Outcome<Option<QuadPattern>> {
        let mut pattern = self.columns.quad_pattern(triple, graph)?;
        let parameters = self.parameters.borrow();
        for place in pattern.iter_mut().flat_map(|pattern| &mut pattern.places) {
            if let At::Variable(name) = place
                && parameters.contains(name)
            {
                *place = At::Parameter(std::mem::take(name));
            }
        }
        Ok(pattern)
    }
}
