//! Vectorised evaluation: part by part over whole columns of ids, where that is known to give what
//! the row-by-row evaluator gives. What isn't implemented here ends with [`Stop::NotHere`], and
//! that evaluator answers.
//!
//! | file or folder | what |
//! |---|---|
//! | recognise.rs | which queries come here |
//! | evaluate.rs | the algebra |
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
mod recognise;
mod scan;
mod sort;
mod state;
mod stop;
mod table;

use std::mem;
use std::sync::Arc;

use oxrdf::{Term, Variable};
use spargebra::Query;
use spargebra::algebra::GraphPattern;

use super::error::SparqlError;
use super::explain::PlanLine;
use super::graphs::QueryGraphs;
use super::rewrite::in_scope;
use crate::view::View;
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
    pub(super) plan: Vec<PlanLine>,
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

impl<'v, V: View> Request<'_, 'v, V> {
    /// The solutions of a SELECT.
    pub(super) fn select(self) -> Outcome<Solutions<'v, V>> {
        let Query::Select { pattern, .. } = self.query else {
            return Err(Stop::NotHere("not a SELECT"));
        };
        Ok(self.solved(pattern)?.0)
    }

    /// The triples of a CONSTRUCT, and the plan.
    pub(super) fn construct(self) -> Outcome<(Constructed<'v, V>, Vec<PlanLine>)> {
        let Query::Construct { template, pattern, .. } = self.query else {
            return Err(Stop::NotHere("not a CONSTRUCT"));
        };
        // Of a solution no more is wanted than the template names.
        let inner = GraphPattern::Bgp { patterns: template.clone() };
        let variables = in_scope(&inner).into_iter().map(Variable::new_unchecked).collect();
        let pattern = GraphPattern::Project { inner: Box::new(pattern.clone()), variables };
        let memory_max = self.session.memory_max();
        let (mut solutions, _) = self.solved(&pattern)?;
        let plan = mem::take(&mut solutions.plan);
        Ok((Constructed::new(solutions, template, memory_max)?, plan))
    }

    /// The triples of a DESCRIBE, and the plan.
    pub(super) fn describe(self) -> Outcome<(Described<'v, V>, Vec<PlanLine>)> {
        let Query::Describe { pattern, .. } = self.query else {
            return Err(Stop::NotHere("not a DESCRIBE"));
        };
        let (mut solutions, graphs) = self.solved(pattern)?;
        let plan = mem::take(&mut solutions.plan);
        Ok((Described::new(solutions, graphs), plan))
    }

    /// Whether an ASK has a solution, and the plan.
    pub(super) fn ask(self) -> Outcome<(bool, Vec<PlanLine>)> {
        let Query::Ask { pattern, .. } = self.query else {
            return Err(Stop::NotHere("not an ASK"));
        };
        let (solutions, _) = self.solved(pattern)?;
        Ok((solutions.table.row_count > 0, solutions.plan))
    }

    /// The solutions of the query's pattern, or of what of it is wanted, and the graphs that they
    /// were looked up in.
    fn solved(self, pattern: &GraphPattern) -> Outcome<(Solutions<'v, V>, QueryGraphs<'v, V>)> {
        let columns = Columns::new(self);
        if let Some(triple) = recognise::lone_triple(pattern) {
            let scanned = columns.quad_pattern(triple, &GraphOf::Default)?;
            if scanned.is_some_and(|scanned| scanned.count > SCANNED_MAX) {
                return Err(Stop::NotHere("long scan of one pattern"));
            }
        }
        let table = columns.evaluate(pattern, &GraphOf::Default, None)?;
        let variables = table.names.iter().map(Variable::new_unchecked).collect();
        let (ids, graphs, plan) = columns.into_parts();
        Ok((Solutions { variables, plan, table, ids, next: 0 }, graphs))
    }
}
