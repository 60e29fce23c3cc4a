//! EXISTS, for all rows at once: the pattern inside is evaluated one time, and rows are looked up
//! in its solutions.

use spargebra::algebra::{Expression, GraphPattern};

use super::super::super::rewrite::{always_bound, in_scope, names, names_of};
use super::super::join::order::is_joined;
use super::super::join::sideways::seed_of;
use super::super::join::tables::{self, Strangers};
use super::super::state::{Columns, GraphOf};
use super::super::stop::{Outcome, Stop};
use super::super::table::rows::Table;
use super::marks::Truth;
use super::partners::Partners;
use crate::view::View;

impl<V: View> Columns<'_, '_, V> {
    /// Whether a pattern has a solution that agrees with a row.
    pub(super) fn exist(
        &self,
        pattern: &GraphPattern,
        table: &Table,
        graph: &GraphOf,
    ) -> Outcome<Vec<Truth>> {
        let (inner, filter) = match pattern {
            GraphPattern::Filter { expr, inner } if sees_row(expr, inner, table) => {
                (&**inner, Some(expr))
            }
            _ => (pattern, None),
        };
        let sure = always_bound(inner);
        let is_known = |name: &String| table.place(name).is_none() || sure.contains(name);
        if !names(inner).iter().all(is_known) || !is_flat(inner, table) {
            return Err(Stop::NotHere("EXISTS whose inside depends on the row"));
        }
        if let GraphOf::Variable(name) = graph
            && table.place(name).is_none()
        {
            return Err(Stop::NotHere("EXISTS in a graph that is not bound"));
        }
        let seed = seed_of(table, inner, &self.meter)?;
        // The graph of the row is that of the pattern inside.
        let is_key = |name: &String| sure.contains(name) || graph.variable() == Some(name);
        let places: Vec<usize> =
            (0..table.names.len()).filter(|at| is_key(&table.names[*at])).collect();
        let is_bound = !places.iter().any(|place| table.has_unbound(*place));
        if filter.is_none() && is_bound && is_joined(inner) {
            let wanted = places.iter().map(|place| table.names[*place].clone()).collect();
            let mut partners = Partners::new(table, &places, &self.meter)?;
            self.group_into(inner, graph, seed, Some(&wanted), &mut partners)?;
            return Ok(partners.of_rows().map(Truth::from).collect());
        }
        let found = self.evaluate(inner, graph, seed)?;
        let marks = match filter {
            None => tables::has_partner(table, &found, Strangers::Partners, &self.meter)?,
            Some(expression) => self.has_partner_that_passes(table, &found, expression, graph)?,
        };
        Ok(marks.into_iter().map(Truth::from).collect())
    }

    /// Whether a row agrees with a solution such that a filter over both is true.
    fn has_partner_that_passes(
        &self,
        table: &Table,
        found: &Table,
        filter: &Expression,
        graph: &GraphOf,
    ) -> Outcome<Vec<bool>> {
        let seen = names_of(filter);
        let is_wanted =
            |name: &str, other: &Table| seen.contains(name) || other.place(name).is_some();
        let rows = table.with_only(|name| is_wanted(name, found));
        let wanted = found.names.iter().map(String::as_str).filter(|name| is_wanted(name, table));
        let found = tables::distinct(found, &wanted.collect::<Vec<_>>(), &self.meter)?;
        let passes = |pairs: &Table| self.passes(filter, pairs, graph);
        tables::has_partner_that_passes(&rows, &found, &passes, &self.meter)
    }
}

/// Whether a filter names a variable of the rows which its own pattern doesn't bind.
fn sees_row(filter: &Expression, inner: &GraphPattern, table: &Table) -> bool {
    let own = in_scope(inner);
    names_of(filter).iter().any(|name| table.place(name).is_some() && !own.contains(name))
}

/// Whether a pattern means the same for one row and for all of them at once: no part of it could
/// see a variable of the row that it doesn't bind itself.
fn is_flat(pattern: &GraphPattern, table: &Table) -> bool {
    use GraphPattern as P;
    match pattern {
        P::Bgp { .. } => true,
        P::Join { left, right } | P::Union { left, right } => {
            is_flat(left, table) && is_flat(right, table)
        }
        P::Filter { expr, inner } => !sees_row(expr, inner, table) && is_flat(inner, table),
        _ => false,
    }
}
