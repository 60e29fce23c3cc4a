//! Filters of a plan, and the plans of what their EXISTS ask for.

use spargebra::algebra::{Expression, GraphPattern};

use super::super::super::rewrite::walk::operands;
use super::super::super::rewrite::{
    Variables, always_bound, has_exists, in_scope, names, names_of,
};
use super::super::state::GraphOf;
use super::super::stop::Outcome;
use super::operator::{Exists, Filter};
use super::planner::Planner;
use crate::view::View;

impl<'p, 's, 'v, V: View> Planner<'p, 's, 'v, V> {
    /// A filter of the solutions of a pattern.
    pub(in crate::sparql) fn filter<'q>(
        &self,
        expression: &'q Expression,
        inner: &'q GraphPattern,
        graph: &GraphOf,
    ) -> Outcome<Filter<'q>> {
        let mut filter = Filter::plain(self.number(), expression);
        if !has_exists(expression) {
            return Ok(filter);
        }
        filter.names = names_of(expression);
        filter.names.extend(graph.variable().cloned());
        filter.exists = self.exists_over(expression, inner, graph)?;
        Ok(filter)
    }

    /// The plans of all EXISTS of an expression over the solutions of a pattern.
    pub(super) fn exists_over<'q>(
        &self,
        expression: &'q Expression,
        inner: &GraphPattern,
        graph: &GraphOf,
    ) -> Outcome<Vec<Exists<'q>>> {
        if !has_exists(expression) {
            return Ok(Vec::new());
        }
        let mut row = in_scope(inner);
        row.extend(graph.variable().cloned());
        self.all_exists(expression, &row, graph)
    }

    /// The plans of all EXISTS of an expression over rows of some variables.
    pub(in crate::sparql) fn all_exists<'q>(
        &self,
        expression: &'q Expression,
        row: &Variables,
        graph: &GraphOf,
    ) -> Outcome<Vec<Exists<'q>>> {
        let mut patterns = Vec::new();
        exists_of(expression, &mut patterns);
        patterns.into_iter().map(|pattern| self.exists(pattern, row, graph)).collect()
    }

    fn exists<'q>(
        &self,
        pattern: &'q GraphPattern,
        row: &Variables,
        graph: &GraphOf,
    ) -> Outcome<Exists<'q>> {
        let graph_variable = graph.variable().cloned();
        let (inner, filter) = match pattern {
            GraphPattern::Filter { expr, inner } if sees_row(expr, inner, row) => {
                (&**inner, Some(expr))
            }
            _ => (pattern, None),
        };
        let sure = always_bound(inner);
        let is_apart = |name: &String| !row.contains(name) || sure.contains(name);
        if names(inner).iter().all(is_apart) && is_flat(inner, row) {
            let filter = filter.map(|expression| {
                let mut filter = Filter::plain(self.number(), expression);
                let mut pair = row.clone();
                pair.extend(in_scope(inner));
                filter.names = names_of(expression);
                filter.exists = self.all_exists(expression, &pair, graph)?;
                Ok(Box::new(filter))
            });
            let (filter, inner) = (filter.transpose()?, self.plan(inner, graph)?);
            return Ok(Exists { pattern, inner, filter, graph: graph_variable, parameters: None });
        }
        let mut parameters = names(pattern);
        parameters.extend(graph_variable.clone());
        parameters.retain(|name| row.contains(name));
        let inner = self.with_parameters(&parameters, || self.plan(pattern, graph))?;
        let parameters = Some(parameters);
        Ok(Exists { pattern, inner, filter: None, graph: graph_variable, parameters })
    }
}

/// The patterns of the EXISTS of an expression, those inside others left out.
fn exists_of<'q>(expression: &'q Expression, out: &mut Vec<&'q GraphPattern>) {
    match expression {
        Expression::Exists(pattern) => out.push(pattern),
        other => operands(other, &mut |operand| exists_of(operand, out)),
    }
}

/// Whether a filter names a variable of the rows which its own pattern doesn't bind.
fn sees_row(filter: &Expression, inner: &GraphPattern, row: &Variables) -> bool {
    let own = in_scope(inner);
    names_of(filter).iter().any(|name| row.contains(name) && !own.contains(name))
}

/// Whether a pattern means the same for one row and for all of them at once: no part of it could
/// see a variable of the row that it doesn't bind itself.
fn is_flat(pattern: &GraphPattern, row: &Variables) -> bool {
    use GraphPattern as P;
    match pattern {
        P::Bgp { .. } => true,
        P::Join { left, right } | P::Union { left, right } => {
            is_flat(left, row) && is_flat(right, row)
        }
        P::Filter { expr, inner } => !sees_row(expr, inner, row) && is_flat(inner, row),
        _ => false,
    }
}
