//! The pattern of which a form of query wants the solutions.

use std::borrow::Cow;

use oxrdf::Variable;
use spargebra::Query;
use spargebra::algebra::GraphPattern;
use spargebra::term::TriplePattern;

use super::super::super::rewrite::in_scope;

/// The pattern of which a query wants the solutions.
pub(in crate::sparql) fn solved_of(query: &Query) -> Cow<'_, GraphPattern> {
    match query {
        Query::Select { pattern, .. } | Query::Describe { pattern, .. } => Cow::Borrowed(pattern),
        Query::Construct { template, pattern, .. } => Cow::Owned(needed_by(template, pattern)),
        Query::Ask { pattern, .. } => Cow::Owned(first_of(pattern)),
    }
}

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
