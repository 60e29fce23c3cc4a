//! Operations on whole graphs: CREATE, CLEAR, DROP, and what SILENT passes over.
//!
//! Callers: update

use oxrdf::{NamedNode, Term};
use spargebra::algebra::{Expression, GraphPattern, GraphTarget};
use spargebra::term::{GroundQuadPattern, NamedNodePattern, QuadPattern};

use super::super::error::SparqlError;
use super::super::terms::with_term_ref;
use super::super::text::SOURCE_EXISTS;
use super::run::Run;
use super::writable::Writable;
use crate::quad::{GraphChoice, Pattern, Quad};
use crate::{GraphError, Id};

/// The graph that has to exist, if an operation is the made-up one that says so.
pub(super) fn checked_source<'p>(
    delete: &[GroundQuadPattern],
    insert: &[QuadPattern],
    pattern: &'p GraphPattern,
) -> Option<&'p NamedNode> {
    let GraphPattern::Graph { name: NamedNodePattern::NamedNode(name), inner } = pattern else {
        return None;
    };
    let GraphPattern::Filter { expr: Expression::Literal(text), .. } = inner.as_ref() else {
        return None;
    };
    let is_made_up = delete.is_empty() && insert.is_empty() && text.value() == SOURCE_EXISTS;
    is_made_up.then_some(name)
}

impl<W: Writable> Run<'_, W> {
    fn graph(&self, name: &NamedNode) -> Result<Option<Id>, GraphError> {
        let term = Term::from(name.clone());
        let found = with_term_ref(&term, |term| self.store.find_term(term)).transpose()?;
        match found.flatten() {
            Some(id) if self.store.has_graph(id)? => Ok(Some(id)),
            _ => Ok(None),
        }
    }

    /// An error if a graph is not there.
    pub(super) fn need_graph(&self, name: &NamedNode) -> Result<(), SparqlError> {
        match self.graph(name)? {
            Some(_) => Ok(()),
            None => Err(no_graph(name)),
        }
    }

    pub(super) fn create(&mut self, name: &NamedNode, silent: bool) -> Result<(), SparqlError> {
        if self.graph(name)?.is_some() {
            let why = format!("{name} exists already; CREATE SILENT leaves it as it is");
            return if silent { Ok(()) } else { Err(SparqlError::Refused(why)) };
        }
        let term = Term::from(name.clone());
        let id = with_term_ref(&term, |term| self.store.enter_term(term));
        Ok(self.store.create_graph(id.expect("an IRI is a term of the store")?)?)
    }

    pub(super) fn clear(&mut self, target: &GraphTarget, silent: bool) -> Result<(), SparqlError> {
        for graph in self.targets(target, silent)? {
            self.empty(graph)?;
        }
        Ok(())
    }

    pub(super) fn drop_graphs(
        &mut self,
        target: &GraphTarget,
        silent: bool,
    ) -> Result<(), SparqlError> {
        for graph in self.targets(target, silent)? {
            self.empty(graph)?;
            if let GraphChoice::Named(name) = graph {
                self.store.drop_graph(name)?;
            }
        }
        Ok(())
    }

    fn targets(&self, target: &GraphTarget, silent: bool) -> Result<Vec<GraphChoice>, SparqlError> {
        let named = || {
            let names = self.store.graphs().map(|name| name.map(GraphChoice::Named));
            names.collect::<Result<Vec<_>, _>>()
        };
        Ok(match target {
            GraphTarget::DefaultGraph => vec![GraphChoice::Default],
            GraphTarget::NamedGraphs => named()?,
            GraphTarget::AllGraphs => {
                let mut all = named()?;
                all.push(GraphChoice::Default);
                all
            }
            GraphTarget::NamedNode(name) => match self.graph(name)? {
                Some(id) => vec![GraphChoice::Named(id)],
                None if silent => Vec::new(),
                None => return Err(no_graph(name)),
            },
        })
    }

    fn empty(&mut self, graph: GraphChoice) -> Result<(), SparqlError> {
        let all = Pattern { subject: None, predicate: None, object: None, graph };
        let quads: Vec<Quad> = self.store.quads(&all).collect::<Result<_, _>>()?;
        quads.into_iter().try_for_each(|quad| self.remove(quad))
    }
}

fn no_graph(name: &NamedNode) -> SparqlError {
    SparqlError::Refused(format!("there is no graph {name}; SILENT passes over that"))
}
