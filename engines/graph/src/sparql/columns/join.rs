//! Joins of tables on the variables that they share.
//!
//! Callers: columns/evaluate, columns/order

use super::groups::Groups;
use super::meter::Meter;
use super::stop::{Outcome, Stop};
use super::table::{NO_ROW, ROWS_MAX, Table, gathered};

/// Why a join is none of equal keys.
pub(super) const OPEN_KEY: Stop =
    Stop::NotHere("join on a variable that some solutions leave unbound");

/// Checks that all solutions bind what two tables share: a join on an unbound variable is no look-up of a key.
fn keys<'t>(left: &'t Table, right: &'t Table) -> Outcome<[Vec<&'t [u64]>; 2]> {
    let shared = left.shared(right);
    if shared.iter().any(|(l, r)| left.has_unbound(*l) || right.has_unbound(*r)) {
        return Err(OPEN_KEY);
    }
    let (l, r): (Vec<_>, Vec<_>) = shared.into_iter().unzip();
    Ok([left.columns_at(l), right.columns_at(r)])
}

/// Pairs of rows whose keys are equal. With `all_left`, a left row without any is paired with no row.
fn pairs(
    left: (&[&[u64]], usize),
    right: (&[&[u64]], usize),
    all_left: bool,
    meter: &Meter<'_, '_>,
) -> Outcome<(Vec<u32>, Vec<u32>)> {
    let groups = Groups::of(right.0, right.1);
    let (rows, starts) = groups.rows();
    let (mut lefts, mut rights) = (Vec::with_capacity(left.1), Vec::with_capacity(left.1));
    let mut key = vec![0; left.0.len()];
    let mut next_check = 1 << 16;
    for row in 0..left.1 {
        key.iter_mut().zip(left.0).for_each(|(id, column)| *id = column[row]);
        match groups.find(&key) {
            Some(group) => {
                let own = starts[group as usize] as usize..starts[group as usize + 1] as usize;
                lefts.extend(std::iter::repeat_n(row as u32, own.len()));
                rights.extend_from_slice(&rows[own]);
            }
            None if all_left => {
                lefts.push(row as u32);
                rights.push(NO_ROW);
            }
            None => {}
        }
        if lefts.len() >= next_check {
            meter.room(lefts.len())?;
            next_check = lefts.len() + (1 << 16);
        }
    }
    if lefts.len() > ROWS_MAX {
        return Err(Stop::NotHere("more than 2^32 rows"));
    }
    meter.joined(lefts.len())?;
    Ok((lefts, rights))
}

/// The left rows with the columns that only the right table has.
fn glued(left: &Table, right: &Table, lefts: &[u32], rights: &[u32]) -> Table {
    let mut table = left.rows(lefts);
    for (name, column) in right.names.iter().zip(&right.columns) {
        if left.place(name).is_none() {
            table.push(name.clone(), gathered(column, rights));
        }
    }
    table
}

/// The solutions of both.
pub(super) fn inner(left: &Table, right: &Table, meter: &Meter<'_, '_>) -> Outcome<Table> {
    let [l, r] = keys(left, right)?;
    // The smaller one is grouped.
    let (lefts, rights) = if right.row_count <= left.row_count {
        pairs((&l, left.row_count), (&r, right.row_count), false, meter)?
    } else {
        let (rights, lefts) = pairs((&r, right.row_count), (&l, left.row_count), false, meter)?;
        (lefts, rights)
    };
    let table = glued(left, right, &lefts, &rights);
    meter.made(&table)?;
    Ok(table)
}

/// Which rows of a table pass.
pub(super) type Filter<'f> = dyn Fn(&Table) -> Outcome<Vec<bool>> + 'f;

/// The solutions of both that pass a filter, and those of the left table that have none.
pub(super) fn left(
    left: &Table,
    right: &Table,
    filter: Option<&Filter<'_>>,
    meter: &Meter<'_, '_>,
) -> Outcome<Table> {
    let [l, r] = keys(left, right)?;
    let (l, r) = ((&*l, left.row_count), (&*r, right.row_count));
    let Some(filter) = filter else {
        let (lefts, rights) = pairs(l, r, true, meter)?;
        let table = glued(left, right, &lefts, &rights);
        meter.made(&table)?;
        return Ok(table);
    };
    let (mut lefts, mut rights) = pairs(l, r, false, meter)?;
    let passes = filter(&glued(left, right, &lefts, &rights))?;
    let mut has_one = vec![false; left.row_count];
    let mut kept = 0;
    for at in 0..lefts.len() {
        if passes[at] {
            has_one[lefts[at] as usize] = true;
            (lefts[kept], rights[kept]) = (lefts[at], rights[at]);
            kept += 1;
        }
    }
    lefts.truncate(kept);
    rights.truncate(kept);
    let alone = (0..left.row_count as u32).filter(|row| !has_one[*row as usize]);
    lefts.extend(alone);
    rights.resize(lefts.len(), NO_ROW);
    let table = glued(left, right, &lefts, &rights);
    meter.made(&table)?;
    Ok(table)
}

/// Whether each left row has a right one.
pub(super) fn has_partner(left: &Table, right: &Table) -> Outcome<Vec<bool>> {
    let [l, r] = keys(left, right)?;
    let groups = Groups::of(&r, right.row_count);
    let mut key = vec![0; l.len()];
    let mut marks = Vec::with_capacity(left.row_count);
    for row in 0..left.row_count {
        key.iter_mut().zip(&l).for_each(|(id, column)| *id = column[row]);
        marks.push(groups.find(&key).is_some());
    }
    Ok(marks)
}

/// Each combination of some variables once, of those that the table has.
pub(super) fn distinct(table: &Table, names: &[&str]) -> Table {
    let places: Vec<usize> = names.iter().filter_map(|name| table.place(name)).collect();
    let columns = table.columns_at(places.iter().copied());
    let groups = Groups::of(&columns, table.row_count);
    Table {
        names: places.iter().map(|place| table.names[*place].clone()).collect(),
        columns: columns.iter().map(|column| gathered(column, &groups.first_rows)).collect(),
        row_count: groups.count(),
    }
}
