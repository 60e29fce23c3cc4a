//! Which queries are vectorised: those all of whose parts are known here.

use spargebra::algebra::{AggregateExpression, AggregateFunction, Expression, GraphPattern};
use spargebra::term::TriplePattern;

use super::super::rewrite::{has_exists, is_repeatable};
use super::plan::make::in_each_graph;

/// The pattern of a query that is nothing else: its rows can be read as they are asked for.
pub(in crate::sparql) fn lone_triple(pattern: &GraphPattern) -> Option<&TriplePattern> {
    use GraphPattern as P;
    match pattern {
        P::Bgp { patterns } => patterns.first().filter(|_| patterns.len() == 1),
        P::Project { inner, .. } | P::Reduced { inner } => lone_triple(inner),
        _ => None,
    }
}

/// Whether all parts of a query are known, and none of them is better done row by row: LIMIT alone
/// ends with the first rows.
pub(in crate::sparql) fn is_known(pattern: &GraphPattern) -> bool {
    use GraphPattern as P;
    let is_known_expression = |expression: &Expression| is_repeatable(expression);
    match pattern {
        P::Bgp { .. } | P::Values { .. } | P::Path { .. } => true,
        P::Service { .. } => false,
        P::Lateral { left, right } => {
            in_each_graph(left, right).is_some_and(|(_, inner)| is_known(inner))
        }
        P::Join { left, right } | P::Union { left, right } | P::Minus { left, right } => {
            is_known(left) && is_known(right)
        }
        P::LeftJoin { left, right, expression } => {
            is_known(left) && is_known(right) && expression.as_ref().is_none_or(is_known_expression)
        }
        P::Filter { expr, inner } => is_known_expression(expr) && is_known(inner),
        P::Extend { inner, expression, .. } => is_known_expression(expression) && is_known(inner),
        P::Graph { inner, .. }
        | P::Project { inner, .. }
        | P::Distinct { inner }
        | P::Reduced { inner } => is_known(inner),
        P::OrderBy { inner, expression } => {
            let is_known_key = |key| is_known_expression(super::sort::key_of(key).0);
            expression.iter().all(is_known_key) && is_known(inner)
        }
        P::Slice { inner, .. } => needs_all(inner) && is_known(inner),
        P::Group { inner, aggregates, .. } => {
            aggregates.iter().all(|(_, aggregate)| is_known_aggregate(aggregate)) && is_known(inner)
        }
    }
}

/// Whether row by row the evaluator holds no more than the row that it makes: what sorts, groups or
/// joins by hash tables isn't among it.
pub(in crate::sparql) fn holds_little(pattern: &GraphPattern) -> bool {
    use GraphPattern as P;
    match pattern {
        P::Bgp { .. } | P::Values { .. } => true,
        P::Join { left, right } => is_chain(left) && is_chain(right),
        P::Union { left, right } => holds_little(left) && holds_little(right),
        P::Filter { expr, inner } | P::Extend { inner, expression: expr, .. } => {
            !has_exists(expr) && holds_little(inner)
        }
        P::Graph { inner, .. }
        | P::Project { inner, .. }
        | P::Reduced { inner }
        | P::Slice { inner, .. } => holds_little(inner),
        _ => false,
    }
}

/// Whether a pattern becomes a part of a chain of lookups.
fn is_chain(pattern: &GraphPattern) -> bool {
    use GraphPattern as P;
    match pattern {
        P::Bgp { .. } | P::Values { .. } => true,
        P::Join { left, right } => is_chain(left) && is_chain(right),
        _ => false,
    }
}

/// Whether the first row can't come before all have been seen.
pub(in crate::sparql) fn needs_all(pattern: &GraphPattern) -> bool {
    use GraphPattern as P;
    match pattern {
        P::OrderBy { .. } | P::Group { .. } => true,
        P::Project { inner, .. }
        | P::Extend { inner, .. }
        | P::Filter { inner, .. }
        | P::Distinct { inner }
        | P::Reduced { inner } => needs_all(inner),
        _ => false,
    }
}

fn is_known_aggregate(aggregate: &AggregateExpression) -> bool {
    match aggregate {
        AggregateExpression::CountSolutions { .. } => true,
        AggregateExpression::FunctionCall { name: AggregateFunction::Custom(_), .. } => false,
        AggregateExpression::FunctionCall { expr, .. } => is_repeatable(expr),
    }
}
