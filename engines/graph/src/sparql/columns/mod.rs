//! Vectorised evaluation: part by part over whole columns of ids, where that is known to give what
//! the row-by-row evaluator gives. What isn't implemented here ends with [`Stop::NotHere`], and
//! that evaluator answers.
//!
//! | file or folder | what |
//! |---|---|
//! | recognise.rs | which queries come here |
//! | plan | the plan of a query, before it runs |
//! | evaluate.rs | a plan run |
//! | scan, join, filter, path | patterns of quads, their joins, what rows pass, property paths |
//! | expression | expressions, BIND |
//! | group, count | GROUP BY and aggregates; COUNT without rows |
//! | sort.rs | ORDER BY |
//! | form | CONSTRUCT, DESCRIBE |
//! | table | solutions as columns, and what they may take |
//! | state.rs, stop.rs | an evaluation, and why it ends |

mod count;
mod evaluate;
mod expression;
mod filter;
mod form;
mod group;
mod join;
mod path;
mod plan;
mod recognise;
mod scan;
mod sort;
mod state;
mod stop;
mod table;

use std::sync::Arc;

use oxrdf::{Term, Variable};
use spargebra::Query;
use spargebra::algebra::GraphPattern;
use spargebra::term::TriplePattern;

use super::error::SparqlError;
use super::explain::Operator;
use super::graphs::QueryGraphs;
use super::rewrite::in_scope;
use crate::view::View;
use plan::planner::Planner;
use plan::show::Show;
use state::{Columns, GraphOf};
use stop::Outcome;
use table::ids::Ids;
use table::rows::{Table, UNBOUND};

pub(super) use form::construct::Constructed;
pub(super) use form::describe::Described;
pub(super) use recognise::{holds_little, is_known, lone_triple, needs_all};
pub(super) use state::Request;
pub(super) use stop::Stop;

/// Solutions whose terms are read as they are asked for.
pub(super) struct Solutions<'v, V> {
    pub(super) variables: Arc<[Variable]>,
    table: Table,
    ids: Ids<'v, V>,
    next: usize,
}

impl<V: View> Iterator for Solutions<'_, V> {
    type Item = Result<Vec<Option<Term>>, SparqlError>;

    fn next(&mut self) -> Option<Self::Item> {
        let row = self.next;
        if row == self.table.row_count {
            return None;
        }
        self.next += 1;
        let term = |column: &Vec<u64>| match column[row] {
            UNBOUND => Ok(None),
            id => self.ids.term(id).map(Some),
        };
        let terms: Outcome<Vec<_>> = self.table.columns.iter().map(term).collect();
        Some(terms.map_err(SparqlError::from))
    }
}

/// Maximum number of rows of one pattern that are all read before the first is given; more are
/// given as they are read.
const SCANNED_MAX: u64 = 8192;

/// What a query gave, and its plan with what each operator did, if somebody wants to know.
pub(super) type Answered<T> = (T, Option<Operator>);

impl<'v, V: View> Request<'_, 'v, V> {
    /// The plan of a query that is not run.
    pub(super) fn plan(self) -> Outcome<Operator> {
        let pattern = match self.query {
            Query::Construct { template, pattern, .. } => &needed_by(template, pattern),
            Query::Select { pattern, .. }
            | Query::Describe { pattern, .. }
            | Query::Ask { pattern, .. } => pattern,
        };
        let columns = Columns::new(self);
        let plan = Planner::new(&columns).plan(pattern, &GraphOf::Default)?;
        let estimates = columns.estimates(&plan)?;
        Ok(Show { estimates: &estimates, trace: None }.operator(&plan))
    }

    /// The solutions of a SELECT.
    pub(super) fn select(self) -> Outcome<Answered<Solutions<'v, V>>> {
        let Query::Select { pattern, .. } = self.query else {
            return Err(Stop::NotHere("not a SELECT"));
        };
        let (solutions, _, plan) = self.solved(pattern)?;
        Ok((solutions, plan))
    }

    /// The triples of a CONSTRUCT.
    pub(super) fn construct(self) -> Outcome<Answered<Constructed<'v, V>>> {
        let Query::Construct { template, pattern, .. } = self.query else {
            return Err(Stop::NotHere("not a CONSTRUCT"));
        };
        let memory_max = self.session.memory_max();
        let (solutions, _, plan) = self.solved(&needed_by(template, pattern))?;
        Ok((Constructed::new(solutions, template, memory_max)?, plan))
    }

    /// The triples of a DESCRIBE.
    pub(super) fn describe(self) -> Outcome<Answered<Described<'v, V>>> {
        let Query::Describe { pattern, .. } = self.query else {
            return Err(Stop::NotHere("not a DESCRIBE"));
        };
        let (solutions, graphs, plan) = self.solved(pattern)?;
        Ok((Described::new(solutions, graphs), plan))
    }

    /// Whether an ASK has a solution.
    pub(super) fn ask(self) -> Outcome<Answered<bool>> {
        let Query::Ask { pattern, .. } = self.query else {
            return Err(Stop::NotHere("not an ASK"));
        };
        let (solutions, _, plan) = self.solved(pattern)?;
        Ok((solutions.table.row_count > 0, plan))
    }

    /// The solutions of the query's pattern, or of what of it is wanted, the graphs that they were
    /// looked up in, and the plan.
    fn solved(self, pattern: &GraphPattern) -> Outcome<Solved<'v, V>> {
        let columns = Columns::new(self);
        if let Some(triple) = recognise::lone_triple(pattern) {
            let scanned = columns.quad_pattern(triple, &GraphOf::Default)?;
            if scanned.is_some_and(|scanned| scanned.count > SCANNED_MAX) {
                return Err(Stop::NotHere("long scan of one pattern"));
            }
        }
        let plan = Planner::new(&columns).plan(pattern, &GraphOf::Default)?;
        let estimates = columns.clock().map(|_| columns.estimates(&plan)).transpose()?;
        let table = columns.run(&plan, None)?;
        let trace = columns.trace();
        let shown = estimates
            .as_ref()
            .map(|estimates| Show { estimates, trace: trace.as_deref() }.operator(&plan));
        let variables = table.names.iter().map(Variable::new_unchecked).collect();
        let (ids, graphs) = columns.into_parts();
        Ok((Solutions { variables, table, ids, next: 0 }, graphs, shown))
    }
}

/// Solutions, the graphs that they were looked up in, and the plan.
type Solved<'v, V> = (Solutions<'v, V>, QueryGraphs<'v, V>, Option<Operator>);

/// What of a pattern's solutions a template names.
fn needed_by(template: &[TriplePattern], pattern: &GraphPattern) -> GraphPattern {
    let inner = GraphPattern::Bgp { patterns: template.to_vec() };
    let variables = in_scope(&inner).into_iter().map(Variable::new_unchecked).collect();
    GraphPattern::Project { inner: Box::new(pattern.clone()), variables }
}
