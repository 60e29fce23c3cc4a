//! DISTINCT of rows that come some at a time. They are given as they come while those that were met
//! can be kept; after that, where memory is short, what was not met is partitioned, and each
//! partition is made distinct by itself.

use std::rc::Rc;

use super::super::state::Columns;
use super::super::stop::{Outcome, Stop};
use super::super::table::numbering::Numbering;
use super::super::table::rows::Table;
use super::super::table::sink::{Collected, Sink as _};
use super::file::SpillFile;
use super::partitions::{Partition, Partitioner};
use super::slices::Slices;
use super::{HELD_PARTS, NextRows};
use crate::view::View;

/// Distinct rows, as far as they have come.
pub(in crate::sparql) struct Distinct<'v> {
    names: Rc<[String]>,
    seen: Numbering,
    /// Whether rows may go into a file.
    is_short: bool,
    partitioner: Option<Partitioner<'v>>,
    /// Partitions that are still to come, once all rows have, and the rows of the last one.
    parts: Option<Vec<Partition<'v>>>,
    made: Option<Slices>,
}

impl<'v> Distinct<'v> {
    /// No row, of some variables.
    pub(in crate::sparql) fn new(names: &[String], is_short: bool) -> Distinct<'v> {
        let seen = Numbering::new(names.len());
        Distinct { names: names.into(), seen, is_short, partitioner: None, parts: None, made: None }
    }

    /// The next distinct rows of those that come; none after the last.
    pub(in crate::sparql) fn pull<V: View>(
        &mut self,
        columns: &Columns<'_, 'v, V>,
        next: &mut NextRows<'_>,
    ) -> Outcome<Option<Table>> {
        while self.parts.is_none() {
            match (next()?, &mut self.partitioner) {
                (Some(rows), None) => {
                    let rows = new_rows(&mut self.seen, rows);
                    self.keep_within_memory(columns)?;
                    return Ok(Some(rows));
                }
                (Some(rows), Some(partitioner)) => {
                    let all = rows.columns_at(0..rows.columns.len());
                    let marks = self.seen.is_new(&all, rows.row_count);
                    let rows = rows.marked(&marks);
                    partitioner.put(&rows, &rows.columns_at(0..rows.columns.len()))?;
                }
                (None, _) => {
                    self.seen = Numbering::new(self.names.len());
                    let parts = self.partitioner.take().map(Partitioner::finish).transpose()?;
                    self.parts = Some(parts.unwrap_or_default());
                }
            }
        }
        self.next_part(columns)
    }

    /// Partitions the rows that are to come, once those that were met take too much.
    fn keep_within_memory<V: View>(&mut self, columns: &Columns<'_, 'v, V>) -> Outcome<()> {
        let len = self.seen.len() as u64;
        if !self.is_short || self.names.is_empty() {
            return columns.meter.check(self.seen.len() / size_of::<u64>());
        }
        if len > columns.session.memory_max() / HELD_PARTS {
            let file = SpillFile::new(&columns.session)?;
            self.partitioner = Some(Partitioner::new(file, self.names.clone()));
        }
        Ok(())
    }

    fn next_part<V: View>(&mut self, columns: &Columns<'_, 'v, V>) -> Outcome<Option<Table>> {
        let parts = self.parts.get_or_insert_default();
        loop {
            if let Some(rows) = self.made.as_mut().and_then(Slices::pull) {
                return Ok(Some(rows));
            }
            let Some(part) = parts.pop() else { return Ok(None) };
            match columns.distinct_rows_of(&part, self.names.len()) {
                Err(Stop::Memory(error)) => {
                    let again = part.partitioned_again(&mut |rows| {
                        Ok(rows.columns.iter().map(|column| column.to_vec()).collect())
                    })?;
                    parts.extend(again.ok_or(Stop::Memory(error))?);
                }
                table => self.made = Some(columns.slices(table?)),
            }
        }
    }
}

impl<'v, V: View> Columns<'_, 'v, V> {
    fn distinct_rows_of(&self, part: &Partition<'v>, width: usize) -> Outcome<Table> {
        let (mut seen, mut all) = (Numbering::new(width), Collected::new(0, &self.meter));
        for rows in part.tables() {
            all.push(&new_rows(&mut seen, rows?))?;
            self.meter.check(all.table.columns.len() * all.table.row_count + seen.len() / 8)?;
        }
        Ok(all.table)
    }
}

/// The rows that were not met before.
fn new_rows(seen: &mut Numbering, rows: Table) -> Table {
    let (mut next, mut numbers) = (seen.count() as u32, Vec::new());
    seen.number(&rows.columns_at(0..rows.columns.len()), rows.row_count, &mut numbers);
    let is_new = |number: &u32| {
        let is_new = *number == next;
        next += u32::from(is_new);
        is_new
    };
    let marks: Vec<bool> = numbers.iter().map(is_new).collect();
    rows.marked(&marks)
}
