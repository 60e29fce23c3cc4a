//! Which queries are vectorised: those all of whose parts are known here.

use spargebra::algebra::GraphPattern;
use spargebra::term::TriplePattern;

use super::super::rewrite::has_exists;

/// The pattern of a query that is nothing else: its rows can be read as they are asked for.
pub(in crate::sparql) fn lone_triple(pattern: &GraphPattern) -> Option<&TriplePattern> {
    use GraphPattern as P;
    match pattern {
        P::Bgp { patterns } => patterns.first().filter(|_| patterns.len() == 1),
        P::Project { inner, .. } | P::Reduced { inner } => lone_triple(inner),
        _ => None,
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
