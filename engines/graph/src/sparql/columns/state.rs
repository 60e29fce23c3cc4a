//! An evaluation by columns: the view, its terms, what it may take, what it has done.
//!
//! Callers: all of columns

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

use spargebra::Query;
use spargebra::term::NamedNodePattern;

use super::super::explain::PlanLine;
use super::super::session::Session;
use super::ids::Ids;
use super::meter::Meter;
use crate::view::View;

/// The graph that patterns are matched in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum GraphOf {
    /// The default graph.
    Default,
    /// One of this name.
    Name(oxrdf::NamedNode),
    /// Each named one, as a variable.
    Variable(String),
}

impl GraphOf {
    /// The variable.
    pub(super) fn variable(&self) -> Option<&String> {
        match self {
            GraphOf::Variable(name) => Some(name),
            GraphOf::Default | GraphOf::Name(_) => None,
        }
    }

    pub(super) fn named(name: &NamedNodePattern) -> GraphOf {
        match name {
            NamedNodePattern::NamedNode(node) => GraphOf::Name(node.clone()),
            NamedNodePattern::Variable(variable) => GraphOf::Variable(variable.as_str().to_owned()),
        }
    }
}

/// An evaluation by columns.
pub(crate) struct Columns<'s, 'v, V> {
    pub(super) view: &'v V,
    pub(super) session: Rc<Session<'v>>,
    pub(super) ids: Ids<'v, V>,
    pub(super) meter: Meter<'s, 'v>,
    /// The query, for what its expressions are resolved against.
    pub(super) query: &'s Query,
    /// Parts that were made, in that order, if somebody wants to know.
    steps: Option<RefCell<Vec<PlanLine>>>,
}

impl<'s, 'v, V: View> Columns<'s, 'v, V> {
    pub(super) fn new(
        view: &'v V,
        session: &'s Rc<Session<'v>>,
        query: &'s Query,
        is_told: bool,
    ) -> Self {
        Columns {
            view,
            session: session.clone(),
            ids: Ids::new(view, session.clone()),
            meter: Meter::new(session),
            query,
            steps: is_told.then(RefCell::default),
        }
    }

    /// Notes a part of the plan.
    pub(super) fn note(&self, what: &dyn fmt::Display, row_count: usize) {
        if let Some(steps) = &self.steps {
            let (what, rows) = (what.to_string(), row_count as u64);
            let line = PlanLine { depth: 0, what, estimate: None, rows, time_ns: 0, len: 0 };
            steps.borrow_mut().push(line);
        }
    }

    pub(super) fn into_parts(self) -> (Ids<'v, V>, Vec<PlanLine>) {
        (self.ids, self.steps.map(RefCell::into_inner).unwrap_or_default())
    }
}
