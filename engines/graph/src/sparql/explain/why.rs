//! Why a query is not vectorised: the innermost part of it that is not known there.

use spargebra::Query;
use spargebra::algebra::GraphPattern;

use super::super::columns::{is_known, needs_all};

/// The reason for which a query is evaluated row by row, if there is one.
pub(in crate::sparql) fn unknown_part(query: &Query) -> Option<&'static str> {
    let (Query::Select { pattern, .. }
    | Query::Construct { pattern, .. }
    | Query::Describe { pattern, .. }
    | Query::Ask { pattern, .. }) = query;
    match query {
        Query::Ask { .. } if !needs_all(pattern) => Some("ASK that ends with the first solution"),
        _ => unknown_inside(pattern),
    }
}

fn unknown_inside(pattern: &GraphPattern) -> Option<&'static str> {
    if is_known(pattern) {
        return None;
    }
    let inside = children(pattern);
    Some(inside.into_iter().find_map(unknown_inside).unwrap_or_else(|| reason(pattern)))
}

/// The patterns directly inside one.
fn children(pattern: &GraphPattern) -> Vec<&GraphPattern> {
    use GraphPattern as P;
    match pattern {
        P::Bgp { .. } | P::Path { .. } | P::Values { .. } | P::Service { .. } => Vec::new(),
        P::Join { left, right }
        | P::Lateral { left, right }
        | P::LeftJoin { left, right, .. }
        | P::Union { left, right }
        | P::Minus { left, right } => vec![left, right],
        P::Filter { inner, .. }
        | P::Graph { inner, .. }
        | P::Extend { inner, .. }
        | P::OrderBy { inner, .. }
        | P::Project { inner, .. }
        | P::Distinct { inner }
        | P::Reduced { inner }
        | P::Slice { inner, .. }
        | P::Group { inner, .. } => vec![inner],
    }
}

fn reason(pattern: &GraphPattern) -> &'static str {
    use GraphPattern as P;
    match pattern {
        P::Service { .. } => "SERVICE",
        P::Lateral { .. } => "LATERAL",
        P::Slice { .. } => "LIMIT that ends with the first rows",
        P::Filter { .. } | P::LeftJoin { .. } => "FILTER whose function changes its value",
        P::Extend { .. } => "BIND whose function changes its value",
        P::OrderBy { .. } => "ORDER BY whose function changes its value",
        P::Group { .. } => "aggregate whose function changes its value, or of another system",
        _ => "combination of parts",
    }
}
