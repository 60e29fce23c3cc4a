//! EXISTS: which rows have a partner among rows that are not held.

use super::super::stop::{Outcome, Stop};
use super::super::table::groups::Groups;
use super::super::table::meter::Meter;
use super::super::table::rows::Table;
use super::super::table::sink::Sink;

/// Marks of the distinct keys of some rows.
pub(in crate::sparql) struct Partners {
    names: Vec<String>,
    groups: Groups,
    /// For each key, whether a row with it has come.
    marks: Vec<bool>,
    key: Vec<u64>,
}

impl Partners {
    /// No partner so far of the rows of a table, whose keys are the ids of some variables: all rows
    /// bind them.
    pub(in crate::sparql) fn new(
        table: &Table,
        places: &[usize],
        meter: &Meter<'_, '_>,
    ) -> Outcome<Partners> {
        let groups = Groups::of(&table.columns_at(places.iter().copied()), table.row_count, meter)?;
        let names = places.iter().map(|place| table.names[*place].clone()).collect();
        let (marks, key) = (vec![false; groups.count()], vec![0; places.len()]);
        Ok(Partners { names, groups, marks, key })
    }

    /// Whether each row of the table has a partner.
    pub(in crate::sparql) fn of_rows(&self) -> impl Iterator<Item = bool> {
        self.groups.of_rows.iter().map(|group| self.marks[*group as usize])
    }
}

impl Sink for Partners {
    fn push(&mut self, rows: &Table) -> Outcome<()> {
        let columns: Option<Vec<&[u64]>> =
            self.names.iter().map(|name| rows.column(name)).collect();
        let Some(columns) = columns else {
            // A pattern without a solution may have no variables.
            return match rows.row_count {
                0 => Ok(()),
                _ => Err(Stop::Unsupported("rows without what they are joined by")),
            };
        };
        for row in 0..rows.row_count {
            self.key.iter_mut().zip(&columns).for_each(|(id, column)| *id = column[row]);
            if let Some(group) = self.groups.find(&self.key) {
                self.marks[group as usize] = true;
            }
        }
        Ok(())
    }

    fn len(&self) -> u64 {
        self.marks.len() as u64
    }

    fn has_own_rows(&self) -> bool {
        true
    }
}
