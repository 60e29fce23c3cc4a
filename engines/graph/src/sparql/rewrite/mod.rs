//! Rewrites of a query: its scopes, paths and graphs before it is planned, and expressions before
//! the library's functions compute them. A file for each fault of what the library gives.

mod exists;
pub(super) mod functions;
mod graphs;
pub(super) mod lexical;
mod nodes;
pub(super) mod numbers;
mod paths;
pub(super) mod replace;
mod scopes;
mod triples;
pub(super) mod variables;
pub(super) mod walk;

use spargebra::algebra::GraphPattern;

pub(super) use functions::{
    Uses, contains, evaluator, has_exists, is_repeatable, look_at_stored, replaced, with_time,
};
pub(super) use paths::IsNode;
pub(super) use variables::{
    Variables, always_bound, hidden, in_scope, names, names_of, of_expression, of_term,
};

pub(super) use triples::constant;
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

/// A pattern without triple terms that have variables inside: what `columns` plans.
pub(super) fn without_open_triples(pattern: GraphPattern, fresh: &mut Fresh) -> GraphPattern {
    rewrite(pattern, &mut triples::Triples { fresh })
}

/// A pattern whose expressions the evaluator computes as the recommendation asks; and the functions
/// of ours that it calls.
pub(super) fn spell(pattern: GraphPattern) -> (GraphPattern, Uses) {
    let mut uses = Uses::new();
    let pattern = rewrite(pattern, &mut numbers::Numbers { uses: &mut uses });
    let pattern = rewrite(pattern, &mut replace::Replace { uses: &mut uses });
    let pattern = rewrite(pattern, &mut lexical::Lexical { uses: &mut uses });
    (pattern, uses)
}
