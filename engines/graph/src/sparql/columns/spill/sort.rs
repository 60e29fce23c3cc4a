//! ORDER BY in little memory: runs of rows are sorted and put into a file, and merged as the rows
//! are asked for.

use super::super::super::order_key::order_key;
use super::super::plan::operator::SortKey;
use super::super::sort::key_of;
use super::super::state::Columns;
use super::super::stop::Outcome;
use super::super::table::groups::Groups;
use super::super::table::rows::{Table, UNBOUND};
use super::file::SpillFile;
use super::runs::{HeldRows, Merged, Runs};
use super::slices::Slices;
use super::{HELD_PARTS, NextRows};
use crate::view::View;

/// Number of rows that are given at once.
const ROWS: usize = 8192;

/// Rows in order, to be read.
pub(in crate::sparql) enum Sorted<'v> {
    Held(Slices),
    Merged(Box<Merged<'v>>),
}

impl<'v> Sorted<'v> {
    /// The next rows; none after the last.
    pub(in crate::sparql) fn pull(&mut self, names: &[String]) -> Outcome<Option<Table>> {
        let merged = match self {
            Sorted::Held(rows) => return Ok(rows.pull()),
            Sorted::Merged(merged) => merged,
        };
        let mut table = Table::empty(names.to_vec());
        while table.row_count < ROWS {
            let Some(head) = merged.next()? else { break };
            append(&mut table, &head.row);
        }
        Ok((table.row_count > 0).then_some(table))
    }
}

impl<'v, V: View> Columns<'_, 'v, V> {
    /// The rows of some variables that come some at a time, in order; those that are equal stay in
    /// theirs.
    pub(in crate::sparql) fn sorted_as_they_come(
        &self,
        names: &[String],
        keys: &[SortKey<'_>],
        next: &mut NextRows<'_>,
    ) -> Outcome<Sorted<'v>> {
        let (mut held, mut runs) = (HeldRows::default(), None);
        let held_max = self.session.memory_max() / HELD_PARTS;
        while let Some(rows) = next()? {
            self.hold(&mut held, &rows, keys)?;
            if held.len() > held_max {
                let file =
                    || SpillFile::new(&self.session).map(|file| Runs::new(file, names.len()));
                let mut own = runs.take().map_or_else(file, Ok)?;
                own.put(&held)?;
                runs = Some(own);
                held = HeldRows::default();
                self.meter.check(0)?;
            }
        }
        if let Some(mut runs) = runs {
            runs.put(&held)?;
            drop(held);
            return Ok(Sorted::Merged(Box::new(runs.merged()?)));
        }
        let mut table = Table::empty(names.to_vec());
        held.sorted(names.len()).for_each(|(_, row)| append(&mut table, row));
        Ok(Sorted::Held(self.slices(table)))
    }

    /// Holds rows with their keys.
    fn hold(&self, held: &mut HeldRows, rows: &Table, keys: &[SortKey<'_>]) -> Outcome<()> {
        let mut texts = vec![Vec::new(); rows.row_count];
        for SortKey { key, exists } in keys {
            let (expression, is_descending) = key_of(key);
            let ids = self.values_of(expression, exists, rows)?;
            let groups = Groups::of(&[&ids], ids.len(), &self.meter)?;
            let text = |row: &u32| self.key_text(ids[*row as usize], is_descending);
            let distinct: Vec<_> = groups.first_rows.iter().map(text).collect::<Outcome<_>>()?;
            for (text, group) in texts.iter_mut().zip(&groups.of_rows) {
                text.extend_from_slice(&distinct[*group as usize]);
            }
        }
        for (row, text) in texts.iter().enumerate() {
            held.push(text, rows.columns.iter().map(|column| column[row]));
        }
        Ok(())
    }

    /// A text that is less than another as the term of its id comes before the other's, whatever
    /// follows.
    fn key_text(&self, id: u64, is_descending: bool) -> Outcome<Vec<u8>> {
        let mut text = Vec::new();
        if id != UNBOUND {
            for byte in order_key(&self.ids.term(id)?).bytes() {
                text.push(byte);
                if byte == 0 {
                    text.push(1);
                }
            }
        }
        text.extend([0, 0]);
        if is_descending {
            text.iter_mut().for_each(|byte| *byte = !*byte);
        }
        Ok(text)
    }
}

fn append(table: &mut Table, row: &[u64]) {
    table.columns.iter_mut().zip(row).for_each(|(column, id)| column.push(*id));
    table.row_count += 1;
}
