//! GROUP BY: rows numbered by their keys as they come, and not held.

use oxrdf::Variable;
use spargebra::algebra::{AggregateExpression, Expression};

use super::super::plan::operator::{Exists, Group};
use super::super::state::Columns;
use super::super::stop::Outcome;
use super::super::table::groups::Groups;
use super::super::table::numbering::Numbering;
use super::super::table::rows::{Table, gathered};
use super::super::table::sink::Sink;
use super::aggregate::Aggregate;
use super::sum::Scales;
use crate::view::View;

/// Groups of rows, with their aggregates.
pub(in crate::sparql) struct Grouping<'g, 's, 'v, V> {
    columns: &'g Columns<'s, 'v, V>,
    keys: Vec<Expression>,
    names: Vec<String>,
    aggregates: Vec<Aggregate<'g>>,
    /// The EXISTS of each aggregate's expression.
    exists: &'g [Vec<Exists<'g>>],
    scales: &'static Scales,
    numbering: Numbering,
    /// Of rows that came as one table: the keys of the groups.
    of_table: Option<(Vec<Vec<u64>>, usize)>,
    numbers: Vec<u32>,
}

impl<'g, 's, 'v, V: View> Grouping<'g, 's, 'v, V> {
    /// Groups without rows.
    pub(in crate::sparql) fn new(
        columns: &'g Columns<'s, 'v, V>,
        group: &'g Group<'g>,
    ) -> Outcome<Self> {
        let Group { variables, aggregates, row, .. } = group;
        let own = |one: &'g (Variable, AggregateExpression)| Aggregate::new(&one.1, row);
        Ok(Grouping {
            columns,
            keys: variables.iter().cloned().map(Expression::Variable).collect(),
            names: group.names(),
            aggregates: aggregates.iter().map(own).collect::<Outcome<_>>()?,
            exists: &group.exists,
            scales: Scales::all(),
            numbering: Numbering::new(variables.len()),
            of_table: None,
            numbers: Vec::new(),
        })
    }

    /// Whether all that is aggregated is columns of the rows: computed values are computed once for
    /// all rows.
    pub(in crate::sparql) fn takes_parts(&self) -> bool {
        let is_column = |aggregate: &Aggregate<'_>| {
            matches!(aggregate.expression, None | Some(Expression::Variable(_)))
        };
        self.aggregates.iter().all(is_column)
    }

    fn aggregate(&mut self, rows: &Table, numbers: &[u32], count: usize) -> Outcome<()> {
        for (aggregate, exists) in self.aggregates.iter_mut().zip(self.exists) {
            match aggregate.expression {
                None => aggregate.push_rows(rows, numbers, count),
                Some(expression) => {
                    let values = self.columns.values_of(expression, exists, rows)?;
                    aggregate.push(self.columns, &values, numbers, count, self.scales)?;
                }
            }
        }
        self.columns.meter.check(self.len() as usize / size_of::<u64>())
    }

    /// The groups.
    pub(in crate::sparql) fn finish(mut self) -> Outcome<Table> {
        let mut count = self.numbering.count();
        let mut columns: Vec<Vec<u64>> = match self.of_table.take() {
            None => (0..self.keys.len()).map(|place| self.numbering.column(place)).collect(),
            Some((keys, of_table)) => {
                count = of_table;
                keys
            }
        };
        if self.keys.is_empty() {
            // Without GROUP BY there is one group, be it empty.
            count = 1;
        }
        for aggregate in self.aggregates {
            columns.push(aggregate.finish(self.columns, count, self.scales)?);
        }
        let columns = columns.into();
        let table = Table { names: self.names, columns, row_count: count, ..Table::default() };
        self.columns.meter.charge(&table)?;
        Ok(table)
    }
}

impl<V: View> Sink for Grouping<'_, '_, '_, V> {
    fn push(&mut self, rows: &Table) -> Outcome<()> {
        let keys: Vec<_> =
            self.keys.iter().map(|key| self.columns.values(key, rows)).collect::<Outcome<_>>()?;
        let keys: Vec<&[u64]> = keys.iter().map(|column| &**column).collect();
        let mut numbers = std::mem::take(&mut self.numbers);
        self.numbering.number(&keys, rows.row_count, &mut numbers);
        let done = self.aggregate(rows, &numbers, self.numbering.count());
        self.numbers = numbers;
        done
    }

    fn put(&mut self, table: Table) -> Outcome<()> {
        let keys: Vec<_> =
            self.keys.iter().map(|key| self.columns.values(key, &table)).collect::<Outcome<_>>()?;
        let keys: Vec<&[u64]> = keys.iter().map(|column| &**column).collect();
        let groups = Groups::of(&keys, table.row_count, &self.columns.meter)?;
        let firsts = keys.iter().map(|column| gathered(column, &groups.first_rows)).collect();
        self.of_table = Some((firsts, groups.count()));
        self.aggregate(&table, &groups.of_rows, groups.count())
    }

    fn len(&self) -> u64 {
        let aggregates: usize = self.aggregates.iter().map(Aggregate::len).sum();
        (self.numbering.count() * self.keys.len() * size_of::<u64>() + aggregates) as u64
    }
}
