//! Joins of a plan: basic graph patterns, the parts that they are joined with, and the filters that
//! all of their rows pass.

use spargebra::algebra::{Expression, GraphPattern};
use spargebra::term::TermPattern;

use super::super::super::rewrite::{Variables, always_bound, of_expression};
use super::super::scan::quads::QuadPattern;
use super::super::state::GraphOf;
use super::super::stop::Outcome;
use super::operator::{Join, Leaf};
use super::planner::Planner;
use crate::view::View;

impl<'p, 's, 'v, V: View> Planner<'p, 's, 'v, V> {
    /// The plan of a join.
    pub(super) fn join<'q>(&self, pattern: &'q GraphPattern, graph: &GraphOf) -> Outcome<Join<'q>> {
        let mut join = Join::default();
        self.flatten(pattern, graph, &mut join)?;
        Ok(join)
    }

    fn flatten<'q>(
        &self,
        pattern: &'q GraphPattern,
        graph: &GraphOf,
        join: &mut Join<'q>,
    ) -> Outcome<()> {
        match pattern {
            GraphPattern::Bgp { patterns } => {
                for triple in patterns {
                    let number = self.number();
                    let quads = self.quad_pattern(triple, graph)?;
                    let quads = quads.map(|quads| QuadPattern { number, ..quads });
                    join.patterns.push(Leaf { number, triple, quads });
                }
            }
            GraphPattern::Join { left, right } => {
                self.flatten(left, graph, join)?;
                self.flatten(right, graph, join)?;
            }
            GraphPattern::Graph { name, inner } => {
                self.flatten(inner, &self.graph(name), join)?;
            }
            // A filter sees its own group: it can wait where that binds all that it names.
            GraphPattern::Filter { expr, inner } if is_closed(expr, inner) => {
                self.flatten(inner, graph, join)?;
                let mut all = Vec::new();
                conjuncts(expr, &mut all);
                for expression in all {
                    join.filters.push(self.filter(expression, inner, graph)?);
                }
            }
            other if comes_first(other) => join.early.push(self.plan(other, graph)?),
            other => join.late.push(self.plan(other, graph)?),
        }
        Ok(())
    }
}

/// Whether a pattern is a join, or a part of one alone.
pub(in crate::sparql) fn is_joined(pattern: &GraphPattern) -> bool {
    use GraphPattern as P;
    match pattern {
        P::Bgp { .. } | P::Join { .. } | P::Graph { .. } => true,
        P::Filter { expr, inner } => is_closed(expr, inner),
        _ => false,
    }
}

/// Whether all variables of a filter are bound by what it filters.
fn is_closed(filter: &Expression, inner: &GraphPattern) -> bool {
    let mut names = Variables::new();
    of_expression(filter, &mut names);
    names.is_subset(&always_bound(inner))
}

fn conjuncts<'e>(expression: &'e Expression, out: &mut Vec<&'e Expression>) {
    match expression {
        Expression::And(left, right) => {
            conjuncts(left, out);
            conjuncts(right, out);
        }
        other => out.push(other),
    }
}

/// Whether a part is made before the patterns that it is joined with: small, or nothing that values
/// known before could make smaller.
fn comes_first(pattern: &GraphPattern) -> bool {
    use GraphPattern as P;
    let is_constant = |term: &TermPattern| !matches!(term, TermPattern::Variable(_));
    match pattern {
        P::Path { subject, object, .. } => is_constant(subject) || is_constant(object),
        P::Values { .. }
        | P::Project { .. }
        | P::Group { .. }
        | P::Slice { .. }
        | P::Distinct { .. } => true,
        _ => false,
    }
}
