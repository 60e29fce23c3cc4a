//! BIND and computed columns: those of the same variables are computed together.

use std::collections::BTreeSet;

use spargebra::algebra::Expression;

use super::super::super::rewrite::{has_exists, of_expression};
use super::super::plan::operator::Computed;
use super::super::state::Columns;
use super::super::stop::Outcome;
use super::super::table::rows::Table;
use crate::view::View;

impl Computed<'_> {
    fn variables(&self) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        of_expression(self.expression, &mut names);
        names
    }

    /// Whether it is anything else than a column that is there, or a constant.
    fn is_computed(&self) -> bool {
        use Expression as E;
        let is_plain = matches!(self.expression, E::Variable(_) | E::NamedNode(_) | E::Literal(_));
        !is_plain && !has_exists(self.expression)
    }
}

impl<V: View> Columns<'_, '_, V> {
    /// A table with computed columns.
    pub(in crate::sparql) fn extended(
        &self,
        mut table: Table,
        all: &[Computed<'_>],
    ) -> Outcome<Table> {
        self.ids.begin_table();
        let mut rest = all;
        while let Some(first) = rest.first() {
            let (now, later) = rest.split_at(together(rest));
            let expressions: Vec<&Expression> = now.iter().map(|one| one.expression).collect();
            let columns = if first.is_computed() {
                self.values_together(&expressions, &table, first.look_up)?
            } else {
                vec![self.values_of(first.expression, &first.exists, &table)?.into_owned()]
            };
            for (one, column) in now.iter().zip(columns) {
                table.push(one.variable.as_str().to_owned(), column);
            }
            rest = later;
        }
        self.meter.charge(&table)?;
        Ok(table)
    }
}

/// Number of computed columns at the beginning that have the same variables and don't need each
/// other.
fn together(all: &[Computed<'_>]) -> usize {
    let Some(first) = all.first().filter(|first| first.is_computed()) else { return 1 };
    let (variables, look_up) = (first.variables(), first.look_up);
    let mut made = BTreeSet::new();
    let mut is_like = |one: &Computed<'_>| {
        let is_apart = variables.is_disjoint(&made);
        made.insert(one.variable.as_str().to_owned());
        is_apart && one.is_computed() && one.look_up == look_up && one.variables() == variables
    };
    all.iter().take_while(|one| is_like(one)).count()
}
