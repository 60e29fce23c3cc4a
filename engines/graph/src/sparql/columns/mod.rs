//! Vectorised evaluation: a query is planned, and the plan runs operator by operator over whole
//! columns of ids, or some rows at a time where few are wanted or memory is short.
//!
//! | file or folder | what |
//! |---|---|
//! | plan | the plan of a query, before it runs |
//! | evaluate.rs, pull.rs | a plan run; and some of its rows at a time |
//! | scan, join, filter, path | patterns of quads, their joins, what rows pass, property paths |
//! | expression | expressions, BIND |
//! | group, count | GROUP BY and aggregates; COUNT without rows |
//! | sort.rs | ORDER BY |
//! | spill | ORDER BY, GROUP BY and DISTINCT where memory is short |
//! | solutions.rs | rows, whose terms are read as they are asked for |
//! | form | what SELECT, ASK, CONSTRUCT and DESCRIBE want of solutions |
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
mod pull;
mod scan;
mod solutions;
mod sort;
mod spill;
mod state;
mod stop;
mod table;

use spargebra::term::TriplePattern;

use super::error::SparqlError;
use super::explain::Operator;
use super::graphs::QueryGraphs;
use crate::view::View;
use form::pattern::solved_of;
use plan::show::Show;
use solutions::More;
use state::Columns;
use stop::Outcome;
use table::ids::Ids;
use table::rows::Table;

pub(super) use form::construct::Constructed;
pub(super) use form::describe::Described;
pub(super) use solutions::Solutions;
pub(super) use state::{Request, Trace};
pub(super) use stop::Stop;

impl<'v, V: View> Request<'v, V> {
    /// The plan of the query: with what its operators did, if it was run.
    pub(super) fn plan(self) -> Outcome<Operator> {
        let pattern = solved_of(&self.query);
        let columns = Columns::new(&self, self.ids());
        let plan = columns.plan(&pattern)?;
        let estimates = columns.estimates(&plan)?;
        let done = self.trace.as_ref().map(|trace| trace.done());
        Ok(Show { estimates: &estimates, trace: done.as_deref() }.operator(&plan))
    }

    /// The solutions of a SELECT.
    pub(super) fn select(self) -> Outcome<Solutions<'v, V>> {
        self.solved()
    }

    /// The triples of a CONSTRUCT.
    pub(super) fn construct(self, template: &[TriplePattern]) -> Outcome<Constructed<'v, V>> {
        let memory_max = self.session.memory_max();
        Constructed::new(self.solved()?, template, memory_max)
    }

    /// The triples of a DESCRIBE.
    pub(super) fn describe(self) -> Outcome<Described<'v, V>> {
        let graphs: QueryGraphs<'v, V> = self.graphs.clone();
        Ok(Described::new(self.solved()?, graphs))
    }

    /// Whether an ASK has a solution.
    pub(super) fn ask(self) -> Outcome<bool> {
        Ok(self.solved()?.next_row()?.is_some())
    }

    fn ids(&self) -> Ids<'v, V> {
        Ids::new(self.view, self.session.clone())
    }

    /// The solutions of the query's pattern, or of what of it is wanted.
    fn solved(self) -> Outcome<Solutions<'v, V>> {
        let ids = self.ids();
        let (rows, is_all) = self.made(&ids)?;
        let more = (!is_all).then(|| More::of(self));
        let mut solutions = Solutions::new(rows, more, ids);
        // What can't be answered in any memory is an error of the query, and not of its rows.
        solutions.fill()?;
        Ok(solutions)
    }

    /// The rows, and whether they are all: there are none so far of a long scan, and where to make
    /// them at once needs more memory than the query may take. Where others have taken it, it is an
    /// error.
    fn made(&self, ids: &Ids<'v, V>) -> Outcome<(Table, bool)> {
        let pattern = solved_of(&self.query);
        let columns = Columns::new(self, ids.clone());
        let plan = columns.plan(&pattern)?;
        if !plan.is_long_scan() {
            match columns.run(&plan, None) {
                Err(Stop::Memory(SparqlError::Limit { .. })) => {
                    self.trace.iter().for_each(|trace| trace.clear());
                }
                table => return Ok((table?, true)),
            }
        }
        Ok((Table::empty(plan.names()), false))
    }
}
