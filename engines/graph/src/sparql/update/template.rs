//! Terms and quads of a request, as ids: entered to be inserted, looked up to be removed, templates
//! filled with a solution.

use std::collections::HashMap;

use oxrdf::{BlankNode, NamedNode, NamedOrBlankNode, Term, Triple};
use spareval::QuerySolution;
use spargebra::term::{
    GraphName, GraphNamePattern, GroundQuad, GroundQuadPattern, GroundTermPattern,
    NamedNodePattern, QuadPattern, TermPattern,
};

use super::super::error::SparqlError;
use super::super::terms::{triple_of, with_term_ref};
use super::run::Run;
use super::writable::Writable;
use crate::quad::Quad;
use crate::term::TermRef;
use crate::{GraphError, Id};

/// Places of a quad that are terms, before they have ids; no graph is the default graph.
pub(super) struct Terms {
    pub(super) triple: [Term; 3],
    pub(super) graph: Option<Term>,
}

impl Terms {
    /// Whether such a quad can be: the predicate is an IRI, and so are the subject and the graph,
    /// or blank nodes.
    fn is_legal(&self) -> bool {
        let is_node = |term: &Term| term.is_named_node() || term.is_blank_node();
        is_node(&self.triple[0])
            && self.triple[1].is_named_node()
            && self.graph.as_ref().is_none_or(is_node)
    }
}

impl<W: Writable> Run<'_, W> {
    /// A term of the request's data or of a solution. A blank node that is not the store's becomes
    /// a new one.
    fn enter_term(&mut self, term: &Term) -> Result<Id, GraphError> {
        match term {
            Term::BlankNode(node) => self.node(node),
            Term::Triple(triple) => self.enter_triple(triple, Self::node),
            term => {
                let entered = with_term_ref(term, |term| self.store.intern(term));
                entered.expect("only a blank node can be none of the store")
            }
        }
    }

    /// A triple term, whose blank nodes have the ids that `id` gives.
    fn enter_triple(
        &mut self,
        triple: &Triple,
        mut id: impl FnMut(&mut Self, &BlankNode) -> Result<Id, GraphError>,
    ) -> Result<Id, GraphError> {
        let mut number = |node: &BlankNode| id(self, node).map(Id::payload);
        let triple = triple_of(triple, &mut number)?;
        self.store.intern(TermRef::Triple(triple.as_triple()))
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
        match (self.find(term)?, term) {
            (Some(id), _) => Ok(id),
            (None, Term::Triple(triple)) => {
                let node =
                    |run: &mut Self, node: &BlankNode| run.enter_or_find(&node.clone().into());
                self.enter_triple(triple, node)
            }
            (None, term) => self.enter_term(term),
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
            let mut node = |run: &mut Self, node: &BlankNode| {
                let new = || run.store.new_blank();
                Ok(*nodes.entry(node.clone()).or_insert_with(new))
            };
            let [subject, predicate, object] = ids.map(|term: Term| match &term {
                Term::BlankNode(own) => node(self, own),
                Term::Triple(triple) => self.enter_triple(triple, &mut node),
                term => self.enter_term(term),
            });
            self.insert(Quad { subject: subject?, predicate: predicate?, object: object?, graph });
        }
        Ok(())
    }
}

/// A DELETE template, filled; none if a variable is unbound or the quad illegal.
pub(super) fn fill_delete(quad: &GroundQuadPattern, solution: &QuerySolution) -> Option<Terms> {
    let term = |term| fill_ground(term, solution);
    let triple = [term(&quad.subject)?, fill_name(&quad.predicate, solution)?, term(&quad.object)?];
    let graph = fill_graph(&quad.graph_name, solution)?;
    Some(Terms { triple, graph }).filter(Terms::is_legal)
}

fn fill_ground(term: &GroundTermPattern, solution: &QuerySolution) -> Option<Term> {
    match term {
        GroundTermPattern::NamedNode(node) => Some(node.clone().into()),
        GroundTermPattern::Literal(literal) => Some(literal.clone().into()),
        GroundTermPattern::Variable(variable) => solution.get(variable).cloned(),
        GroundTermPattern::Triple(triple) => triple_term(
            fill_ground(&triple.subject, solution)?,
            fill_name(&triple.predicate, solution)?,
            fill_ground(&triple.object, solution)?,
        ),
    }
}

/// A triple term; none if the subject is no IRI or blank node, or the predicate no IRI.
fn triple_term(subject: Term, predicate: Term, object: Term) -> Option<Term> {
    let subject = NamedOrBlankNode::try_from(subject).ok()?;
    Some(Triple::new(subject, NamedNode::try_from(predicate).ok()?, object).into())
}

/// An INSERT template, filled; its blank nodes are the solution's own.
pub(super) fn fill_insert(
    quad: &QuadPattern,
    solution: &QuerySolution,
    nodes: &mut HashMap<BlankNode, BlankNode>,
) -> Option<Terms> {
    let mut term = |term| fill_term(term, solution, nodes);
    let (subject, object) = (term(&quad.subject)?, term(&quad.object)?);
    let triple = [subject, fill_name(&quad.predicate, solution)?, object];
    let graph = fill_graph(&quad.graph_name, solution)?;
    Some(Terms { triple, graph }).filter(Terms::is_legal)
}

fn fill_term(
    term: &TermPattern,
    solution: &QuerySolution,
    nodes: &mut HashMap<BlankNode, BlankNode>,
) -> Option<Term> {
    match term {
        TermPattern::NamedNode(node) => Some(node.clone().into()),
        TermPattern::Literal(literal) => Some(literal.clone().into()),
        TermPattern::BlankNode(node) => Some(nodes.entry(node.clone()).or_default().clone().into()),
        TermPattern::Variable(variable) => solution.get(variable).cloned(),
        TermPattern::Triple(triple) => triple_term(
            fill_term(&triple.subject, solution, nodes)?,
            fill_name(&triple.predicate, solution)?,
            fill_term(&triple.object, solution, nodes)?,
        ),
    }
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
