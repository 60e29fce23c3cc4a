//! A vectorised evaluation: the view, its terms, what it may take, what it has done.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::rc::Rc;

use spargebra::Query;
use spargebra::algebra::GraphPattern;
use spargebra::term::{NamedNodePattern, TriplePattern};

use super::super::explain::PlanLine;
use super::super::graphs::QueryGraphs;
use super::super::session::Session;
use super::scan::quads::QuadPattern;
use super::table::ids::Ids;
use super::table::meter::Meter;
use super::table::rows::Table;
use crate::Id;
use crate::view::View;

/// The graph that patterns are matched in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::sparql) enum GraphOf {
    /// The default graph.
    Default,
    /// One of this name.
    Name(oxrdf::NamedNode),
    /// One of this id.
    Id(Id),
    /// Each named one, as a variable.
    Variable(String),
}

impl GraphOf {
    /// The variable.
    pub(in crate::sparql) fn variable(&self) -> Option<&String> {
        match self {
            GraphOf::Variable(name) => Some(name),
            GraphOf::Default | GraphOf::Name(_) | GraphOf::Id(_) => None,
        }
    }

    pub(in crate::sparql) fn named(name: &NamedNodePattern) -> GraphOf {
        match name {
            NamedNodePattern::NamedNode(node) => GraphOf::Name(node.clone()),
            NamedNodePattern::Variable(variable) => GraphOf::Variable(variable.as_str().to_owned()),
        }
    }
}

/// A query of a view, to be vectorised.
pub(in crate::sparql) struct Request<'r, 'v, V> {
    pub(in crate::sparql) view: &'v V,
    pub(in crate::sparql) graphs: QueryGraphs<'v, V>,
    pub(in crate::sparql) query: &'r Query,
    pub(in crate::sparql) session: &'r Rc<Session<'v>>,
    /// For the plan: none where nobody wants to know.
    pub(in crate::sparql) clock: Option<fn() -> u64>,
}

/// What was made of a triple pattern in graphs: none where a constant isn't in the store.
type MadePatterns = Vec<(GraphOf, Option<QuadPattern>)>;

/// A vectorised evaluation.
pub(crate) struct Columns<'s, 'v, V> {
    pub(in crate::sparql) view: &'v V,
    pub(in crate::sparql) graphs: QueryGraphs<'v, V>,
    pub(in crate::sparql) session: Rc<Session<'v>>,
    pub(in crate::sparql) ids: Ids<'v, V>,
    pub(in crate::sparql) meter: Meter<'s, 'v>,
    /// The query, for what its expressions are resolved against.
    pub(in crate::sparql) query: &'s Query,
    /// The patterns of quads that were made, by graph.
    pub(super) patterns: RefCell<HashMap<TriplePattern, MadePatterns>>,
    /// Computed columns that nothing reads but the answer, ORDER BY and DISTINCT.
    shown: Vec<&'s GraphPattern>,
    /// The plan so far, if somebody wants to know.
    plan: Option<Trace>,
}

/// A plan while its operators run.
struct Trace {
    clock: fn() -> u64,
    lines: RefCell<Vec<PlanLine>>,
}

/// When an operator began: after the lines and the time that were there.
#[derive(Clone, Copy)]
pub(in crate::sparql) struct Timer {
    line_count: usize,
    time_ns: u64,
}

impl<'s, 'v, V: View> Columns<'s, 'v, V> {
    pub(in crate::sparql) fn new(request: Request<'s, 'v, V>) -> Self {
        let Request { view, graphs, query, session, clock } = request;
        Columns {
            view,
            graphs,
            session: session.clone(),
            ids: Ids::new(view, session.clone()),
            meter: Meter::new(session),
            query,
            patterns: RefCell::default(),
            shown: shown(query),
            plan: clock.map(|clock| Trace { clock, lines: RefCell::default() }),
        }
    }

    /// Whether the column that a part computes is compared with no other.
    pub(in crate::sparql) fn is_only_shown(&self, part: &GraphPattern) -> bool {
        self.shown.iter().any(|shown| std::ptr::eq(*shown, part))
    }

    /// Starts the timer of an operator.
    pub(in crate::sparql) fn start_timer(&self) -> Timer {
        match &self.plan {
            Some(plan) => Timer { line_count: plan.lines.borrow().len(), time_ns: (plan.clock)() },
            None => Timer { line_count: 0, time_ns: 0 },
        }
    }

    /// Records an operator that gave a table. What was recorded since its start is inside of it.
    pub(in crate::sparql) fn record(
        &self,
        timer: Timer,
        what: &dyn fmt::Display,
        estimate: Option<u64>,
        table: &Table,
    ) {
        self.record_rows(timer, what, estimate, table.row_count as u64, table.len());
    }

    /// Records an operator that has given rows which take some bytes.
    pub(in crate::sparql) fn record_rows(
        &self,
        timer: Timer,
        what: &dyn fmt::Display,
        estimate: Option<u64>,
        rows: u64,
        len: u64,
    ) {
        let Some(plan) = &self.plan else { return };
        let time_ns = (plan.clock)().saturating_sub(timer.time_ns);
        let mut lines = plan.lines.borrow_mut();
        lines[timer.line_count..].iter_mut().for_each(|line| line.depth += 1);
        let line =
            PlanLine { depth: 0, what: what.to_string(), estimate, rows, time_ns, len, threads: 1 };
        lines.insert(timer.line_count, line);
    }

    /// Records the number of threads of the operator that was recorded last, and began then.
    pub(in crate::sparql) fn record_threads(&self, timer: Timer, threads: usize) {
        if let Some(plan) = &self.plan
            && let Some(line) = plan.lines.borrow_mut().get_mut(timer.line_count)
        {
            line.threads = threads;
        }
    }

    pub(in crate::sparql) fn into_parts(self) -> (Ids<'v, V>, QueryGraphs<'v, V>, Vec<PlanLine>) {
        let plan = self.plan.map(|plan| plan.lines.into_inner()).unwrap_or_default();
        (self.ids, self.graphs, plan)
    }
}

/// The parts of a query at its top that compute columns.
fn shown(query: &Query) -> Vec<&GraphPattern> {
    use GraphPattern as P;
    let Query::Select { pattern, .. } = query else { return Vec::new() };
    let (mut shown, mut part) = (Vec::new(), pattern);
    loop {
        part = match part {
            P::Project { inner, .. }
            | P::Slice { inner, .. }
            | P::OrderBy { inner, .. }
            | P::Distinct { inner }
            | P::Reduced { inner } => inner,
            P::Extend { inner, .. } => {
                shown.push(part);
                inner
            }
            _ => return shown,
        };
    }
}
