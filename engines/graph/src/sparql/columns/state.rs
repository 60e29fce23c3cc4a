//! An evaluation: the view, its terms, what it may take, what it has done.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::rc::Rc;

use spargebra::Query;
use spargebra::algebra::GraphPattern;
use spargebra::term::TriplePattern;

use super::super::graphs::QueryGraphs;
use super::super::levels::Levels;
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
    /// The one that a parameter of the plan has.
    Parameter(String),
}

impl GraphOf {
    /// The variable.
    pub(in crate::sparql) fn variable(&self) -> Option<&String> {
        match self {
            GraphOf::Variable(name) => Some(name),
            GraphOf::Default | GraphOf::Name(_) | GraphOf::Id(_) | GraphOf::Parameter(_) => None,
        }
    }
}

/// A query of a view.
pub(in crate::sparql) struct Request<'v, V> {
    pub(in crate::sparql) view: &'v V,
    pub(in crate::sparql) graphs: QueryGraphs<'v, V>,
    pub(in crate::sparql) query: Rc<Query>,
    pub(in crate::sparql) session: Rc<Session<'v>>,
    pub(in crate::sparql) levels: Levels,
    /// For what the operators do: none where nobody wants to know.
    pub(in crate::sparql) trace: Option<Rc<Trace>>,
}

/// What was made of a triple pattern in graphs: none where a constant isn't in the store.
type MadePatterns = Vec<(GraphOf, Option<QuadPattern>)>;

/// An evaluation.
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
    /// The values of the plan's parameters, those of the innermost part last.
    pub(super) parameters: RefCell<Vec<(String, u64)>>,
    /// Computed columns that nothing reads but the answer, ORDER BY and DISTINCT.
    shown: Vec<&'s GraphPattern>,
    /// What the operators did, if somebody wants to know.
    trace: Option<Rc<Trace>>,
}

/// What the operators of a plan did, by their numbers.
pub(in crate::sparql) struct Trace {
    clock: fn() -> u64,
    done: RefCell<Vec<Traced>>,
}

impl Trace {
    /// Nothing done. The clock shows nanoseconds.
    pub(in crate::sparql) fn new(clock: fn() -> u64) -> Trace {
        Trace { clock, done: RefCell::default() }
    }

    /// What each operator did, by its number.
    pub(in crate::sparql) fn done(&self) -> Vec<Traced> {
        self.done.borrow().clone()
    }

    /// Forgets what was done.
    pub(in crate::sparql) fn clear(&self) {
        self.done.borrow_mut().clear();
    }
}

/// What an operator did, over all of its runs.
#[derive(Clone, Default, Debug)]
pub(in crate::sparql) struct Traced {
    pub(in crate::sparql) rows: u64,
    /// Nanoseconds, those of the operators that it reads included.
    pub(in crate::sparql) time_ns: u64,
    /// Memory of the rows that it gave, in bytes; 0 where they passed by without being kept.
    pub(in crate::sparql) len: u64,
    /// Number of threads that worked on it at once; 0 where it didn't run.
    pub(in crate::sparql) threads: usize,
    /// The way that was chosen while it ran.
    pub(in crate::sparql) way: Option<String>,
}

/// When an operator began.
#[derive(Clone, Copy)]
pub(in crate::sparql) struct Timer(pub(in crate::sparql) u64);

impl<'s, 'v, V: View> Columns<'s, 'v, V> {
    /// The evaluation of a query, whose terms have some ids so far.
    pub(in crate::sparql) fn new(request: &'s Request<'v, V>, ids: Ids<'v, V>) -> Self {
        let Request { view, graphs, query, session, trace, levels: _ } = request;
        Columns {
            view,
            graphs: graphs.clone(),
            session: session.clone(),
            ids,
            meter: Meter::new(session),
            query,
            patterns: RefCell::default(),
            parameters: RefCell::default(),
            shown: shown(query),
            trace: trace.clone(),
        }
    }

    /// Whether the column that a part computes is compared with no other.
    pub(in crate::sparql) fn is_only_shown(&self, part: &GraphPattern) -> bool {
        self.shown.iter().any(|shown| std::ptr::eq(*shown, part))
    }

    /// The clock, if somebody wants to know how long operators take.
    pub(in crate::sparql) fn clock(&self) -> Option<fn() -> u64> {
        self.trace.as_ref().map(|trace| trace.clock)
    }

    /// Nanoseconds of the clock; 0 where nobody wants to know.
    pub(in crate::sparql) fn now_ns(&self) -> u64 {
        self.trace.as_ref().map_or(0, |trace| (trace.clock)())
    }

    /// Starts the timer of an operator.
    pub(in crate::sparql) fn start_timer(&self) -> Timer {
        Timer(self.now_ns())
    }

    /// Records an operator that gave a table.
    pub(in crate::sparql) fn record(&self, number: usize, timer: Timer, table: &Table) {
        self.record_rows(number, timer, table.row_count as u64, table.len());
    }

    /// Records an operator that has given rows which take some bytes.
    pub(in crate::sparql) fn record_rows(&self, number: usize, timer: Timer, rows: u64, len: u64) {
        let time_ns = self.now_ns().saturating_sub(timer.0);
        self.record_time(number, time_ns, rows, len);
    }

    /// Records an operator that took some time.
    pub(in crate::sparql) fn record_time(&self, number: usize, time_ns: u64, rows: u64, len: u64) {
        self.traced(number, |done| {
            done.rows += rows;
            done.time_ns += time_ns;
            done.len += len;
            done.threads = done.threads.max(1);
        });
    }

    /// Records the number of threads of an operator.
    pub(in crate::sparql) fn record_threads(&self, number: usize, threads: usize) {
        self.traced(number, |done| done.threads = done.threads.max(threads));
    }

    /// Records the way that an operator took.
    pub(in crate::sparql) fn record_way(&self, number: usize, way: impl fmt::Display) {
        self.traced(number, |done| done.way = Some(way.to_string()));
    }

    fn traced(&self, number: usize, change: impl FnOnce(&mut Traced)) {
        if let Some(trace) = &self.trace {
            let mut all = trace.done.borrow_mut();
            if all.len() <= number {
                all.resize(number + 1, Traced::default());
            }
            change(&mut all[number]);
        }
    }

    /// Runs a part whose parameters have some values.
    pub(in crate::sparql) fn with_parameters<T>(
        &self,
        values: Vec<(String, u64)>,
        part: impl FnOnce() -> T,
    ) -> T {
        let count = self.parameters.borrow().len();
        self.parameters.borrow_mut().extend(values);
        let made = part();
        self.parameters.borrow_mut().truncate(count);
        made
    }

    /// Runs an inner query: of the parameters those that it doesn't project are other variables
    /// inside.
    pub(in crate::sparql) fn inside_projection<T>(
        &self,
        names: &[String],
        part: impl FnOnce() -> T,
    ) -> T {
        if !self.has_parameters() {
            return part();
        }
        let mut inside = self.parameters.borrow().clone();
        inside.retain(|(name, _)| name.starts_with(' ') || names.contains(name));
        let outside = self.parameters.replace(inside);
        let made = part();
        self.parameters.replace(outside);
        made
    }

    /// Whether it runs a part that has parameters.
    pub(in crate::sparql) fn has_parameters(&self) -> bool {
        !self.parameters.borrow().is_empty()
    }

    /// A table with the values of parameters as columns, of those variables among some that it
    /// doesn't have; none if it needs none.
    pub(in crate::sparql) fn with_parameter_columns(
        &self,
        table: &Table,
        names: &BTreeSet<String>,
    ) -> Option<Table> {
        if !self.has_parameters() {
            return None;
        }
        let is_missing = |name: &&String| table.place(name).is_none();
        let missing: Vec<(&String, u64)> = names
            .iter()
            .filter(is_missing)
            .filter_map(|name| Some((name, self.parameter(name)?)))
            .collect();
        if missing.is_empty() {
            return None;
        }
        let mut own = table.copied();
        for (name, id) in missing {
            own.push(name.clone(), vec![id; table.row_count]);
        }
        Some(own)
    }

    /// The value of a parameter.
    pub(in crate::sparql) fn parameter(&self, name: &str) -> Option<u64> {
        let all = self.parameters.borrow();
        all.iter().rev().find(|(own, _)| own == name).map(|(_, id)| *id)
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
