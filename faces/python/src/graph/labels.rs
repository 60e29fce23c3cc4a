//! Labels of blank nodes that a program gave: a store keeps numbers.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use manicule::graph::{Solution, Transaction, blank_number};
use oxrdf::{BlankNode, GraphName, NamedOrBlankNode, Quad, Term, Triple};

/// What marks a label that is none of the store's.
const GIVEN: char = 'g';

/// The labels of the nodes that a handle has made, both ways: who gives a label finds the node by
/// it, and is shown it. They are known as long as the handle; then the nodes have the store's own
/// labels, `b` and a number.
#[derive(Clone, Default)]
pub(super) struct Labels {
    known: Arc<Mutex<Known>>,
}

#[derive(Clone, Default)]
struct Known {
    /// The store's own label of a given one.
    own: HashMap<String, String>,
    /// The given label of the store's own.
    given: HashMap<String, String>,
}

impl Labels {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The same labels in the child of a fork, where another thread may have had them.
    pub(super) fn after_fork(&self) -> Labels {
        let known = self.known.try_lock().map(|known| known.clone()).unwrap_or_default();
        Labels { known: Arc::new(Mutex::new(known)) }
    }

    /// Keeps the labels that a transaction has made nodes for, before another one begins.
    pub(super) fn keep(&self, transaction: &Transaction) {
        let mut known = self.known();
        for (given, own) in transaction.nodes().filter(|(given, own)| given != own) {
            let given = given.strip_prefix(GIVEN).unwrap_or(given);
            known.given.insert(own.clone(), given.to_owned());
            known.own.insert(given.to_owned(), own);
        }
    }

    /// Whether no label was given.
    fn are_none(&self) -> bool {
        self.known().own.is_empty()
    }

    /// A node as the store calls it; a label that it can't know is marked as given.
    fn to_own(&self, node: &mut BlankNode) {
        let known = self.known();
        let label = node.as_str();
        if let Some(own) = known.own.get(label) {
            *node = BlankNode::new_unchecked(own.as_str());
        } else if blank_number(label).is_none() || known.given.contains_key(label) {
            *node = BlankNode::new_unchecked(format!("{GIVEN}{label}"));
        }
    }

    /// A node of the store as the program calls it.
    fn to_given(&self, node: &mut BlankNode) {
        let mut known = self.known();
        let own = node.as_str();
        if let Some(given) = known.given.get(own) {
            *node = BlankNode::new_unchecked(given.as_str());
        } else if blank_number(own).is_some() && known.own.contains_key(own) {
            // The program calls another node so.
            let fresh = BlankNode::default();
            known.given.insert(own.to_owned(), fresh.as_str().to_owned());
            known.own.insert(fresh.as_str().to_owned(), own.to_owned());
            *node = fresh;
        }
    }

    pub(super) fn own_term(&self, term: &mut Term) {
        match term {
            Term::BlankNode(node) => self.to_own(node),
            Term::Triple(triple) => {
                self.own_node(&mut triple.subject);
                self.own_term(&mut triple.object);
            }
            Term::NamedNode(_) | Term::Literal(_) => {}
        }
    }

    pub(super) fn own_node(&self, node: &mut NamedOrBlankNode) {
        if let NamedOrBlankNode::BlankNode(node) = node {
            self.to_own(node);
        }
    }

    pub(super) fn own_graph(&self, name: &mut GraphName) {
        if let GraphName::BlankNode(node) = name {
            self.to_own(node);
        }
    }

    pub(super) fn own_quad(&self, quad: &mut Quad) {
        self.own_node(&mut quad.subject);
        self.own_term(&mut quad.object);
        self.own_graph(&mut quad.graph_name);
    }

    pub(super) fn shown_node(&self, node: &mut NamedOrBlankNode) {
        if let NamedOrBlankNode::BlankNode(node) = node {
            self.to_given(node);
        }
    }

    fn shown_term(&self, term: &mut Term) {
        match term {
            Term::BlankNode(node) => self.to_given(node),
            Term::Triple(triple) => self.shown_triple(triple),
            Term::NamedNode(_) | Term::Literal(_) => {}
        }
    }

    pub(super) fn shown_triple(&self, triple: &mut Triple) {
        self.shown_node(&mut triple.subject);
        self.shown_term(&mut triple.object);
    }

    pub(super) fn shown_quad(&self, quad: &mut Quad) {
        self.shown_node(&mut quad.subject);
        self.shown_term(&mut quad.object);
        if let GraphName::BlankNode(node) = &mut quad.graph_name {
            self.to_given(node);
        }
    }

    pub(super) fn shown_row(&self, row: Solution) -> Solution {
        let is_blank =
            |term: &Option<Term>| matches!(term, Some(Term::BlankNode(_) | Term::Triple(_)));
        if !row.values().iter().any(is_blank) || self.are_none() {
            return row;
        }
        let mut values = row.values().to_vec();
        values.iter_mut().flatten().for_each(|term| self.shown_term(term));
        (row.variables().to_vec(), values).into()
    }
}
