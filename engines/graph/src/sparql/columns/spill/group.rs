//! GROUP BY in little memory. Groups are made of rows as they come; where that takes too much, the
//! rows are partitioned by their keys, and the groups of each partition are made by themselves.

use spargebra::algebra::Expression;

use super::super::group::grouping::Grouping;
use super::super::plan::operator::Group;
use super::super::state::Columns;
use super::super::stop::{Outcome, Stop};
use super::super::table::rows::Table;
use super::super::table::sink::Sink as _;
use super::NextRows;
use super::file::SpillFile;
use super::partitions::{Partition, Partitioner};
use super::slices::Slices;
use crate::view::View;

/// Groups, as far as they were made.
pub(in crate::sparql) struct Groups<'v> {
    /// Those that are made.
    made: Slices,
    /// The rows of others.
    parts: Vec<Partition<'v>>,
}

impl<'v, V: View> Columns<'_, 'v, V> {
    /// Groups of rows that come some at a time, from `again` on a second time.
    pub(in crate::sparql) fn begin_groups(
        &self,
        group: &Group<'_>,
        next: &mut NextRows<'_>,
        again: &mut NextRows<'_>,
    ) -> Outcome<Groups<'v>> {
        match self.grouped_as_they_come(group, next) {
            Err(Stop::Memory(_)) if !group.variables.is_empty() => {
                let parts = self.partitioned_by_keys(group, again)?;
                Ok(Groups { made: self.slices(Table::default()), parts })
            }
            table => Ok(Groups { made: self.slices(table?), parts: Vec::new() }),
        }
    }

    /// The next groups; none after the last.
    pub(in crate::sparql) fn next_groups(
        &self,
        group: &Group<'_>,
        groups: &mut Groups<'v>,
    ) -> Outcome<Option<Table>> {
        loop {
            if let Some(rows) = groups.made.pull() {
                return Ok(Some(rows));
            }
            let Some(made) = self.groups_of_part(group, &mut groups.parts)? else {
                return Ok(None);
            };
            groups.made = self.slices(made);
        }
    }

    pub(super) fn slices(&self, table: Table) -> Slices {
        Slices::of(table, self.session.memory_max())
    }

    /// The groups of rows that come some at a time.
    fn grouped_as_they_come(&self, group: &Group<'_>, next: &mut NextRows<'_>) -> Outcome<Table> {
        let mut groups = Grouping::new(self, group)?;
        while let Some(rows) = next()? {
            groups.push(&rows)?;
        }
        groups.finish()
    }

    /// The rows of groups, in partitions.
    fn partitioned_by_keys(
        &self,
        group: &Group<'_>,
        next: &mut NextRows<'_>,
    ) -> Outcome<Vec<Partition<'v>>> {
        let mut partitioner = None;
        while let Some(rows) = next()? {
            let rows = rows.with_only(|name| group.wanted.contains(name));
            let keys = self.keys_of(group, &rows)?;
            let keys: Vec<&[u64]> = keys.iter().map(Vec::as_slice).collect();
            if partitioner.is_none() {
                let file = SpillFile::new(&self.session)?;
                partitioner = Some(Partitioner::new(file, rows.names.as_slice().into()));
            }
            partitioner.iter_mut().try_for_each(|partitioner| partitioner.put(&rows, &keys))?;
        }
        Ok(partitioner.map(Partitioner::finish).transpose()?.unwrap_or_default())
    }

    /// The groups of the next partition; none after the last.
    fn groups_of_part(
        &self,
        group: &Group<'_>,
        parts: &mut Vec<Partition<'v>>,
    ) -> Outcome<Option<Table>> {
        while let Some(part) = parts.pop() {
            let mut tables = part.tables();
            match self.grouped_as_they_come(group, &mut || tables.next().transpose()) {
                Err(Stop::Memory(error)) => {
                    let again = part.partitioned_again(&mut |rows| self.keys_of(group, rows))?;
                    parts.extend(again.ok_or(Stop::Memory(error))?);
                }
                table => return table.map(Some),
            }
        }
        Ok(None)
    }

    fn keys_of(&self, group: &Group<'_>, rows: &Table) -> Outcome<Vec<Vec<u64>>> {
        let key = |variable: &oxrdf::Variable| {
            Ok(self.values(&Expression::Variable(variable.clone()), rows)?.into_owned())
        };
        group.variables.iter().map(key).collect()
    }
}
