//! Terms of one evaluation as ids: those of the view by their own, constants and computed values
//! that it doesn't hold by local ones.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use oxrdf::Term;

use super::super::super::session::Session;
use super::super::super::terms::{Cell, to_term, with_term_ref};
use super::super::stop::{Outcome, Stop};
use crate::view::View;
use crate::{Id, Tag};

/// Tag of local ids: no store gives it.
const LOCAL: Tag = Tag(254);

/// Ids of terms. Two ids are equal if and only if the terms are the same term. What is cloned gives
/// the same ids.
pub(in crate::sparql) struct Ids<'v, V> {
    view: &'v V,
    session: Rc<Session<'v>>,
    local: Rc<RefCell<Local>>,
    /// Numbers of IRIs and of simple literals below which they are in the order of their texts.
    sorted_below: [u64; 2],
}

#[derive(Default)]
struct Local {
    terms: Vec<Rc<Term>>,
    ids: HashMap<Rc<Term>, u64>,
    /// Number of tables whose rows were told apart.
    tables: u32,
}

// By hand: a view needn't be cloned for it.
impl<V> Clone for Ids<'_, V> {
    fn clone(&self) -> Self {
        let (view, sorted_below) = (self.view, self.sorted_below);
        Ids { view, session: self.session.clone(), local: self.local.clone(), sorted_below }
    }
}

impl<'v, V: View> Ids<'v, V> {
    pub(in crate::sparql) fn new(view: &'v V, session: Rc<Session<'v>>) -> Self {
        let sorted_below = [Tag::IRI, Tag::STRING].map(|tag| view.sorted_below(tag));
        Ids { view, session, local: Rc::default(), sorted_below }
    }

    /// Whether an id lies where those of other IRIs and simple literals do in the order of their
    /// terms.
    #[inline]
    pub(in crate::sparql) fn is_sorted(&self, id: u64) -> bool {
        let [iris, strings] = self.sorted_below;
        match Id(id).tag() {
            Tag::IRI => Id(id).payload() < iris,
            Tag::STRING => Id(id).payload() < strings,
            _ => false,
        }
    }

    pub(in crate::sparql) fn session(&self) -> &Session<'v> {
        &self.session
    }

    /// The id of a term that the view has.
    pub(in crate::sparql) fn find(&self, term: &Term) -> Outcome<Option<Id>> {
        self.session.count(|work| work.terms_found += 1);
        let found = with_term_ref(term, |term| self.view.find_term(term)).transpose();
        Ok(found.map_err(|error| Stop::Failed(error.into()))?.flatten())
    }

    /// The id of any term.
    pub(in crate::sparql) fn id(&self, term: &Term) -> Outcome<u64> {
        if let Some(id) = self.find(term)? {
            return Ok(id.0);
        }
        Ok(self.of_computed(term))
    }

    /// The local id of a term: another one than that of the view, if the view has the term.
    pub(in crate::sparql) fn of_computed(&self, term: &Term) -> u64 {
        let mut local = self.local.borrow_mut();
        if let Some(id) = local.ids.get(term) {
            return *id;
        }
        let (id, term) = (Id::new(LOCAL, local.terms.len() as u64).0, Rc::new(term.clone()));
        local.terms.push(term.clone());
        local.ids.insert(term, id);
        id
    }

    /// Begins to tell the rows of another table apart.
    pub(in crate::sparql) fn begin_table(&self) {
        self.local.borrow_mut().tables += 1;
    }

    /// The number of the table: together with the number of a row a solution.
    pub(in crate::sparql) fn table(&self) -> u32 {
        self.local.borrow().tables
    }

    /// What an id is inside the evaluator.
    pub(in crate::sparql) fn cell(&self, id: u64) -> Cell {
        match self.local_term(id) {
            Some(term) => Cell::Foreign(term),
            None => Cell::Id(Id(id)),
        }
    }

    /// The term of an id.
    pub(in crate::sparql) fn term(&self, id: u64) -> Outcome<Term> {
        if let Some(term) = self.local_term(id) {
            return Ok(Term::clone(&term));
        }
        self.session.count(|work| work.terms_read += 1);
        self.view.read_term(Id(id), to_term).map_err(|error| Stop::Failed(error.into()))
    }

    fn local_term(&self, id: u64) -> Option<Rc<Term>> {
        let id = Id(id);
        (id.tag() == LOCAL).then(|| self.local.borrow().terms[id.payload() as usize].clone())
    }
}

/// Whether computed terms are looked up among the view's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::sparql) enum LookUp {
    Yes,
    /// They are compared with nothing but terms that the same expression has computed.
    No,
}

/// Whether an id is that of a term that the view doesn't hold, or was not looked up there.
pub(in crate::sparql) fn is_local(id: u64) -> bool {
    Id(id).tag() == LOCAL
}

/// Whether an id is that of an IRI or a blank node of the view.
pub(in crate::sparql) fn is_node(id: u64) -> bool {
    matches!(Id(id).tag(), Tag::IRI | Tag::BLANK)
}

/// Whether an id is that of a literal of the view.
pub(in crate::sparql) fn is_literal(id: u64) -> bool {
    let tag = Id(id).tag();
    (Tag::STRING..LOCAL).contains(&tag) && tag != Tag::TRIPLE
}
