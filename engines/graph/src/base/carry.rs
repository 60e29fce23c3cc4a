//! Statistics carried on when changes are merged: what the changes touch is counted before and
//! after, the rest stays.

use std::collections::BTreeMap;

use manicule_format_leaf::Id;
use manicule_format_leaf::statistics::{PredicateStatistics, ScopeStatistics};

use super::gather::{add_object, row_of};
use crate::error::GraphError;
use crate::overlay::{Change, Entry};

/// Changes of a scope in each of its three orders: by subject, by predicate and object, by object.
pub type OrderedChanges<'a> = [&'a [Entry<4>]; 3];

/// Number of rows of one of these orders that begin with a prefix.
pub type CountRows<'a> = dyn FnMut(usize, &[Id]) -> Result<u64, GraphError> + 'a;

/// Statistics after changes, each of which changes something. `count` says how many rows of one of
/// the three orders begin with a prefix before the changes; in each order it is asked for prefixes
/// that increase.
///
/// All counts stay exact. The most rows of a subject or an object may be too many after removals,
/// and so may bounds be too wide.
pub fn carry_on(
    before: &ScopeStatistics,
    changes: OrderedChanges<'_>,
    type_predicate: Option<Id>,
    count: &mut CountRows<'_>,
) -> Result<ScopeStatistics, GraphError> {
    let [by_subject, by_predicate, by_object] = changes;
    let mut carried = Carried {
        predicates: before.predicates.iter().map(|row| (row.predicate, row.clone())).collect(),
        classes: before.classes.iter().copied().collect(),
        type_predicate,
    };
    let (mut subject_count, mut object_count) = (before.subject_count, before.object_count);
    for group in groups(by_subject, 1) {
        let size = Size::of(group, count(0, &prefix::<1>(group))?);
        subject_count = size.changed(subject_count);
        for group in groups(group, 2) {
            let rows = if size.before == 0 { 0 } else { count(0, &prefix::<2>(group))? };
            carried.subject(group, Size::of(group, rows));
        }
    }
    for group in groups(by_predicate, 2) {
        let rows = count(1, &prefix::<2>(group))?;
        carried.object(group, Size::of(group, rows));
    }
    for group in groups(by_object, 1) {
        object_count = Size::of(group, count(2, &prefix::<1>(group))?).changed(object_count);
    }
    Ok(carried.finish(subject_count, object_count))
}

/// Entries that begin with the same ids, group after group.
fn groups(entries: &[Entry<4>], width: usize) -> impl Iterator<Item = &[Entry<4>]> {
    entries.chunk_by(move |left, right| left.0[..width] == right.0[..width])
}

/// What the rows of a group begin with.
fn prefix<const N: usize>(group: &[Entry<4>]) -> [Id; N] {
    std::array::from_fn(|column| group[0].0[column])
}

/// Number of rows of a group before and after its changes.
#[derive(Clone, Copy)]
struct Size {
    before: u64,
    after: u64,
}

impl Size {
    fn of(group: &[Entry<4>], before: u64) -> Self {
        let added = group.iter().filter(|(_, change)| *change == Change::Added).count() as u64;
        let removed = group.len() as u64 - added;
        Size { before, after: (before + added).saturating_sub(removed) }
    }

    /// A number of groups, with this one if it has come and without it if it has gone.
    fn changed(self, count: u64) -> u64 {
        (count + u64::from(self.before == 0 && self.after > 0))
            .saturating_sub(u64::from(self.before > 0 && self.after == 0))
    }
}

/// Predicates and classes while changes are counted.
struct Carried {
    predicates: BTreeMap<Id, PredicateStatistics>,
    classes: BTreeMap<Id, u64>,
    type_predicate: Option<Id>,
}

impl Carried {
    /// Counts changes of one subject and predicate.
    fn subject(&mut self, group: &[Entry<4>], size: Size) {
        let row = row_of(&mut self.predicates, group[0].0[1]);
        row.subject_count = size.changed(row.subject_count);
        row.subject_rows_max = row.subject_rows_max.max(size.after);
    }

    /// Counts changes of one predicate and object.
    fn object(&mut self, group: &[Entry<4>], size: Size) {
        let [predicate, object] = prefix(group);
        let row = row_of(&mut self.predicates, predicate);
        row.object_count = size.changed(row.object_count);
        row.object_rows_max = row.object_rows_max.max(size.after);
        let added = size.after.saturating_sub(size.before);
        let removed = size.before.saturating_sub(size.after);
        row.row_count = (row.row_count + added).saturating_sub(removed);
        if added > 0 {
            add_object(row, object, added);
        } else if let Ok(at) = row.tags.binary_search_by_key(&object.tag(), |tag| tag.tag) {
            row.tags[at].row_count = row.tags[at].row_count.saturating_sub(removed);
        }
        if self.type_predicate == Some(predicate) {
            let count = self.classes.entry(object).or_default();
            *count = (*count + added).saturating_sub(removed);
        }
    }

    fn finish(mut self, subject_count: u64, object_count: u64) -> ScopeStatistics {
        self.predicates.retain(|_, row| row.row_count > 0);
        self.classes.retain(|_, count| *count > 0);
        for row in self.predicates.values_mut() {
            row.subject_rows_max = row.subject_rows_max.clamp(1, row.row_count);
            row.object_rows_max = row.object_rows_max.clamp(1, row.row_count);
            row.tags.retain(|tag| tag.row_count > 0);
        }
        ScopeStatistics {
            row_count: self.predicates.values().map(|row| row.row_count).sum(),
            subject_count,
            object_count,
            predicates: self.predicates.into_values().collect(),
            classes: self.classes.into_iter().collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::gather::tests::{TYPE, gathered, random_triple, rows};
    use manicule_format_leaf::Order;
    use manicule_testkit::Rng;
    use std::collections::BTreeSet;

    /// What may be too wide after removals, made the same.
    fn without_bounds(mut statistics: ScopeStatistics) -> ScopeStatistics {
        for row in &mut statistics.predicates {
            (row.subject_rows_max, row.object_rows_max) = (0, 0);
            row.tags.iter_mut().for_each(|tag| (tag.payload_min, tag.payload_max) = (0, 0));
        }
        statistics
    }

    #[test]
    fn carried_statistics_are_those_gathered_again() {
        for seed in 0..50 {
            let mut rng = Rng::new(seed);
            let mut triples = BTreeSet::new();
            let mut statistics = gathered(&triples);
            for round in 0..6 {
                let before = triples.clone();
                for _ in 0..rng.below(80) {
                    let triple = random_triple(&mut rng);
                    if !triples.remove(&triple) {
                        triples.insert(triple);
                    }
                }
                let changed = |order: Order| {
                    let entry = |row: [Id; 4]| {
                        let ids = order.quad(row);
                        let is_there = triples.contains(&ids[..3]);
                        (row, if is_there { Change::Added } else { Change::Removed })
                    };
                    let changed = before.symmetric_difference(&triples).copied();
                    rows(order, changed).into_iter().map(entry).collect::<Vec<_>>()
                };
                let changes = Order::DEFAULT.map(changed);
                let mut last: [Vec<Id>; 3] = Default::default();
                let mut count = |order: usize, prefix: &[Id]| {
                    assert!(*last[order] < *prefix, "seed {seed}: prefixes increase");
                    last[order] = prefix.to_vec();
                    let rows = rows(Order::DEFAULT[order], before.iter().copied());
                    Ok(rows.iter().filter(|row| row.starts_with(prefix)).count() as u64)
                };
                let changes = changes.each_ref().map(Vec::as_slice);
                let carried = carry_on(&statistics, changes, Some(TYPE), &mut count);
                statistics = carried.expect("a plain set is never damaged");
                let plain = gathered(&triples);
                let shown = format!("seed {seed}, round {round}");
                for (got, plain) in statistics.predicates.iter().zip(&plain.predicates) {
                    assert!(got.subject_rows_max >= plain.subject_rows_max, "{shown}");
                    assert!(got.object_rows_max >= plain.object_rows_max, "{shown}");
                    for (got, plain) in got.tags.iter().zip(&plain.tags) {
                        assert!(got.payload_min <= plain.payload_min, "{shown}");
                        assert!(got.payload_max >= plain.payload_max, "{shown}");
                    }
                }
                assert_eq!(without_bounds(statistics.clone()), without_bounds(plain), "{shown}");
            }
        }
    }
}
