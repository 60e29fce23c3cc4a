//! CONSTRUCT: a template filled in with each solution. Triples without a blank node come once, as
//! from the evaluator.

use std::collections::HashMap;

use manicule_core::bytes::mix;
use oxrdf::{BlankNode, NamedNode, NamedOrBlankNode, Term, Triple};
use spargebra::term::{NamedNodePattern, TermPattern, TriplePattern};

use super::super::super::error::SparqlError;
use super::super::super::rewrite::constant;
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
    /// A triple term with such places.
    Triple(Box<[Slot; 3]>),
}

/// Makes slots of a template.
struct Slots<'c, 'v, V: View + 'v> {
    solutions: &'c Solutions<'v, V>,
    /// The numbers of the blank nodes.
    numbers: HashMap<BlankNode, usize>,
}

impl<V: View> Slots<'_, '_, V> {
    fn triple(&mut self, triple: &TriplePattern) -> Outcome<[Slot; 3]> {
        let predicate = match triple.predicate.clone() {
            NamedNodePattern::NamedNode(node) => TermPattern::NamedNode(node),
            NamedNodePattern::Variable(variable) => TermPattern::Variable(variable),
        };
        Ok([self.slot(&triple.subject)?, self.slot(&predicate)?, self.slot(&triple.object)?])
    }

    fn slot(&mut self, term: &TermPattern) -> Outcome<Slot> {
        if let Some(term) = constant(term) {
            return Ok(Slot::Constant(self.solutions.ids.id(&term)?, term));
        }
        Ok(match term {
            TermPattern::Variable(name) => Slot::Column(self.solutions.place(name.as_str())),
            TermPattern::BlankNode(node) => {
                let next = self.numbers.len();
                Slot::Node(*self.numbers.entry(node.clone()).or_insert(next))
            }
            TermPattern::Triple(triple) => Slot::Triple(Box::new(self.triple(triple)?)),
            TermPattern::NamedNode(_) | TermPattern::Literal(_) => {
                unreachable!("they are constants")
            }
        })
    }
}

/// The triples of a template, filled in as they are asked for.
pub(in crate::sparql) struct Constructed<'v, V: View + 'v> {
    solutions: Solutions<'v, V>,
    template: Vec<[Slot; 3]>,
    /// The ids of the row, and the place in the template of what comes next.
    row: Vec<u64>,
    next: usize,
    /// The blank nodes of the row, and the triples that have come which name one of them.
    nodes: Vec<BlankNode>,
    own: Vec<[u64; 3]>,
    seen: Seen<[u64; 3]>,
}

impl<'v, V: View> Constructed<'v, V> {
    /// A template over solutions; `memory_max` is that of the query.
    pub(in crate::sparql) fn new(
        solutions: Solutions<'v, V>,
        template: &[TriplePattern],
        memory_max: u64,
    ) -> Outcome<Constructed<'v, V>> {
        let mut slots = Slots { solutions: &solutions, numbers: HashMap::new() };
        let template = template.iter().map(|triple| slots.triple(triple));
        let template: Vec<_> = template.collect::<Outcome<_>>()?;
        let nodes = vec![BlankNode::default(); slots.numbers.len()];
        let seen = Seen::new(memory_max);
        let (row, next, own) = (Vec::new(), template.len(), Vec::new());
        Ok(Constructed { solutions, template, row, next, nodes, own, seen })
    }

    /// The ids of three slots in the row; none where it leaves something unbound, or where a triple
    /// term is none.
    fn ids(&self, slots: &[Slot; 3]) -> Outcome<Option<[u64; 3]>> {
        let mut ids = [UNBOUND; 3];
        for (id, slot) in ids.iter_mut().zip(slots) {
            match self.id(slot)? {
                Some(own) => *id = own,
                None => return Ok(None),
            }
        }
        Ok(Some(ids))
    }

    fn id(&self, slot: &Slot) -> Outcome<Option<u64>> {
        match slot {
            Slot::Constant(own, _) => Ok(Some(*own)),
            Slot::Column(place) => {
                let id = place.map(|place| self.row[place]);
                Ok(id.filter(|id| *id != UNBOUND))
            }
            // Above all ids of terms.
            Slot::Node(number) => Ok(Some(UNBOUND - 1 - *number as u64)),
            Slot::Triple(slots) => {
                let Some(ids) = self.ids(slots)? else { return Ok(None) };
                if !is_fixed(slots) {
                    // The node is the row's own, and so is the triple term: a hash is enough.
                    return Ok(Some(ids.into_iter().fold(0, mix)));
                }
                let term = self.triple(slots)?.map(Term::from);
                term.map(|term| self.solutions.ids.id(&term)).transpose()
            }
        }
    }

    /// The term of a slot, whose variables are bound; none of a triple term that is none.
    fn term(&self, slot: &Slot) -> Outcome<Option<Term>> {
        Ok(Some(match slot {
            Slot::Constant(_, term) => term.clone(),
            Slot::Node(number) => self.nodes[*number].clone().into(),
            Slot::Column(place) => {
                let id = place.map_or(UNBOUND, |place| self.row[place]);
                self.solutions.ids.term(id)?
            }
            Slot::Triple(slots) => return Ok(self.triple(slots)?.map(Term::from)),
        }))
    }

    /// A triple, unless it is none: a literal or a triple term as its subject, or no IRI as its
    /// predicate.
    fn triple(&self, [subject, predicate, object]: &[Slot; 3]) -> Outcome<Option<Triple>> {
        let (Some(subject), Some(predicate), Some(object)) =
            (self.term(subject)?, self.term(predicate)?, self.term(object)?)
        else {
            return Ok(None);
        };
        let (subject, predicate) =
            (NamedOrBlankNode::try_from(subject), NamedNode::try_from(predicate));
        let (Ok(subject), Ok(predicate)) = (subject, predicate) else { return Ok(None) };
        Ok(Some(Triple::new(subject, predicate, object)))
    }
}

/// Whether none of it is a blank node of the template, of which each row has its own.
fn is_fixed(slots: &[Slot; 3]) -> bool {
    slots.iter().all(|slot| match slot {
        Slot::Constant(..) | Slot::Column(_) => true,
        Slot::Node(_) => false,
        Slot::Triple(inner) => is_fixed(inner),
    })
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
                self.own.clear();
                self.next = 0;
            }
            let at = self.next;
            self.next += 1;
            let slots = &self.template[at];
            let ids = match self.ids(slots) {
                Ok(Some(ids)) => ids,
                Ok(None) => continue,
                Err(stop) => return Some(Err(stop.into())),
            };
            let is_new = if is_fixed(slots) {
                self.seen.is_new(ids)
            } else {
                let is_new = !self.own.contains(&ids);
                self.own.push(ids);
                is_new
            };
            if !is_new {
                continue;
            }
            match self.triple(&self.template[at]) {
                Ok(Some(triple)) => return Some(Ok(triple)),
                Ok(None) => {}
                Err(stop) => return Some(Err(stop.into())),
            }
        }
    }
}
