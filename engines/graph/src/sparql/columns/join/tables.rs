//! Joins of tables on the variables that they share.

use std::collections::BTreeMap;

use super::super::stop::{Outcome, Stop};
use super::super::table::groups::Groups;
use super::super::table::meter::Meter;
use super::super::table::rows::{NO_ROW, ROWS_MAX, Table, UNBOUND, gathered};
use super::build::Lookup;

/// What two tables share.
struct Keys<'t> {
    left: Vec<&'t [u64]>,
    right: Vec<&'t [u64]>,
    /// Whether some row leaves some of it unbound.
    is_open: bool,
}

impl<'t> Keys<'t> {
    fn of(left: &'t Table, right: &'t Table) -> Keys<'t> {
        let shared = left.shared(right);
        let is_open = shared.iter().any(|(l, r)| left.has_unbound(*l) || right.has_unbound(*r));
        let (l, r): (Vec<_>, Vec<_>) = shared.into_iter().unzip();
        Keys { left: left.columns_at(l), right: right.columns_at(r), is_open }
    }

    /// Parts of both tables that can have rows which agree, each with the keys that all of its rows
    /// bind.
    fn parts(&self, left: &Table, right: &Table) -> Vec<Part> {
        let (lefts, rights) = (by_mask(&self.left, left), by_mask(&self.right, right));
        let mut parts = Vec::new();
        for (left_mask, left_rows) in &lefts {
            for (right_mask, right_rows) in &rights {
                let is_bound = |at: &usize| left_mask & right_mask & 1 << at != 0;
                let own: Vec<usize> = (0..self.left.len()).filter(is_bound).collect();
                let of = |columns: &[&[u64]], rows: &[u32]| {
                    own.iter().map(|at| gathered(columns[*at], rows)).collect()
                };
                parts.push(Part {
                    left_keys: of(&self.left, left_rows),
                    right_keys: of(&self.right, right_rows),
                    left_rows: left_rows.clone(),
                    right_rows: right_rows.clone(),
                });
            }
        }
        parts
    }
}

/// Rows of two tables that bind the same of what the tables share.
struct Part {
    left_keys: Vec<Vec<u64>>,
    right_keys: Vec<Vec<u64>>,
    left_rows: Vec<u32>,
    right_rows: Vec<u32>,
}

/// The rows by which of some columns they bind: a bit for each.
fn by_mask(columns: &[&[u64]], table: &Table) -> BTreeMap<u64, Vec<u32>> {
    let mut rows: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
    for row in 0..table.row_count {
        let bit = |(at, column): (usize, &&[u64])| u64::from(column[row] != UNBOUND) << at;
        let mask = columns.iter().enumerate().map(bit).sum();
        rows.entry(mask).or_default().push(row as u32);
    }
    rows
}

/// Columns of a table that are compared.
#[derive(Clone, Copy)]
struct KeyColumns<'k> {
    columns: &'k [&'k [u64]],
    row_count: usize,
}

fn slices(columns: &[Vec<u64>]) -> Vec<&[u64]> {
    columns.iter().map(Vec::as_slice).collect()
}

/// Pairs of rows whose keys are equal.
fn equal_pairs(
    left: KeyColumns<'_>,
    right: KeyColumns<'_>,
    meter: &Meter<'_, '_>,
) -> Outcome<(Vec<u32>, Vec<u32>)> {
    // The smaller one is looked up in.
    if right.row_count > left.row_count {
        let (rights, lefts) = looked_up(right, left, meter)?;
        return Ok((lefts, rights));
    }
    looked_up(left, right, meter)
}

fn looked_up(
    left: KeyColumns<'_>,
    right: KeyColumns<'_>,
    meter: &Meter<'_, '_>,
) -> Outcome<(Vec<u32>, Vec<u32>)> {
    let lookup = Lookup::new(right.columns, right.row_count, left.row_count, meter)?;
    let (mut lefts, mut rights) =
        (Vec::with_capacity(left.row_count), Vec::with_capacity(left.row_count));
    let mut key = vec![0; left.columns.len()];
    let mut next_look = 1 << 16;
    for row in 0..left.row_count {
        key.iter_mut().zip(left.columns).for_each(|(id, column)| *id = column[row]);
        let own = lookup.rows_of(&key);
        lefts.extend(std::iter::repeat_n(row as u32, own.len()));
        rights.extend_from_slice(own);
        if lefts.len() >= next_look {
            meter.admit(lefts.len(), lefts.len())?;
            next_look = lefts.len() + (1 << 16);
        }
    }
    if lefts.len() > ROWS_MAX {
        return Err(Stop::Unsupported("table of more than 2^32 rows"));
    }
    meter.passed(lefts.len())?;
    Ok((lefts, rights))
}

/// Pairs of rows that agree: what both bind is equal.
fn pairs(left: &Table, right: &Table, meter: &Meter<'_, '_>) -> Outcome<(Vec<u32>, Vec<u32>)> {
    let keys = Keys::of(left, right);
    if !keys.is_open {
        let right = KeyColumns { columns: &keys.right, row_count: right.row_count };
        let left = KeyColumns { columns: &keys.left, row_count: left.row_count };
        return equal_pairs(left, right, meter);
    }
    let (mut lefts, mut rights) = (Vec::new(), Vec::new());
    for part in keys.parts(left, right) {
        let (left_keys, right_keys) = (slices(&part.left_keys), slices(&part.right_keys));
        let left = KeyColumns { columns: &left_keys, row_count: part.left_rows.len() };
        let right = KeyColumns { columns: &right_keys, row_count: part.right_rows.len() };
        let (own, others) = equal_pairs(left, right, meter)?;
        lefts.extend(own.iter().map(|at| part.left_rows[*at as usize]));
        rights.extend(others.iter().map(|at| part.right_rows[*at as usize]));
    }
    Ok((lefts, rights))
}

/// The left rows, with what only the right ones bind.
fn glued(left: &Table, right: &Table, lefts: &[u32], rights: &[u32]) -> Table {
    let mut table = left.rows(lefts);
    for (name, column) in right.names.iter().zip(right.columns.iter()) {
        match table.place(name) {
            None => table.push(name.clone(), gathered(column, rights)),
            Some(place) => {
                let open = table.columns[place].iter_mut().zip(rights);
                for (id, row) in open.filter(|(id, _)| **id == UNBOUND) {
                    *id = column.get(*row as usize).copied().unwrap_or(UNBOUND);
                }
            }
        }
    }
    table
}

/// The solutions of both.
pub(in crate::sparql) fn inner(
    left: &Table,
    right: &Table,
    meter: &Meter<'_, '_>,
) -> Outcome<Table> {
    let (lefts, rights) = pairs(left, right, meter)?;
    let table = glued(left, right, &lefts, &rights);
    meter.charge(&table)?;
    Ok(table)
}

/// Which rows of a table pass.
pub(in crate::sparql) type Filter<'f> = dyn Fn(&Table) -> Outcome<Vec<bool>> + 'f;

/// The solutions of both that pass a filter, and those of the left table that have none.
pub(in crate::sparql) fn left(
    left: &Table,
    right: &Table,
    filter: Option<&Filter<'_>>,
    meter: &Meter<'_, '_>,
) -> Outcome<Table> {
    let (mut lefts, mut rights) = pairs(left, right, meter)?;
    if let Some(filter) = filter {
        let passes = filter(&glued(left, right, &lefts, &rights))?;
        let mut marks = passes.iter();
        lefts.retain(|_| *marks.next().unwrap_or(&false));
        marks = passes.iter();
        rights.retain(|_| *marks.next().unwrap_or(&false));
    }
    let mut has_one = vec![false; left.row_count];
    lefts.iter().for_each(|row| has_one[*row as usize] = true);
    lefts.extend((0..left.row_count as u32).filter(|row| !has_one[*row as usize]));
    rights.resize(lefts.len(), NO_ROW);
    let table = glued(left, right, &lefts, &rights);
    meter.charge(&table)?;
    Ok(table)
}

/// Number of pairs of rows that a filter sees at once.
const PAIRS_PER_FILTER: usize = 1 << 16;

/// Whether each left row has a right one that agrees, such that the pair passes a filter. Pairs are
/// made some at a time, and none of a row that has its partner.
pub(in crate::sparql) fn has_partner_that_passes(
    left: &Table,
    right: &Table,
    filter: &Filter<'_>,
    meter: &Meter<'_, '_>,
) -> Outcome<Vec<bool>> {
    let keys = Keys::of(left, right);
    let mut pairs = Pairs { left, right, filter, meter, lefts: Vec::new(), rights: Vec::new() };
    let mut marks = vec![false; left.row_count];
    if !keys.is_open {
        let right = KeyColumns { columns: &keys.right, row_count: right.row_count };
        let left = KeyColumns { columns: &keys.left, row_count: left.row_count };
        let rows = Rows { left: &|row| row, right: &|row| row };
        pairs.mark(left, right, rows, &mut marks)?;
    } else {
        for part in keys.parts(left, right) {
            let (left_keys, right_keys) = (slices(&part.left_keys), slices(&part.right_keys));
            let left_row = |at: u32| part.left_rows[at as usize];
            let right_row = |at: u32| part.right_rows[at as usize];
            let left = KeyColumns { columns: &left_keys, row_count: part.left_rows.len() };
            let right = KeyColumns { columns: &right_keys, row_count: part.right_rows.len() };
            let rows = Rows { left: &left_row, right: &right_row };
            pairs.mark(left, right, rows, &mut marks)?;
        }
    }
    pairs.decide(&mut marks)?;
    Ok(marks)
}

/// The rows that places of a part stand for, of the left table and of the right one.
struct Rows<'r> {
    left: &'r dyn Fn(u32) -> u32,
    right: &'r dyn Fn(u32) -> u32,
}

/// Pairs of rows that wait for a filter.
struct Pairs<'p, 's, 'v> {
    left: &'p Table,
    right: &'p Table,
    filter: &'p Filter<'p>,
    meter: &'p Meter<'s, 'v>,
    lefts: Vec<u32>,
    rights: Vec<u32>,
}

impl Pairs<'_, '_, '_> {
    /// Puts rows with equal keys together.
    fn mark(
        &mut self,
        left: KeyColumns<'_>,
        right: KeyColumns<'_>,
        rows: Rows<'_>,
        marks: &mut [bool],
    ) -> Outcome<()> {
        let lookup = Lookup::new(right.columns, right.row_count, left.row_count, self.meter)?;
        let mut key = vec![0; left.columns.len()];
        for at in 0..left.row_count {
            let row = (rows.left)(at as u32);
            key.iter_mut().zip(left.columns).for_each(|(id, column)| *id = column[at]);
            for partners in lookup.rows_of(&key).chunks(PAIRS_PER_FILTER) {
                if marks[row as usize] {
                    break;
                }
                self.lefts.extend(std::iter::repeat_n(row, partners.len()));
                self.rights.extend(partners.iter().map(|at| (rows.right)(*at)));
                if self.lefts.len() >= PAIRS_PER_FILTER {
                    self.decide(marks)?;
                }
            }
        }
        Ok(())
    }

    /// Marks the left rows of the pairs that pass.
    fn decide(&mut self, marks: &mut [bool]) -> Outcome<()> {
        self.meter.passed(self.lefts.len())?;
        let pairs = glued(self.left, self.right, &self.lefts, &self.rights);
        self.meter.charge(&pairs)?;
        let passed = self.lefts.iter().zip((self.filter)(&pairs)?).filter(|(_, passes)| *passes);
        passed.for_each(|(row, _)| marks[*row as usize] = true);
        self.lefts.clear();
        self.rights.clear();
        Ok(())
    }
}

/// When two rows that bind nothing in common are partners.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::sparql) enum Strangers {
    Partners,
    None,
}

/// Whether each left row has a right one that agrees.
pub(in crate::sparql) fn has_partner(
    left: &Table,
    right: &Table,
    strangers: Strangers,
    meter: &Meter<'_, '_>,
) -> Outcome<Vec<bool>> {
    let keys = Keys::of(left, right);
    let mut marks = vec![false; left.row_count];
    if !keys.is_open {
        let right = KeyColumns { columns: &keys.right, row_count: right.row_count };
        mark(&keys.left, None, right, &mut marks, meter)?;
        return Ok(marks);
    }
    for part in keys.parts(left, right) {
        if part.left_keys.is_empty() && strangers == Strangers::None {
            continue;
        }
        let (left_keys, right_keys) = (slices(&part.left_keys), slices(&part.right_keys));
        let right = KeyColumns { columns: &right_keys, row_count: part.right_rows.len() };
        mark(&left_keys, Some(&part.left_rows), right, &mut marks, meter)?;
    }
    Ok(marks)
}

/// Sets the marks of rows, all or some, whose keys others have.
fn mark(
    left: &[&[u64]],
    rows: Option<&[u32]>,
    right: KeyColumns<'_>,
    marks: &mut [bool],
    meter: &Meter<'_, '_>,
) -> Outcome<()> {
    let groups = Groups::of(right.columns, right.row_count, meter)?;
    let mut key = vec![0; left.len()];
    for at in 0..rows.map_or(marks.len(), <[u32]>::len) {
        key.iter_mut().zip(left).for_each(|(id, column)| *id = column[at]);
        marks[rows.map_or(at, |rows| rows[at] as usize)] |= groups.find(&key).is_some();
    }
    Ok(())
}

/// Each combination of some variables once, of those that the table has.
pub(in crate::sparql) fn distinct(
    table: &Table,
    names: &[&str],
    meter: &Meter<'_, '_>,
) -> Outcome<Table> {
    let places: Vec<usize> = names.iter().filter_map(|name| table.place(name)).collect();
    let columns = table.columns_at(places.iter().copied());
    let groups = Groups::of(&columns, table.row_count, meter)?;
    Ok(Table {
        names: places.iter().map(|place| table.names[*place].clone()).collect(),
        columns: columns.iter().map(|column| gathered(column, &groups.first_rows)).collect(),
        row_count: groups.count(),
        ..Table::default()
    })
}
