//! What a query is alone.

use spargebra::algebra::GraphPattern;
use spargebra::term::TriplePattern;

/// The pattern of a query that is nothing else: its rows can be read as they are asked for.
pub(in crate::sparql) fn lone_triple(pattern: &GraphPattern) -> Option<&TriplePattern> {
    use GraphPattern as P;
    match pattern {
        P::Bgp { patterns } => patterns.first().filter(|_| patterns.len() == 1),
        P::Project { inner, .. } | P::Reduced { inner } => lone_triple(inner),
        _ => None,
    }
}
