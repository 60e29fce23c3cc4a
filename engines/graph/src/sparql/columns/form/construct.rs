//! CONSTRUCT: a template filled in with each solution. Triples without a blank node come once, as
//! from the evaluator.

use std::collections::HashMap;

use oxrdf::{BlankNode, NamedNode, NamedOrBlankNode, Term, Triple};
use spargebra::term::{NamedNodePattern, TermPattern, TriplePattern};

use super::super::super::error::SparqlError;
use super::super::super::seen::Seen;
use super::super::Solutions;
use super::super::stop::Outcome;
use super::super::table::rows::UNBOUND;
use crate::view::View;

/// What stands at one place of a template.
enum Slot {
    Constant(u64, Term),
    /// A blank node, of which each solution has its own.
    Node(usize),
    /// The variable of a column; none of one that no solution binds.
    Column(Option<usize>),
}

/// The triples of a template, filled in as they are asked for.
pub(in crate::sparql) struct Constructed<'v, V: View + 'v> {
    solutions: Solutions<'v, V>,
    template: Vec<[Slot; 3]>,
    /// The ids of the row, and the place in the template of what comes next.
    row: Vec<u64>,
    next: usize,
    /// The blank nodes of the row.
    nodes: Vec<BlankNode>,
    seen: Seen<[u64; 3]>,
}

impl<'v, V: View> Constructed<'v, V> {
    /// A template over solutions; `memory_max` is that of the query.
    pub(in crate::sparql) fn new(
        solutions: Solutions<'v, V>,
        template: &[TriplePattern],
        memory_max: u64,
    ) -> Outcome<Constructed<'v, V>> {
        let mut numbers = HashMap::new();
        let mut slot = |term: &TermPattern| {
            let constant = |term: Term| Ok(Slot::Constant(solutions.ids.id(&term)?, term));
            match term {
                TermPattern::NamedNode(node) => constant(node.clone().into()),
                TermPattern::Literal(literal) => constant(literal.clone().into()),
                TermPattern::Variable(name) => Ok(Slot::Column(solutions.place(name.as_str()))),
                TermPattern::BlankNode(node) => {
                    let next = numbers.len();
                    Ok(Slot::Node(*numbers.entry(node.clone()).or_insert(next)))
                }
            }
        };
        let mut slots = |triple: &TriplePattern| -> Outcome<[Slot; 3]> {
            let predicate = match triple.predicate.clone() {
                NamedNodePattern::NamedNode(node) => TermPattern::NamedNode(node),
                NamedNodePattern::Variable(variable) => TermPattern::Variable(variable),
            };
            Ok([slot(&triple.subject)?, slot(&predicate)?, slot(&triple.object)?])
        };
        let template: Vec<_> = template.iter().map(&mut slots).collect::<Outcome<_>>()?;
        let nodes = vec![BlankNode::default(); numbers.len()];
        let seen = Seen::new(memory_max);
        let (row, next) = (Vec::new(), template.len());
        Ok(Constructed { solutions, template, row, next, nodes, seen })
    }

    /// The ids of a triple of the template in the row, and whether none of it is a blank node of
    /// the template; none where the row leaves something unbound.
    fn ids(&self, at: usize) -> Option<([u64; 3], bool)> {
        let mut ids = [UNBOUND; 3];
        let mut is_fixed = true;
        for (id, slot) in ids.iter_mut().zip(&self.template[at]) {
            match slot {
                Slot::Constant(own, _) => *id = *own,
                Slot::Column(place) => {
                    *id = self.row[(*place)?];
                    (*id != UNBOUND).then_some(())?;
                }
                Slot::Node(_) => is_fixed = false,
            }
        }
        Some((ids, is_fixed))
    }

    fn term(&self, slot: &Slot, id: u64) -> Outcome<Term> {
        match slot {
            Slot::Constant(_, term) => Ok(term.clone()),
            Slot::Node(number) => Ok(self.nodes[*number].clone().into()),
            Slot::Column(_) => self.solutions.ids.term(id),
        }
    }

    /// A triple, unless it is none: a literal as its subject, or no IRI as its predicate.
    fn triple(&self, at: usize, ids: [u64; 3]) -> Outcome<Option<Triple>> {
        let [subject, predicate, object] = &self.template[at];
        let subject = NamedOrBlankNode::try_from(self.term(subject, ids[0])?);
        let predicate = NamedNode::try_from(self.term(predicate, ids[1])?);
        let (Ok(subject), Ok(predicate)) = (subject, predicate) else { return Ok(None) };
        Ok(Some(Triple::new(subject, predicate, self.term(object, ids[2])?)))
    }
}

impl<V: View> Iterator for Constructed<'_, V> {
    type Item = Result<Triple, SparqlError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if self.next == self.template.len() {
                if self.template.is_empty() {
                    return None;
                }
                match self.solutions.next_row() {
                    Ok(Some(row)) => row.clone_into(&mut self.row),
                    Ok(None) => return None,
                    Err(stop) => return Some(Err(stop.into())),
                }
                self.nodes.iter_mut().for_each(|node| *node = BlankNode::default());
                self.next = 0;
            }
            let at = self.next;
            self.next += 1;
            let Some((ids, is_fixed)) = self.ids(at) else { continue };
            if is_fixed && !self.seen.is_new(ids) {
                continue;
            }
            match self.triple(at, ids) {
                Ok(Some(triple)) => return Some(Ok(triple)),
                Ok(None) => {}
                Err(stop) => return Some(Err(stop.into())),
            }
        }
    }
}
