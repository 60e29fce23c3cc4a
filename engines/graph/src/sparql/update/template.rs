//! Terms and quads of a request, as ids: entered to be inserted, looked up to be removed, templates
//! filled with a solution.

use std::collections::HashMap;

use oxrdf::{BlankNode, NamedNode, Term, Triple};
use spareval::QuerySolution;
use spargebra::term::{
    GraphName, GraphNamePattern, GroundQuad, GroundQuadPattern, GroundTermPattern,
    NamedNodePattern, QuadPattern, TermPattern,
};

use super::super::error::SparqlError;
use super::super::terms::with_term_ref;
use super::run::Run;
use super::writable::Writable;
use crate::quad::Quad;
use crate::{GraphError, Id};

/// Places of a quad that are terms, before they have ids; no graph is the default graph.
pub(super) struct Terms {
    pub(super) triple: [Term; 3],
    pub(super) graph: Option<Term>,
}

impl Terms {
    /// Whether such a quad can be: the subject is no literal, the predicate an IRI, the graph no
    /// literal.
    fn is_legal(&self) -> bool {
        !self.triple[0].is_literal()
            && self.triple[1].is_named_node()
            && !self.graph.as_ref().is_some_and(Term::is_literal)
    }
}

impl<W: Writable> Run<'_, W> {
    /// A term of the request's data or of a solution. A blank node that is not the store's becomes
    /// a new one.
    fn enter_term(&mut self, term: &Term) -> Result<Id, GraphError> {
        match term {
            Term::BlankNode(node) => self.node(node),
            term => {
                let entered = with_term_ref(term, |term| self.store.intern(term));
                entered.expect("only a blank node can be none of the store")
            }
        }
    }

    fn node(&mut self, node: &BlankNode) -> Result<Id, GraphError> {
        if let Some(id) = self.nodes.get(node) {
            return Ok(*id);
        }
        let id = self.store.new_blank();
        self.nodes.insert(node.clone(), id);
        Ok(id)
    }

    fn find(&self, term: &Term) -> Result<Option<Id>, GraphError> {
        Ok(with_term_ref(term, |term| self.store.find(term)).transpose()?.flatten())
    }

    /// A quad of INSERT DATA. Its blank nodes are the request's own.
    pub(super) fn enter_quad(&mut self, quad: &spargebra::term::Quad) -> Result<Quad, GraphError> {
        Ok(Quad {
            subject: self.enter_term(&quad.subject.clone().into())?,
            predicate: self.enter_term(&quad.predicate.clone().into())?,
            object: self.enter_term(&quad.object)?,
            graph: self.enter_graph(&quad.graph_name)?,
        })
    }

    fn enter_graph(&mut self, graph: &GraphName) -> Result<Id, GraphError> {
        match graph {
            GraphName::DefaultGraph => Ok(Id::DEFAULT_GRAPH),
            GraphName::NamedNode(name) => self.enter_term(&name.clone().into()),
        }
    }

    /// A quad of DELETE DATA, if the store knows its terms.
    pub(super) fn find_quad(&self, quad: GroundQuad) -> Result<Option<Quad>, GraphError> {
        let graph = match quad.graph_name {
            GraphName::DefaultGraph => None,
            GraphName::NamedNode(name) => Some(name.into()),
        };
        let triple = [quad.subject.into(), quad.predicate.into(), quad.object.into()];
        self.find_terms(&Terms { triple, graph })
    }

    /// A quad to be removed, if the store knows its terms.
    pub(super) fn find_terms(&self, terms: &Terms) -> Result<Option<Quad>, GraphError> {
        let [subject, predicate, object] = &terms.triple;
        let graph = match &terms.graph {
            None => Some(Id::DEFAULT_GRAPH),
            Some(name) => self.find(name)?,
        };
        let (Some(subject), Some(predicate), Some(object), Some(graph)) =
            (self.find(subject)?, self.find(predicate)?, self.find(object)?, graph)
        else {
            return Ok(None);
        };
        Ok(Some(Quad { subject, predicate, object, graph }))
    }

    /// A quad to be inserted, of a filled template: a blank node of the store is itself.
    pub(super) fn enter_terms(&mut self, terms: &Terms) -> Result<Quad, GraphError> {
        let [subject, predicate, object] = &terms.triple;
        Ok(Quad {
            subject: self.enter_or_find(subject)?,
            predicate: self.enter_or_find(predicate)?,
            object: self.enter_or_find(object)?,
            graph: match &terms.graph {
                None => Id::DEFAULT_GRAPH,
                Some(name) => self.enter_or_find(name)?,
            },
        })
    }

    fn enter_or_find(&mut self, term: &Term) -> Result<Id, GraphError> {
        match self.find(term)? {
            Some(id) => Ok(id),
            None => self.enter_term(term),
        }
    }

    /// Adds the triples of a loaded document, whose blank nodes are its own.
    pub(super) fn load(
        &mut self,
        triples: Vec<Triple>,
        destination: &GraphName,
    ) -> Result<(), SparqlError> {
        let graph = self.enter_graph(destination)?;
        let mut nodes = HashMap::new();
        for triple in triples {
            let ids = [triple.subject.into(), triple.predicate.into(), triple.object];
            let [subject, predicate, object] = ids.map(|term: Term| match &term {
                Term::BlankNode(node) => match nodes.get(node) {
                    Some(id) => Ok(*id),
                    None => {
                        let id = self.store.new_blank();
                        nodes.insert(node.clone(), id);
                        Ok(id)
                    }
                },
                term => self.enter_term(term),
            });
            self.insert(Quad { subject: subject?, predicate: predicate?, object: object?, graph });
        }
        Ok(())
    }
}

/// A DELETE template, filled; none if a variable is unbound or the quad illegal.
pub(super) fn fill_delete(quad: &GroundQuadPattern, solution: &QuerySolution) -> Option<Terms> {
    let term = |term: &GroundTermPattern| match term {
        GroundTermPattern::NamedNode(node) => Some(node.clone().into()),
        GroundTermPattern::Literal(literal) => Some(literal.clone().into()),
        GroundTermPattern::Variable(variable) => solution.get(variable).cloned(),
    };
    let triple = [term(&quad.subject)?, fill_name(&quad.predicate, solution)?, term(&quad.object)?];
    let graph = fill_graph(&quad.graph_name, solution)?;
    Some(Terms { triple, graph }).filter(Terms::is_legal)
}

/// An INSERT template, filled; its blank nodes are the solution's own.
pub(super) fn fill_insert(
    quad: &QuadPattern,
    solution: &QuerySolution,
    nodes: &mut HashMap<BlankNode, BlankNode>,
) -> Option<Terms> {
    let mut term = |term: &TermPattern| match term {
        TermPattern::NamedNode(node) => Some(node.clone().into()),
        TermPattern::Literal(literal) => Some(literal.clone().into()),
        TermPattern::BlankNode(node) => Some(nodes.entry(node.clone()).or_default().clone().into()),
        TermPattern::Variable(variable) => solution.get(variable).cloned(),
    };
    let (subject, object) = (term(&quad.subject)?, term(&quad.object)?);
    let triple = [subject, fill_name(&quad.predicate, solution)?, object];
    let graph = fill_graph(&quad.graph_name, solution)?;
    Some(Terms { triple, graph }).filter(Terms::is_legal)
}

fn fill_name(name: &NamedNodePattern, solution: &QuerySolution) -> Option<Term> {
    match name {
        NamedNodePattern::NamedNode(node) => Some(node.clone().into()),
        NamedNodePattern::Variable(variable) => solution.get(variable).cloned(),
    }
}

fn fill_graph(name: &GraphNamePattern, solution: &QuerySolution) -> Option<Option<Term>> {
    Some(match name {
        GraphNamePattern::DefaultGraph => None,
        GraphNamePattern::NamedNode(node) => Some(named(node)),
        GraphNamePattern::Variable(variable) => Some(solution.get(variable)?.clone()),
    })
}

fn named(node: &NamedNode) -> Term {
    node.clone().into()
}
