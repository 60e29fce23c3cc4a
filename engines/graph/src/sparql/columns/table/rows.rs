//! Solutions as columns of ids: an intermediate result.

use std::ops::{Deref, DerefMut};

use super::pool;
use super::weight::Weight;

/// In place of an id where a solution leaves a variable unbound. No term has it.
pub(in crate::sparql) const UNBOUND: u64 = u64::MAX;

/// Columns of ids, whose room is used again once they go.
#[derive(Debug, Default)]
pub(in crate::sparql) struct ColumnSet(Vec<Vec<u64>>);

impl Deref for ColumnSet {
    type Target = Vec<Vec<u64>>;

    fn deref(&self) -> &Vec<Vec<u64>> {
        &self.0
    }
}

impl DerefMut for ColumnSet {
    fn deref_mut(&mut self) -> &mut Vec<Vec<u64>> {
        &mut self.0
    }
}

impl From<Vec<Vec<u64>>> for ColumnSet {
    fn from(columns: Vec<Vec<u64>>) -> Self {
        ColumnSet(columns)
    }
}

impl FromIterator<Vec<u64>> for ColumnSet {
    fn from_iter<I: IntoIterator<Item = Vec<u64>>>(columns: I) -> Self {
        ColumnSet(columns.into_iter().collect())
    }
}

impl Drop for ColumnSet {
    fn drop(&mut self) {
        self.0.drain(..).for_each(pool::keep_ids);
    }
}

/// Solutions: a column of ids for each variable.
#[derive(Debug, Default)]
pub(in crate::sparql) struct Table {
    pub(in crate::sparql) names: Vec<String>,
    pub(in crate::sparql) columns: ColumnSet,
    pub(in crate::sparql) row_count: usize,
    /// What the meter counts for it.
    pub(in crate::sparql) weight: Weight,
}

impl Table {
    /// The one solution that binds nothing.
    pub(in crate::sparql) fn unit() -> Table {
        Table { row_count: 1, ..Table::default() }
    }

    /// No solution, of some variables.
    pub(in crate::sparql) fn empty(names: Vec<String>) -> Table {
        let columns = vec![Vec::new(); names.len()].into();
        Table { names, columns, ..Table::default() }
    }

    /// Place of a variable's column.
    pub(in crate::sparql) fn place(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|other| other == name)
    }

    /// A variable's column.
    pub(in crate::sparql) fn column(&self, name: &str) -> Option<&[u64]> {
        self.place(name).map(|at| &*self.columns[at])
    }

    /// Places in both tables of the variables that both have.
    pub(in crate::sparql) fn shared(&self, other: &Table) -> Vec<(usize, usize)> {
        let places = self.names.iter().enumerate();
        places.filter_map(|(at, name)| other.place(name).map(|there| (at, there))).collect()
    }

    /// Some columns.
    pub(in crate::sparql) fn columns_at(
        &self,
        places: impl IntoIterator<Item = usize>,
    ) -> Vec<&[u64]> {
        places.into_iter().map(|at| &*self.columns[at]).collect()
    }

    /// Whether some solution leaves the variable of a column unbound.
    pub(in crate::sparql) fn has_unbound(&self, place: usize) -> bool {
        self.columns[place].contains(&UNBOUND)
    }

    /// Number of ids.
    pub(super) fn cell_count(&self) -> usize {
        self.columns.len() * self.row_count
    }

    /// Bytes of the ids.
    pub(in crate::sparql) fn len(&self) -> u64 {
        (self.cell_count() * size_of::<u64>()) as u64
    }

    /// Some rows, in an order.
    pub(in crate::sparql) fn rows(&self, rows: &[u32]) -> Table {
        let column = |column: &Vec<u64>| gathered(column, rows);
        Table {
            names: self.names.clone(),
            columns: self.columns.iter().map(column).collect(),
            row_count: rows.len(),
            ..Table::default()
        }
    }

    /// A copy of the rows from one up to another.
    pub(in crate::sparql) fn between(&self, start: usize, end: usize) -> Table {
        let column = |column: &Vec<u64>| column[start..end].to_vec();
        Table {
            names: self.names.clone(),
            columns: self.columns.iter().map(column).collect(),
            row_count: end - start,
            ..Table::default()
        }
    }

    /// The rows for which a mark is set.
    pub(in crate::sparql) fn marked(self, marks: &[bool]) -> Table {
        let count = marks.iter().filter(|mark| **mark).count();
        if count == self.row_count { self } else { self.picked(marks) }
    }

    /// A copy of the rows for which a mark is set.
    pub(in crate::sparql) fn picked(&self, marks: &[bool]) -> Table {
        let rows: Vec<u32> =
            marks.iter().enumerate().filter_map(|(at, mark)| mark.then_some(at as u32)).collect();
        self.rows(&rows)
    }

    /// Columns of some variables only; those that the table doesn't have are unbound.
    pub(in crate::sparql) fn projected(mut self, names: &[String]) -> Table {
        let row_count = self.row_count;
        let places: Vec<Option<usize>> = names.iter().map(|name| self.place(name)).collect();
        let mut column = |(at, place): (usize, &Option<usize>)| match place {
            // A column is moved out by the last variable that wants it.
            Some(place) if places[at + 1..].contains(&Some(*place)) => self.columns[*place].clone(),
            Some(place) => std::mem::take(&mut self.columns[*place]),
            None => vec![UNBOUND; row_count],
        };
        let columns = places.iter().enumerate().map(&mut column).collect();
        Table { names: names.to_vec(), columns, row_count, ..Table::default() }
    }

    /// Drops the columns of some variables.
    pub(in crate::sparql) fn retain(&mut self, is_kept: impl Fn(&str) -> bool) {
        let kept = |(name, _): &(String, Vec<u64>)| is_kept(name);
        let columns = self.names.drain(..).zip(self.columns.drain(..)).filter(kept);
        let (names, columns): (_, Vec<_>) = columns.collect::<Vec<_>>().into_iter().unzip();
        (self.names, self.columns) = (names, columns.into());
    }

    /// A copy of some variables' columns.
    pub(in crate::sparql) fn with_only(&self, is_wanted: impl Fn(&str) -> bool) -> Table {
        let named = self.names.iter().zip(self.columns.iter()).filter(|(name, _)| is_wanted(name));
        let (names, columns): (_, Vec<_>) =
            named.map(|(name, column)| (name.clone(), column.clone())).unzip();
        let columns = columns.into();
        Table { names, columns, row_count: self.row_count, ..Table::default() }
    }

    /// A copy.
    pub(in crate::sparql) fn copied(&self) -> Table {
        self.with_only(|_| true)
    }

    /// The rows of both, one table after the other.
    pub(in crate::sparql) fn union(self, other: Table) -> Table {
        let mut names = self.names.clone();
        names.extend(other.names.iter().filter(|name| self.place(name).is_none()).cloned());
        let row_count = self.row_count + other.row_count;
        let (mut left, right) = (self.projected(&names), other.projected(&names));
        for (column, more) in left.columns.iter_mut().zip(right.columns.iter()) {
            column.extend_from_slice(more);
        }
        Table { row_count, ..left }
    }

    /// Adds a column.
    pub(in crate::sparql) fn push(&mut self, name: String, column: Vec<u64>) {
        debug_assert_eq!(column.len(), self.row_count, "rows of a column");
        self.names.push(name);
        self.columns.push(column);
    }
}

/// The ids of some rows of a column; [`NO_ROW`] gives an unbound one.
pub(in crate::sparql) fn gathered(column: &[u64], rows: &[u32]) -> Vec<u64> {
    let mut out = pool::ids(rows.len());
    out.extend(rows.iter().map(|row| column.get(*row as usize).copied().unwrap_or(UNBOUND)));
    out
}

/// Replaces `out` by the ids of some rows of a column, which are all there.
pub(in crate::sparql) fn gather(column: &[u64], rows: &[u32], out: &mut Vec<u64>) {
    out.clear();
    out.extend(rows.iter().map(|row| column[*row as usize]));
}

/// In place of a row that isn't there.
pub(in crate::sparql) const NO_ROW: u32 = u32::MAX;
/// Maximum number of rows of a table: each has a number below [`NO_ROW`].
pub(in crate::sparql) const ROWS_MAX: usize = NO_ROW as usize - 1;
