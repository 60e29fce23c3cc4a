//! What is joined with an OPTIONAL is not passed into it, where the inside could tell.
//!
//! Fault: of sparopt 0.3.9, which evaluates an OPTIONAL for each solution of what is joined with
//! it, and looks at the right side of the OPTIONAL only for variables that its left side leaves
//! unbound: a BIND, FILTER, MINUS, inner query or OPTIONAL inside of it sees variables that are
//! bound out there and not in its own group. Found by random queries.

use oxrdf::Variable;
use spargebra::algebra::GraphPattern;
use spargebra::term::NamedNodePattern;

use super::super::rewrite::variables::{Variables, always_bound, in_scope, names, names_of};
use super::super::rewrite::walk::{Rewrite, rewrite};

/// Makes inner queries of the sides of joins that have such an OPTIONAL: those are evaluated for
/// themselves.
pub(super) struct Entry;

impl Rewrite for Entry {
    fn pattern(&mut self, pattern: GraphPattern) -> GraphPattern {
        match pattern {
            GraphPattern::Join { left, right } => {
                let (in_left, in_right) = (names(&left), names(&right));
                let (left, right) = (closed(left, &in_right), closed(right, &in_left));
                GraphPattern::Join { left, right }
            }
            GraphPattern::Graph { name: NamedNodePattern::Variable(graph), inner } => {
                let inner = Box::new(rewrite(*inner, &mut Passing(&graph)));
                GraphPattern::Graph { name: graph.into(), inner }
            }
            other => other,
        }
    }
}

/// Inner queries inside of GRAPH are given its variable, if they don't have it: they would be asked
/// of all graphs.
struct Passing<'g>(&'g Variable);

impl Rewrite for Passing<'_> {
    fn pattern(&mut self, mut pattern: GraphPattern) -> GraphPattern {
        if let GraphPattern::Project { variables, .. } = &mut pattern
            && !variables.contains(self.0)
        {
            variables.push(self.0.clone());
        }
        pattern
    }
}

/// A side of a join, which must not see some variables before they are joined.
fn closed(side: Box<GraphPattern>, entry: &Variables) -> Box<GraphPattern> {
    if is_open(&side, entry) {
        return side;
    }
    let variables = in_scope(&side).into_iter().map(Variable::new_unchecked).collect();
    Box::new(GraphPattern::Project { inner: side, variables })
}

/// Whether the optional parts that would be evaluated for each solution may be.
fn is_open(pattern: &GraphPattern, entry: &Variables) -> bool {
    use GraphPattern as P;
    match pattern {
        P::LeftJoin { left, right, .. } => is_open(left, entry) && is_blind(right, entry),
        P::Lateral { left, right } | P::Union { left, right } => {
            is_open(left, entry) && is_open(right, entry)
        }
        P::Filter { inner, .. } | P::Extend { inner, .. } | P::Graph { inner, .. } => {
            is_open(inner, entry)
        }
        _ => true,
    }
}

/// Whether a pattern has the same solutions that agree with some variables, be they bound before or
/// not.
fn is_blind(pattern: &GraphPattern, entry: &Variables) -> bool {
    use GraphPattern as P;
    match pattern {
        P::Bgp { .. } | P::Values { .. } | P::Path { .. } | P::Service { .. } => true,
        P::Join { left, right } | P::Union { left, right } | P::Lateral { left, right } => {
            is_blind(left, entry) && is_blind(right, entry)
        }
        P::Graph { inner, .. } | P::Distinct { inner } | P::Reduced { inner } => {
            is_blind(inner, entry)
        }
        P::Filter { expr, inner } => {
            is_known(&names_of(expr), entry, &always_bound(inner)) && is_blind(inner, entry)
        }
        P::Extend { inner, variable, expression } => {
            let is_new = !entry.contains(variable.as_str());
            let sure = always_bound(inner);
            is_new && is_known(&names_of(expression), entry, &sure) && is_blind(inner, entry)
        }
        P::LeftJoin { left, right, expression } => {
            let mut seen = names(right);
            seen.extend(expression.iter().flat_map(names_of));
            let are_blind = is_blind(left, entry) && is_blind(right, entry);
            are_blind && is_known(&seen, entry, &always_bound(left))
        }
        P::Minus { left, right } => {
            // Bound on both sides, variables of outside would be what the sides share, if they
            // share nothing else.
            let shares_own = !always_bound(left).is_disjoint(&always_bound(right));
            let is_apart = is_known(&names(right), entry, &Variables::new());
            shares_own && is_apart && is_blind(left, entry)
        }
        P::Project { .. } | P::Slice { .. } | P::OrderBy { .. } | P::Group { .. } => {
            is_known(&in_scope(pattern), entry, &Variables::new())
        }
    }
}

/// Whether those of some variables that may be bound before are sure to be bound anyway.
fn is_known(seen: &Variables, entry: &Variables, sure: &Variables) -> bool {
    seen.intersection(entry).all(|name| sure.contains(name))
}
