//! EXISTS: for all rows at once, where the pattern inside is evaluated one time and rows are looked
//! up in its solutions; else for each combination of the row's values that the pattern looks at.

use std::borrow::Cow;

use oxrdf::Literal;
use spargebra::algebra::Expression;

use super::super::super::rewrite::{Variables, always_bound, hidden, replaced};
use super::super::join::sideways::seed_of;
use super::super::join::tables::{self, Strangers};
use super::super::plan::operator::{Exists, Filter};
use super::super::plan::operator::{Operator, Plan};
use super::super::state::Columns;
use super::super::stop::{Outcome, Stop};
use super::super::table::groups::Groups;
use super::super::table::rows::Table;
use super::marks::Truth;
use super::partners::Partners;
use crate::view::View;

impl<V: View> Columns<'_, '_, V> {
    /// Whether a pattern has a solution that agrees with a row.
    pub(super) fn exist(&self, exists: &Exists<'_>, table: &Table) -> Outcome<Vec<Truth>> {
        if let Some(parameters) = &exists.parameters {
            return self.exist_for_each(&exists.inner, parameters, table);
        }
        if let Some(name) = &exists.graph
            && table.place(name).is_none()
        {
            return Err(Stop::Unsupported("EXISTS in a graph that is not bound"));
        }
        let inner = &exists.inner;
        let sure = always_bound(inner.pattern);
        let seed = seed_of(table, inner.pattern, &self.meter)?;
        // The graph of the row is that of the pattern inside.
        let is_key = |name: &String| sure.contains(name) || exists.graph.as_ref() == Some(name);
        let places: Vec<usize> =
            (0..table.names.len()).filter(|at| is_key(&table.names[*at])).collect();
        let is_bound = !places.iter().any(|place| table.has_unbound(*place));
        if let (None, true, Operator::Join(join)) = (&exists.filter, is_bound, &inner.operator) {
            let wanted = places.iter().map(|place| table.names[*place].clone()).collect();
            let mut partners = Partners::new(table, &places, &self.meter)?;
            self.join_into(inner, join, seed, Some(&wanted), &mut partners)?;
            return Ok(partners.of_rows().map(Truth::from).collect());
        }
        let found = self.run(inner, seed)?;
        let marks = match &exists.filter {
            None => tables::has_partner(table, &found, Strangers::Partners, &self.meter)?,
            Some(filter) => self.has_partner_that_passes(table, &found, filter)?,
        };
        Ok(marks.into_iter().map(Truth::from).collect())
    }

    /// Whether a row agrees with a solution such that a filter over both is true.
    fn has_partner_that_passes(
        &self,
        table: &Table,
        found: &Table,
        filter: &Filter<'_>,
    ) -> Outcome<Vec<bool>> {
        let is_wanted =
            |name: &str, other: &Table| filter.names.contains(name) || other.place(name).is_some();
        let rows = table.with_only(|name| is_wanted(name, found));
        let wanted = found.names.iter().map(String::as_str).filter(|name| is_wanted(name, table));
        let found = tables::distinct(found, &wanted.collect::<Vec<_>>(), &self.meter)?;
        let passes = |pairs: &Table| self.passes(filter, pairs);
        tables::has_partner_that_passes(&rows, &found, &passes, &self.meter)
    }

    /// Whether a pattern has a solution for a row, whose values are its parameters.
    fn exist_for_each(
        &self,
        inner: &Plan<'_>,
        parameters: &Variables,
        table: &Table,
    ) -> Outcome<Vec<Truth>> {
        let names: Vec<&String> =
            parameters.iter().filter(|name| table.place(name).is_some()).collect();
        let columns: Vec<&[u64]> = names.iter().filter_map(|name| table.column(name)).collect();
        let groups = Groups::of(&columns, table.row_count, &self.meter)?;
        let mut truths = Vec::with_capacity(groups.count());
        for row in &groups.first_rows {
            self.meter.check(0)?;
            let ids = columns.iter().map(|column| column[*row as usize]);
            let values: Vec<_> = names.iter().map(|name| (*name).clone()).zip(ids).collect();
            let known = table.rows(&[*row]);
            let found = self.with_parameters(values, || self.run(inner, None))?;
            let partners = tables::has_partner(&known, &found, Strangers::Partners, &self.meter)?;
            truths.push(Truth::from(partners == [true]));
        }
        Ok(groups.of_rows.iter().map(|group| truths[*group as usize]).collect())
    }

    /// The value of an expression for each row, some EXISTS of which have plans.
    pub(in crate::sparql) fn values_of<'t>(
        &self,
        expression: &Expression,
        exists: &[Exists<'_>],
        table: &'t Table,
    ) -> Outcome<Cow<'t, [u64]>> {
        if exists.is_empty() {
            return self.values(expression, table);
        }
        let (expression, table) = self.with_exists(expression, exists, table)?;
        Ok(self.values(&expression, &table)?.into_owned().into())
    }

    /// An expression whose EXISTS are variables, and a table that has them: true or false for each
    /// row.
    pub(in crate::sparql) fn with_exists(
        &self,
        expression: &Expression,
        exists: &[Exists<'_>],
        table: &Table,
    ) -> Outcome<(Expression, Table)> {
        let variable = |at: usize| hidden(&format!("exists {at}"));
        let expression = replaced(expression.clone(), &mut |part| match part {
            Expression::Exists(pattern) => {
                let at = exists.iter().position(|own| *own.pattern == **pattern)?;
                Some(Expression::Variable(variable(at)))
            }
            _ => None,
        });
        let mut table = table.copied();
        for (at, exists) in exists.iter().enumerate() {
            let truths = self.exist(exists, &table)?;
            let [no, yes] = [false, true].map(|is| self.ids.id(&Literal::from(is).into()));
            let (no, yes) = (no?, yes?);
            let id = |truth: &Truth| if *truth == Truth::True { yes } else { no };
            let column = truths.iter().map(id).collect();
            table.push(variable(at).into_string(), column);
        }
        Ok((expression, table))
    }
}
