//! Equal keys numbered, and the rows of each: what joins, groups and DISTINCT are made of.
//!
//! Ids of one tag are dense numbers, so a key of one column is mostly looked up in an array; other
//! keys are hashed.

use std::hash::{BuildHasher, RandomState};

use manicule_core::bytes::mix;

use super::super::stop::Outcome;
use super::meter::Meter;

/// Numbers of distinct keys, in the order in which they are first met.
#[derive(Debug)]
pub(in crate::sparql) struct Groups {
    map: Map,
    /// The first row of each group.
    pub(in crate::sparql) first_rows: Vec<u32>,
    /// The group of each row.
    pub(in crate::sparql) of_rows: Vec<u32>,
}

#[derive(Debug)]
enum Map {
    /// Of no column: there is one key.
    One,
    /// By the id less a base.
    Array { base: u64, groups: Vec<u32> },
    /// By the hash of all ids, with open addressing.
    Hashed { seed: u64, slots: Vec<u32>, keys: Vec<Vec<u64>> },
}

const NONE: u32 = u32::MAX;

/// Number of rows between two looks at the time: some milliseconds.
const ROWS_PER_LOOK: usize = 1 << 15;

/// Ends the work where it gives an error.
type Look<'l> = dyn FnMut() -> Outcome<()> + 'l;

impl Groups {
    /// Numbers the keys of some columns of equal length.
    pub(in crate::sparql) fn of(
        columns: &[&[u64]],
        row_count: usize,
        meter: &Meter<'_, '_>,
    ) -> Outcome<Groups> {
        Groups::watched(columns, row_count, &mut || meter.check(0))
    }

    /// A group of each row.
    pub(in crate::sparql) fn of_each_row(row_count: usize) -> Groups {
        let rows: Vec<u32> = (0..row_count as u32).collect();
        Groups { map: Map::One, first_rows: rows.clone(), of_rows: rows }
    }

    /// As [`Groups::of`], to its end.
    #[cfg(test)]
    pub(super) fn unwatched(columns: &[&[u64]], row_count: usize) -> Groups {
        Groups::watched(columns, row_count, &mut || Ok(())).expect("nothing stops it")
    }

    /// As [`Groups::of`], which now and then looks whether to go on.
    fn watched(columns: &[&[u64]], row_count: usize, look: &mut Look<'_>) -> Outcome<Groups> {
        match columns {
            [] => Ok(Groups {
                map: Map::One,
                first_rows: if row_count > 0 { vec![0] } else { Vec::new() },
                of_rows: vec![0; row_count],
            }),
            [column] => match range_of(column, 0) {
                Some((base, count)) => Groups::by_array(column, base, count, look),
                None => Groups::by_hash(columns, row_count, look),
            },
            _ => Groups::by_hash(columns, row_count, look),
        }
    }

    /// Number of distinct keys.
    pub(in crate::sparql) fn count(&self) -> usize {
        self.first_rows.len()
    }

    fn by_array(column: &[u64], base: u64, count: usize, look: &mut Look<'_>) -> Outcome<Groups> {
        let mut groups = vec![NONE; count];
        let (mut first_rows, mut of_rows) = (Vec::new(), Vec::with_capacity(column.len()));
        for (row, id) in column.iter().enumerate() {
            if row % ROWS_PER_LOOK == 0 {
                look()?;
            }
            let group = &mut groups[(id - base) as usize];
            if *group == NONE {
                *group = first_rows.len() as u32;
                first_rows.push(row as u32);
            }
            of_rows.push(*group);
        }
        Ok(Groups { map: Map::Array { base, groups }, first_rows, of_rows })
    }

    fn by_hash(columns: &[&[u64]], row_count: usize, look: &mut Look<'_>) -> Outcome<Groups> {
        let seed = RandomState::new().hash_one(row_count);
        let mut slots = vec![NONE; (row_count * 2).next_power_of_two().max(16)];
        let mut keys: Vec<Vec<u64>> = vec![Vec::new(); columns.len()];
        let (mut first_rows, mut of_rows) = (Vec::new(), Vec::with_capacity(row_count));
        let mut key = vec![0; columns.len()];
        for row in 0..row_count {
            if row % ROWS_PER_LOOK == 0 {
                look()?;
            }
            key.iter_mut().zip(columns).for_each(|(id, column)| *id = column[row]);
            let slot = slot_of(&slots, &keys, seed, &key);
            if slots[slot] == NONE {
                slots[slot] = first_rows.len() as u32;
                first_rows.push(row as u32);
                keys.iter_mut().zip(&key).for_each(|(column, id)| column.push(*id));
            }
            of_rows.push(slots[slot]);
        }
        Ok(Groups { map: Map::Hashed { seed, slots, keys }, first_rows, of_rows })
    }

    /// The group of a key.
    #[inline]
    pub(in crate::sparql) fn find(&self, key: &[u64]) -> Option<u32> {
        let group = match &self.map {
            Map::One => (!self.first_rows.is_empty()).then_some(0)?,
            Map::Array { base, groups } => *groups.get(key[0].checked_sub(*base)? as usize)?,
            Map::Hashed { seed, slots, keys } => slots[slot_of(slots, keys, *seed, key)],
        };
        (group != NONE).then_some(group)
    }

    /// The rows of each group, back to back, and where each group's begin.
    pub(in crate::sparql) fn rows(&self) -> (Vec<u32>, Vec<u32>) {
        rows_of(&self.of_rows, self.count())
    }
}

/// The rows of each group, back to back, and where each group's begin; of the groups of all rows,
/// which are below a count.
pub(in crate::sparql) fn rows_of(groups: &[u32], count: usize) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0_u32; count + 1];
    for group in groups {
        starts[*group as usize + 1] += 1;
    }
    for at in 1..starts.len() {
        starts[at] += starts[at - 1];
    }
    let (mut next, mut rows) = (starts.clone(), vec![0; groups.len()]);
    for (row, group) in groups.iter().enumerate() {
        let next = &mut next[*group as usize];
        rows[*next as usize] = row as u32;
        *next += 1;
    }
    (rows, starts)
}

/// The least id and the width of the range, where an array of it is no larger than a hash table and
/// some more.
pub(in crate::sparql) fn range_of(column: &[u64], more: usize) -> Option<(u64, usize)> {
    let least = *column.iter().min()?;
    let width = column.iter().max()? - least;
    let limit = 8 * column.len() as u64 + 1024 + more as u64;
    (width < limit).then_some((least, width as usize + 1))
}

/// The slot of a key: its own, or the free one where it would be.
fn slot_of(slots: &[u32], keys: &[Vec<u64>], seed: u64, key: &[u64]) -> usize {
    let hash = key.iter().fold(seed, |state, id| mix(state, *id));
    let mask = slots.len() - 1;
    let mut slot = hash as usize & mask;
    loop {
        let group = slots[slot];
        if group == NONE || keys.iter().zip(key).all(|(column, id)| column[group as usize] == *id) {
            return slot;
        }
        slot = (slot + 1) & mask;
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::stop::Stop;
    use super::*;

    #[test]
    fn a_look_that_fails_ends_the_work() {
        let mut looks = 0;
        let column: Vec<u64> = (0..100_000).map(|id| id << 20).collect();
        let got = Groups::watched(&[&column], column.len(), &mut || {
            looks += 1;
            if looks < 3 { Ok(()) } else { Err(Stop::Unsupported("told to end")) }
        });
        assert!(matches!(got, Err(Stop::Unsupported("told to end"))));
        assert_eq!(looks, 3);
    }

    fn check(columns: &[&[u64]]) {
        let row_count = columns[0].len();
        let groups = Groups::unwatched(columns, row_count);
        let key = |row: usize| columns.iter().map(|column| column[row]).collect::<Vec<_>>();
        let (rows, starts) = groups.rows();
        assert_eq!(rows.len(), row_count);
        for row in 0..row_count {
            let group = groups.find(&key(row)).expect("a key that is there");
            assert_eq!(groups.of_rows[row], group);
            assert_eq!(key(groups.first_rows[group as usize] as usize), key(row));
            let own = &rows[starts[group as usize] as usize..starts[group as usize + 1] as usize];
            let want: Vec<u32> = (0..row_count)
                .filter(|other| key(*other) == key(row))
                .map(|at| at as u32)
                .collect();
            assert_eq!(own, want);
        }
        assert_eq!(groups.find(&vec![999; columns.len()]), None);
    }

    #[test]
    fn equal_keys_have_one_group_whichever_way_they_are_found() {
        let dense = [7, 5, 7, 9, 5];
        let wide = [1 << 60, 5, 1 << 60, u64::MAX, 5];
        check(&[&dense]);
        check(&[&wide]);
        check(&[&dense, &wide]);
        check(&[&dense, &dense[..].iter().rev().copied().collect::<Vec<_>>(), &wide]);
    }

    #[test]
    fn of_no_column_there_is_one_group() {
        assert_eq!(Groups::unwatched(&[], 3).of_rows, [0, 0, 0]);
        assert_eq!(Groups::unwatched(&[], 0).count(), 0);
    }
}
