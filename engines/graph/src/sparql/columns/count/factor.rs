//! Numbers of rows by key: what a part of a join weighs for each id that it shares with the rest,
//! in place of its rows.

use std::collections::HashMap;

use super::super::stop::{Outcome, Stop};
use super::super::table::pool;
use super::super::table::rows::Table;
use super::super::table::sink::Sink;
use crate::Id;

/// Keys for which an array is made in any case.
const ARRAY_MIN: u64 = 1 << 16;

/// Numbers of rows by id. Those of one tag are dense numbers: they have an array, all others a hash
/// table.
pub(super) struct Tally {
    /// Id of payload zero of the array's tag.
    base: u64,
    array: Vec<u32>,
    /// Maximum length of the array.
    array_max: u64,
    others: HashMap<u64, u32>,
    /// Numbers that don't fit: [`WIDE`] takes their places.
    wide: HashMap<u64, u64>,
}

/// In place of a number that needs more than 32 bits.
const WIDE: u32 = u32::MAX;

impl Tally {
    /// No key; the array may be longer where more rows are added and looked up.
    pub(in crate::sparql) fn new(row_count: u64) -> Tally {
        let array_max = row_count.saturating_mul(16).saturating_add(ARRAY_MIN);
        let (others, wide) = (HashMap::new(), HashMap::new());
        Tally { base: 0, array: Vec::new(), array_max, others, wide }
    }

    /// The number of rows of a key.
    #[inline]
    pub(in crate::sparql) fn get(&self, id: u64) -> u64 {
        match self.array.get((id ^ self.base) as usize) {
            Some(&WIDE) => self.wide_of(id),
            Some(count) => u64::from(*count),
            None if self.others.is_empty() => 0,
            None => match self.others.get(&id) {
                Some(&WIDE) => self.wide_of(id),
                other => other.copied().unwrap_or(0).into(),
            },
        }
    }

    #[cold]
    fn wide_of(&self, id: u64) -> u64 {
        self.wide.get(&id).copied().unwrap_or(0)
    }

    /// Adds rows to a key.
    #[inline]
    pub(in crate::sparql) fn add(&mut self, id: u64, count: u64) -> Outcome<()> {
        let at = (id ^ self.base) as usize;
        let own = match self.array.get_mut(at) {
            Some(own) => own,
            None => self.slot(id),
        };
        let sum = u64::from(*own).saturating_add(count);
        if sum < u64::from(WIDE) {
            *own = sum as u32;
            return Ok(());
        }
        let before = std::mem::replace(own, WIDE);
        self.add_wide(id, if before == WIDE { 0 } else { before.into() }, count)
    }

    /// Adds rows to a key of more than 32 bits of them, or of some before.
    #[cold]
    fn add_wide(&mut self, id: u64, before: u64, count: u64) -> Outcome<()> {
        let own = self.wide.entry(id).or_insert(before);
        *own = own.checked_add(count).ok_or(Stop::Unsupported("count of more than 2^64 rows"))?;
        Ok(())
    }

    /// The number of a key that is beyond the array.
    #[cold]
    fn slot(&mut self, id: u64) -> &mut u32 {
        if self.array.is_empty() {
            self.base = Id::new(Id(id).tag(), 0).0;
        }
        let at = id ^ self.base;
        if at >= self.array_max {
            return self.others.entry(id).or_insert(0);
        }
        let len = (at as usize + 1).next_power_of_two();
        let mut array = pool::rows(len);
        array.extend_from_slice(&self.array);
        array.resize(len, 0);
        pool::keep_rows(std::mem::replace(&mut self.array, array));
        &mut self.array[at as usize]
    }

    /// Keys that have rows, with their numbers.
    pub(in crate::sparql) fn counts(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let array =
            self.array.iter().enumerate().map(|(at, count)| (self.base ^ at as u64, *count));
        let others = self.others.iter().map(|(id, count)| (*id, *count));
        let all = array.chain(others).filter(|(_, count)| *count > 0);
        all.map(|(id, count)| (id, if count == WIDE { self.wide_of(id) } else { count.into() }))
    }

    /// Memory that it takes, in bytes.
    pub(in crate::sparql) fn len(&self) -> u64 {
        let others = self.others.capacity() * size_of::<(u64, u32)>();
        (self.array.capacity() * size_of::<u32>() + others) as u64
    }
}

impl Drop for Tally {
    fn drop(&mut self) {
        pool::keep_rows(std::mem::take(&mut self.array));
    }
}

/// What the number of rows that a key has elsewhere makes of one row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::sparql) enum Times {
    /// One for each of them: a join.
    Each,
    /// One for each of them, and one if there is none: OPTIONAL.
    AtLeastOne,
    /// The row if there is one: EXISTS.
    IfAny,
    /// The row if there is none: MINUS, NOT EXISTS.
    IfNone,
}

impl Times {
    #[inline]
    pub(in crate::sparql) fn of(self, count: u64) -> u64 {
        match self {
            Times::Each => count,
            Times::AtLeastOne => count.max(1),
            Times::IfAny => count.min(1),
            Times::IfNone => u64::from(count == 0),
        }
    }
}

/// Where numbers of rows are summed up: in all, or by a key.
pub(super) enum Sums<'n> {
    All(u64),
    By(&'n str, Tally),
}

/// Weighs rows as they come: each is a number of solutions, which is added to the sums.
pub(super) struct Weighing<'w, 'n> {
    /// Keys and what they weigh.
    pub(super) factors: Vec<(&'w str, &'w Tally, Times)>,
    /// What every row weighs.
    pub(in crate::sparql) scale: u64,
    pub(in crate::sparql) sums: &'w mut Sums<'n>,
    weights: Vec<u64>,
}

impl<'w, 'n> Weighing<'w, 'n> {
    pub(in crate::sparql) fn new(scale: u64, sums: &'w mut Sums<'n>) -> Self {
        Weighing { factors: Vec::new(), scale, sums, weights: Vec::new() }
    }

    /// Takes rows that are there a number of times each.
    pub(super) fn push_counted(&mut self, rows: &Table, counts: &[u64]) -> Outcome<()> {
        self.weights.clear();
        self.weights.extend_from_slice(counts);
        self.weigh(rows)
    }

    fn weigh(&mut self, rows: &Table) -> Outcome<()> {
        let too_many = || Stop::Unsupported("count of more than 2^64 rows");
        for (key, tally, times) in &self.factors {
            let ids = column(rows, key)?;
            for (weight, id) in self.weights.iter_mut().zip(ids) {
                let count = times.of(tally.get(*id));
                *weight = weight.checked_mul(count).ok_or_else(too_many)?;
            }
        }
        for weight in &mut self.weights {
            *weight = weight.checked_mul(self.scale).ok_or_else(too_many)?;
        }
        match self.sums {
            Sums::All(sum) => {
                for weight in &self.weights {
                    *sum = sum.checked_add(*weight).ok_or_else(too_many)?;
                }
            }
            Sums::By(key, tally) => {
                let weighed = column(rows, key)?.iter().zip(&self.weights);
                for (id, weight) in weighed.filter(|(_, weight)| **weight > 0) {
                    tally.add(*id, *weight)?;
                }
            }
        }
        Ok(())
    }
}

/// The column of a key, which the rows have.
fn column<'t>(rows: &'t Table, key: &str) -> Outcome<&'t [u64]> {
    rows.column(key).ok_or(Stop::Unsupported("count by a variable that isn't there"))
}

impl Sink for Weighing<'_, '_> {
    fn push(&mut self, rows: &Table) -> Outcome<()> {
        if rows.row_count == 0 {
            return Ok(());
        }
        match (&self.factors[..], self.scale, &mut *self.sums) {
            // The mostly only factor of a count in all: nothing is kept of the rows between.
            ([(key, tally, times)], 1, Sums::All(sum)) => {
                let ids = column(rows, key)?;
                let own: u64 = match times {
                    Times::Each => ids.iter().map(|id| tally.get(*id)).sum(),
                    _ => ids.iter().map(|id| times.of(tally.get(*id))).sum(),
                };
                *sum = sum
                    .checked_add(own)
                    .ok_or(Stop::Unsupported("count of more than 2^64 rows"))?;
                Ok(())
            }
            ([], 1, Sums::By(key, tally)) => {
                let ids = column(rows, key)?;
                ids.iter().try_for_each(|id| tally.add(*id, 1))
            }
            _ => {
                self.weights.clear();
                self.weights.resize(rows.row_count, 1);
                self.weigh(rows)
            }
        }
    }

    fn len(&self) -> u64 {
        match &*self.sums {
            Sums::All(_) => 0,
            Sums::By(_, tally) => tally.len(),
        }
    }
}
