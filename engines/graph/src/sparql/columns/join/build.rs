//! Rows of a table by their keys: what the other side of a join is looked up in.

use super::super::stop::Outcome;
use super::super::table::groups::{Groups, range_of};
use super::super::table::meter::Meter;
use super::super::table::pool;
use super::super::table::rows::NO_ROW;

/// Rows by key.
pub(in crate::sparql) enum Lookup {
    /// Each key has one row: by the id less a base.
    Unique { base: u64, rows: Vec<u32> },
    /// The rows of each key, back to back.
    Several { groups: Groups, rows: Vec<u32>, starts: Vec<u32> },
}

impl Lookup {
    /// The rows of some columns, to be looked up a number of times: for many look-ups a longer
    /// array is worth its making.
    pub(in crate::sparql) fn new(
        keys: &[&[u64]],
        row_count: usize,
        look_ups: usize,
        meter: &Meter<'_, '_>,
    ) -> Outcome<Lookup> {
        if let [column] = keys
            && let Some((base, count)) = range_of(column, 4 * look_ups)
            && let Some(rows) = unique(column, base, count)
        {
            return Ok(Lookup::Unique { base, rows });
        }
        let groups = Groups::of(keys, row_count, meter)?;
        let (rows, starts) = groups.rows();
        Ok(Lookup::Several { groups, rows, starts })
    }

    /// The only row of a key, or [`NO_ROW`]; of keys that have one row each.
    #[inline]
    pub(super) fn row_of(rows: &[u32], base: u64, key: u64) -> u32 {
        rows.get(key.wrapping_sub(base) as usize).copied().unwrap_or(NO_ROW)
    }

    /// The rows of a key.
    #[inline]
    pub(in crate::sparql) fn rows_of(&self, key: &[u64]) -> &[u32] {
        match self {
            Lookup::Unique { base, rows } => {
                let row = rows.get(key[0].wrapping_sub(*base) as usize);
                row.filter(|row| **row != NO_ROW).map_or(&[], std::slice::from_ref)
            }
            Lookup::Several { groups, rows, starts } => match groups.find(key) {
                Some(group) => {
                    &rows[starts[group as usize] as usize..starts[group as usize + 1] as usize]
                }
                None => &[],
            },
        }
    }
}

impl Drop for Lookup {
    fn drop(&mut self) {
        let (Lookup::Unique { rows, .. } | Lookup::Several { rows, .. }) = self;
        pool::keep_rows(std::mem::take(rows));
    }
}

/// Each id's row; none if an id has two.
fn unique(column: &[u64], base: u64, count: usize) -> Option<Vec<u32>> {
    let mut rows = pool::rows(count);
    rows.resize(count, NO_ROW);
    for (row, id) in column.iter().enumerate() {
        let own = &mut rows[(id - base) as usize];
        if *own != NO_ROW {
            return None;
        }
        *own = row as u32;
    }
    Some(rows)
}
