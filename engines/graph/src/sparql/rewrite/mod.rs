//! Rewrites of a query before the evaluator sees it: a file for each fault that the evaluator has,
//! and for the order of joins.

mod aggregates;
mod bnodes;
mod counts;
mod ends;
mod entry;
mod exists;
mod functions;
mod graphs;
mod joins;
mod lexical;
mod nodes;
mod numbers;
mod paths;
mod replace;
mod scopes;
mod sort;
mod variables;
mod walk;

use spargebra::algebra::GraphPattern;

pub(super) use counts::{Counts, Place, Solution};
pub(super) use functions::{
    Uses, contains, evaluator, has_exists, is_repeatable, look_at_stored, replaced, with_time,
};
pub(super) use joins::order_joins;
pub(super) use paths::IsNode;
pub(super) use variables::{
    Variables, always_bound, hidden, in_scope, names, names_of, of_expression,
};

pub(super) use variables::Fresh;
use walk::rewrite;

/// A pattern whose scopes, paths and graphs mean what the recommendation says, whoever evaluates
/// it.
pub(super) fn shape(pattern: GraphPattern, is_node: IsNode<'_>, fresh: &mut Fresh) -> GraphPattern {
    let pattern = rewrite(pattern, &mut exists::Exists);
    let pattern = rewrite(pattern, &mut nodes::NodesToVariables);
    let pattern = scopes::Scopes { fresh }.mend(pattern, None);
    let pattern = paths::Paths { is_node, fresh }.mend(pattern, None);
    rewrite(pattern, &mut graphs::Graphs { fresh })
}

/// A pattern in the order of its joins, none of which is evaluated for each solution of another
/// where that would show.
pub(super) fn close_entries(pattern: GraphPattern) -> GraphPattern {
    rewrite(pattern, &mut entry::Entry)
}

/// A pattern whose expressions the evaluator computes as the recommendation asks; and the functions
/// of ours that it calls.
pub(super) fn spell(pattern: GraphPattern, fresh: &mut Fresh) -> (GraphPattern, Uses) {
    let mut uses = Uses::new();
    let pattern = ends::compare_values(pattern, &mut uses);
    let pattern = rewrite(pattern, &mut numbers::Numbers { uses: &mut uses });
    let pattern = rewrite(pattern, &mut replace::Replace { uses: &mut uses });
    let pattern = rewrite(pattern, &mut aggregates::Aggregates { uses: &mut uses });
    let pattern = rewrite(pattern, &mut lexical::Lexical { uses: &mut uses });
    let pattern = rewrite(pattern, &mut bnodes::Bnodes { uses: &mut uses, fresh });
    let pattern = rewrite(pattern, &mut sort::Sort { uses: &mut uses });
    (pattern, uses)
}
