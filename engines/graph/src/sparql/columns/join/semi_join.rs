//! Patterns that close a cycle: all of their variables are bound by the rows that pass, so that
//! they only say which rows stay. Rows are looked up in their quads as they pass, and those of an
//! open cycle are held nowhere.

use std::collections::BTreeSet;

use super::super::scan::quads::QuadPattern;
use super::super::state::Columns;
use super::super::stop::Outcome;
use super::super::table::groups::{Groups, range_of, rows_of};
use super::super::table::rows::{Table, gather};
use super::super::table::sink::Sink;
use super::super::table::weight::Weight;
use crate::view::View;

/// Length of a list of ids up to which it is walked; a longer one is searched by halves.
const WALKED_MAX: usize = 16;

/// A pattern that closes a cycle.
pub(in crate::sparql) struct SemiJoin {
    /// The number of the pattern among the operators of the plan.
    pub(in crate::sparql) number: usize,
    pub(in crate::sparql) quads: SemiJoinKeys,
    _weight: Weight,
}

/// The quads of a pattern, to be asked whether they have some ids. Threads share them.
pub(in crate::sparql) struct SemiJoinKeys {
    /// The variables, in the order of the keys.
    names: Vec<String>,
    keys: Keys,
}

enum Keys {
    /// Of two variables: by the id of the first less a base, the ids of the second in order.
    Lists { base: u64, starts: Vec<u32>, ids: Vec<u64> },
    /// By all ids.
    Any(Groups),
}

impl Keys {
    /// The keys of two columns as lists, with the mean length of the list of a quad; none where the
    /// first column's ids lie too far apart.
    fn lists(first: &[u64], second: &[u64], look_ups: usize) -> Option<(Keys, usize)> {
        let (base, count) = range_of(first, 4 * look_ups)?;
        let places: Option<Vec<u32>> =
            first.iter().map(|id| u32::try_from(id - base).ok()).collect();
        let (rows, starts) = rows_of(&places?, count);
        let mut ids: Vec<u64> = rows.iter().map(|row| second[*row as usize]).collect();
        let mut sum = 0;
        for list in starts.windows(2) {
            let list = &mut ids[list[0] as usize..list[1] as usize];
            sum += list.len() * list.len();
            if !list.is_sorted() {
                list.sort_unstable();
            }
        }
        Some((Keys::Lists { base, starts, ids }, sum / first.len().max(1)))
    }
}

impl SemiJoinKeys {
    /// The place of the variables in a batch of rows.
    fn places(&self, names: &[String]) -> Vec<usize> {
        let place = |name: &String| names.iter().position(|other| other == name);
        self.names.iter().filter_map(place).collect()
    }

    /// Keeps the rows whose ids a quad has.
    fn retain(&self, keys: &[&[u64]], rows: &mut Vec<u32>) {
        match (&self.keys, keys) {
            (Keys::Lists { base, starts, ids }, [first, second]) => rows.retain(|row| {
                let at = first[*row as usize].wrapping_sub(*base) as usize;
                let (Some(start), Some(end)) = (starts.get(at), starts.get(at.wrapping_add(1)))
                else {
                    return false;
                };
                let (list, id) = (&ids[*start as usize..*end as usize], &second[*row as usize]);
                if list.len() <= WALKED_MAX {
                    list.contains(id)
                } else {
                    list.binary_search(id).is_ok()
                }
            }),
            (Keys::Any(groups), keys) => {
                let mut key = vec![0; keys.len()];
                rows.retain(|row| {
                    key.iter_mut().zip(keys).for_each(|(id, ids)| *id = ids[*row as usize]);
                    groups.find(&key).is_some()
                });
            }
            (Keys::Lists { .. }, _) => unreachable!("lists are of two variables"),
        }
    }
}

/// The rows whose ids all patterns have, in place of others; of each pattern, those that it has let
/// pass are counted.
pub(in crate::sparql) fn semi_joined<'c>(
    semi_join_keys: impl Iterator<Item = &'c SemiJoinKeys>,
    table: &Table,
    counts: &mut [u64],
    rows: &mut Vec<u32>,
) {
    rows.clear();
    rows.extend(0..table.row_count as u32);
    for (keys, count) in semi_join_keys.zip(counts) {
        keys.retain(&table.columns_at(keys.places(&table.names)), rows);
        *count += rows.len() as u64;
    }
}

/// The variables of rows that are handed on.
pub(in crate::sparql) fn kept_names(
    names: &[String],
    kept: Option<&BTreeSet<String>>,
) -> Vec<String> {
    let is_kept = |name: &&String| kept.is_none_or(|kept| kept.contains(*name));
    names.iter().filter(is_kept).cloned().collect()
}

impl<V: View> Columns<'_, '_, V> {
    /// A pattern in which no variable occurs twice, for about a number of rows.
    pub(in crate::sparql) fn semi_join(
        &self,
        pattern: &QuadPattern,
        row_count: usize,
    ) -> Outcome<SemiJoin> {
        let mut table = self.scan(pattern, None)?;
        let keys = match &table.columns[..] {
            [one, other] => {
                let (by_one, by_other) =
                    (Keys::lists(one, other, row_count), Keys::lists(other, one, row_count));
                match (by_one, by_other) {
                    (Some((keys, len)), Some((_, other_len))) if len <= other_len => keys,
                    (_, Some((keys, _))) => {
                        table.names.reverse();
                        keys
                    }
                    (Some((keys, _)), None) => keys,
                    (None, None) => {
                        Keys::Any(Groups::of(&[one, other], table.row_count, &self.meter)?)
                    }
                }
            }
            columns => {
                let columns: Vec<&[u64]> = columns.iter().map(Vec::as_slice).collect();
                Keys::Any(Groups::of(&columns, table.row_count, &self.meter)?)
            }
        };
        let weight = self.meter.reserve(table.len())?;
        let quads = SemiJoinKeys { names: table.names.clone(), keys };
        Ok(SemiJoin { number: pattern.number, quads, _weight: weight })
    }
}

/// Patterns that close cycles, before a sink.
pub(super) struct SemiJoined<'c> {
    semi_joins: &'c [SemiJoin],
    /// The variables that are handed on; none for all.
    kept: Option<&'c BTreeSet<String>>,
    rows: Vec<u32>,
    chunk: Table,
    /// Number of rows that each pattern has let pass.
    pub(in crate::sparql) counts: Vec<u64>,
    sink: &'c mut dyn Sink,
}

impl<'c> SemiJoined<'c> {
    pub(in crate::sparql) fn new(
        semi_joins: &'c [SemiJoin],
        kept: Option<&'c BTreeSet<String>>,
        sink: &'c mut dyn Sink,
    ) -> Self {
        let counts = vec![0; semi_joins.len()];
        SemiJoined { semi_joins, kept, rows: Vec::new(), chunk: Table::default(), counts, sink }
    }
}

impl Sink for SemiJoined<'_> {
    fn push(&mut self, rows: &Table) -> Outcome<()> {
        let semi_join_keys = self.semi_joins.iter().map(|semi_join| &semi_join.quads);
        semi_joined(semi_join_keys, rows, &mut self.counts, &mut self.rows);
        if self.chunk.names.is_empty() {
            self.chunk = Table::empty(kept_names(&rows.names, self.kept));
        }
        for (name, column) in self.chunk.names.iter().zip(self.chunk.columns.iter_mut()) {
            gather(rows.column(name).unwrap_or_default(), &self.rows, column);
        }
        self.chunk.row_count = self.rows.len();
        self.sink.push(&self.chunk)
    }

    fn len(&self) -> u64 {
        self.sink.len()
    }
}
