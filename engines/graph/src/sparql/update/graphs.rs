//! Operations on whole graphs: CREATE, CLEAR, DROP, and what SILENT passes over.

use oxrdf::{NamedNode, Term};
use spargebra::algebra::{Expression, GraphPattern, GraphTarget};
use spargebra::term::{GroundQuadPattern, NamedNodePattern, QuadPattern};

use super::super::error::SparqlError;
use super::super::terms::with_term_ref;
use super::super::text::SOURCE_EXISTS;
use super::run::Run;
use super::writable::Writable;
use crate::quad::GraphChoice;
use crate::view::View;
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
    fn graph(&mut self, name: &NamedNode) -> Result<Option<Id>, GraphError> {
        let term = Term::from(name.clone());
        let found = with_term_ref(&term, |term| self.store.find(term)).transpose()?;
        let Some(id) = found.flatten() else { return Ok(None) };
        Ok(self.store.with_view(|view| view.has_graph(id))?.then_some(id))
    }

    /// An error if a graph is not there.
    pub(super) fn need_graph(&mut self, name: &NamedNode) -> Result<(), SparqlError> {
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
        let id = with_term_ref(&term, |term| self.store.intern(term));
        self.store.create_graph(id.expect("an IRI is a term of the store")?);
        Ok(())
    }

    pub(super) fn clear(&mut self, target: &GraphTarget, silent: bool) -> Result<(), SparqlError> {
        for graph in self.targets(target, silent)? {
            self.store.clear(graph)?;
        }
        Ok(())
    }

    pub(super) fn drop_graphs(
        &mut self,
        target: &GraphTarget,
        silent: bool,
    ) -> Result<(), SparqlError> {
        for graph in self.targets(target, silent)? {
            match graph {
                GraphChoice::Named(name) => self.store.drop_graph(name)?,
                graph => self.store.clear(graph)?,
            }
        }
        Ok(())
    }

    fn targets(
        &mut self,
        target: &GraphTarget,
        silent: bool,
    ) -> Result<Vec<GraphChoice>, SparqlError> {
        let mut named = || {
            self.store.with_view(|view| {
                let names = view.graphs().map(|name| name.map(GraphChoice::Named));
                names.collect::<Result<Vec<_>, _>>()
            })
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
}

fn no_graph(name: &NamedNode) -> SparqlError {
    SparqlError::Refused(format!("there is no graph {name}; SILENT passes over that"))
}
