//! DESCRIBE: the triples that have a node of a solution as their subject, and those of the blank
//! nodes that they lead to, as from the evaluator.

use std::collections::HashSet;

use oxrdf::{BlankNode, NamedNode, NamedOrBlankNode, Term, Triple};

use super::super::super::error::SparqlError;
use super::super::super::graphs::{QueryGraphs, QueryQuads};
use super::super::super::terms::blank_number;
use super::super::Solutions;
use super::super::stop::Outcome;
use super::super::table::rows::UNBOUND;
use crate::quad::{GraphChoice, Pattern, Quad};
use crate::view::View;
use crate::{Id, Tag};

/// The triples about the nodes of some solutions, as they are asked for.
pub(in crate::sparql) struct Described<'v, V: View> {
    solutions: Solutions<'v, V>,
    graphs: QueryGraphs<'v, V>,
    /// Nodes that were met.
    met: HashSet<Id>,
    /// Those of them whose triples are still to come.
    waiting: Vec<Id>,
    quads: Option<QueryQuads<'v, V>>,
}

impl<'v, V: View> Described<'v, V> {
    pub(in crate::sparql) fn new(
        solutions: Solutions<'v, V>,
        graphs: QueryGraphs<'v, V>,
    ) -> Described<'v, V> {
        Described { solutions, graphs, met: HashSet::new(), waiting: Vec::new(), quads: None }
    }

    fn meet(&mut self, node: Id) {
        if self.met.insert(node) {
            self.waiting.push(node);
        }
    }

    /// The next quad about a node that was met.
    fn quad(&mut self) -> Option<Result<Quad, SparqlError>> {
        loop {
            if let Some(quad) = self.quads.as_mut().and_then(Iterator::next) {
                return Some(quad.map_err(SparqlError::from));
            }
            let subject = match self.waiting.pop() {
                Some(node) => Some(node),
                None => match self.next_solution() {
                    Ok(true) => continue,
                    Ok(false) => return None,
                    Err(stop) => return Some(Err(stop.into())),
                },
            };
            self.solutions.ids.session().count(|work| work.scans += 1);
            let graph = GraphChoice::Default;
            let pattern = Pattern { subject, predicate: None, object: None, graph };
            self.quads = Some(self.graphs.quads(&pattern));
        }
    }

    /// Meets the nodes of the next solution. Whether there is one.
    fn next_solution(&mut self) -> Outcome<bool> {
        let Some(row) = self.solutions.next_row()? else { return Ok(false) };
        let is_node =
            |id: &&u64| **id != UNBOUND && matches!(Id(**id).tag(), Tag::IRI | Tag::BLANK);
        let nodes: Vec<Id> = row.iter().filter(is_node).map(|id| Id(*id)).collect();
        nodes.into_iter().for_each(|node| self.meet(node));
        Ok(true)
    }

    fn triple(&mut self, quad: &Quad) -> Result<Option<Triple>, SparqlError> {
        self.solutions.ids.session().pass_quad().map_err(|ended| {
            let error = self.solutions.ids.session().take_error();
            error.unwrap_or_else(|| SparqlError::Evaluation(ended.to_string()))
        })?;
        if quad.object.tag() == Tag::BLANK {
            self.meet(quad.object);
        }
        let subject = NamedOrBlankNode::try_from(self.solutions.ids.term(quad.subject.0)?);
        let predicate = NamedNode::try_from(self.solutions.ids.term(quad.predicate.0)?);
        let (Ok(subject), Ok(predicate)) = (subject, predicate) else { return Ok(None) };
        let object = self.solutions.ids.term(quad.object.0)?;
        if let Term::Triple(triple) = &object {
            self.meet_inside(triple);
        }
        Ok(Some(Triple::new(subject, predicate, object)))
    }

    /// Meets the blank nodes of a triple term.
    fn meet_inside(&mut self, triple: &Triple) {
        let mut node = |node: &BlankNode| {
            if let Some(number) = blank_number(node.as_str()) {
                self.meet(Id::new(Tag::BLANK, number));
            }
        };
        if let NamedOrBlankNode::BlankNode(subject) = &triple.subject {
            node(subject);
        }
        match &triple.object {
            Term::BlankNode(object) => node(object),
            Term::Triple(inner) => self.meet_inside(inner),
            Term::NamedNode(_) | Term::Literal(_) => {}
        }
    }
}

impl<V: View> Iterator for Described<'_, V> {
    type Item = Result<Triple, SparqlError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let triple = match self.quad()? {
                Ok(quad) => self.triple(&quad),
                Err(error) => Err(error),
            };
            if let Some(triple) = triple.transpose() {
                return Some(triple);
            }
        }
    }
}
