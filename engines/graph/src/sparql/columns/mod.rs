//! Vectorised evaluation: a query is planned, and the plan runs operator by operator over whole
//! columns of ids, or some rows at a time where few are wanted or memory is short.
//!
//! | file or folder | what |
//! |---|---|
//! | plan | the plan of a query, before it runs |
//! | evaluate.rs, early.rs | a plan run; and run until there are enough rows |
//! | scan, join, filter, path | patterns of quads, their joins, what rows pass, property paths |
//! | expression | expressions, BIND |
//! | group, count | GROUP BY and aggregates; COUNT without rows |
//! | sort.rs | ORDER BY |
//! | solutions.rs | rows, whose terms are read as they are asked for |
//! | form | CONSTRUCT, DESCRIBE |
//! | table | solutions as columns, and what they may take |
//! | state.rs, stop.rs | an evaluation, and why it ends |

mod count;
mod early;
mod evaluate;
mod expression;
mod filter;
mod form;
mod group;
mod join;
mod path;
mod plan;
mod scan;
mod solutions;
mod sort;
mod state;
mod stop;
mod table;

use oxrdf::Variable;
use spargebra::Query;
use spargebra::algebra::GraphPattern;
use spargebra::term::TriplePattern;

use super::explain::Operator;
use super::graphs::QueryGraphs;
use super::rewrite::in_scope;
use crate::view::View;
use plan::planner::Planner;
use plan::show::Show;
use solutions::Rows;
use state::{Columns, GraphOf};
use stop::Outcome;

pub(super) use form::construct::Constructed;
pub(super) use form::describe::Described;
pub(super) use solutions::Solutions;
pub(super) use state::Request;
pub(super) use stop::Stop;

/// What a query gave, and its plan with what each operator did, if somebody wants to know.
pub(super) type Answered<T> = (T, Option<Operator>);

impl<'v, V: View> Request<'_, 'v, V> {
    /// The plan of the query, which is not run.
    pub(super) fn plan(self) -> Outcome<Operator> {
        let pattern = match self.query {
            Query::Construct { template, pattern, .. } => &needed_by(template, pattern),
            Query::Ask { pattern, .. } => &first_of(pattern),
            Query::Select { pattern, .. } | Query::Describe { pattern, .. } => pattern,
        };
        let columns = Columns::new(self);
        let plan = Planner::new(&columns).plan(pattern, &GraphOf::Default)?;
        let estimates = columns.estimates(&plan)?;
        Ok(Show { estimates: &estimates, trace: None }.operator(&plan))
    }

    /// The solutions of a SELECT.
    pub(super) fn select(self, pattern: &GraphPattern) -> Outcome<Answered<Solutions<'v, V>>> {
        let (solutions, _, plan) = self.solved(pattern)?;
        Ok((solutions, plan))
    }

    /// The triples of a CONSTRUCT.
    pub(super) fn construct(
        self,
        template: &[TriplePattern],
        pattern: &GraphPattern,
    ) -> Outcome<Answered<Constructed<'v, V>>> {
        let memory_max = self.session.memory_max();
        let (solutions, _, plan) = self.solved(&needed_by(template, pattern))?;
        Ok((Constructed::new(solutions, template, memory_max)?, plan))
    }

    /// The triples of a DESCRIBE.
    pub(super) fn describe(self, pattern: &GraphPattern) -> Outcome<Answered<Described<'v, V>>> {
        let (solutions, graphs, plan) = self.solved(pattern)?;
        Ok((Described::new(solutions, graphs), plan))
    }

    /// Whether an ASK has a solution.
    pub(super) fn ask(self, pattern: &GraphPattern) -> Outcome<Answered<bool>> {
        let (mut solutions, _, plan) = self.solved(&first_of(pattern))?;
        Ok((solutions.next_row()?.is_some(), plan))
    }

    /// The solutions of the query's pattern, or of what of it is wanted, the graphs that they were
    /// looked up in, and the plan.
    fn solved(self, pattern: &GraphPattern) -> Outcome<Solved<'v, V>> {
        let columns = Columns::new(self);
        let plan = Planner::new(&columns).plan(pattern, &GraphOf::Default)?;
        let estimates = columns.clock().map(|_| columns.estimates(&plan)).transpose()?;
        let rows = match columns.long_scan(&plan)? {
            Some(scan) => Rows::Scan(scan),
            None => match columns.run(&plan, None) {
                Err(Stop::Memory(_)) if plan.holds_little() => {
                    Rows::Spooled(columns.spooled(&plan)?)
                }
                table => Rows::Table(table?, 0),
            },
        };
        let trace = columns.trace();
        let shown = estimates
            .as_ref()
            .map(|estimates| Show { estimates, trace: trace.as_deref() }.operator(&plan));
        let (ids, graphs) = columns.into_parts();
        Ok((Solutions::new(rows, ids), graphs, shown))
    }
}

/// Solutions, the graphs that they were looked up in, and the plan.
type Solved<'v, V> = (Solutions<'v, V>, QueryGraphs<'v, V>, Option<Operator>);

/// The first solution of a pattern, without its values.
fn first_of(pattern: &GraphPattern) -> GraphPattern {
    let inner = Box::new(pattern.clone());
    let inner = Box::new(GraphPattern::Project { inner, variables: Vec::new() });
    GraphPattern::Slice { inner, start: 0, length: Some(1) }
}

/// What of a pattern's solutions a template names.
fn needed_by(template: &[TriplePattern], pattern: &GraphPattern) -> GraphPattern {
    let inner = GraphPattern::Bgp { patterns: template.to_vec() };
    let variables = in_scope(&inner).into_iter().map(Variable::new_unchecked).collect();
    GraphPattern::Project { inner: Box::new(pattern.clone()), variables }
}
