//! ORDER BY, and the order of terms that it shares with MIN and MAX.

use std::cmp::Ordering;

use spargebra::algebra::OrderExpression;

use super::super::order_key::order_key;
use super::plan::operator::SortKey;
use super::state::Columns;
use super::stop::Outcome;
use super::table::groups::Groups;
use super::table::rows::{Table, UNBOUND, gathered};
use crate::Id;
use crate::term::inline::exact_value;
use crate::view::View;

/// Number of steps of a sort between two looks at the time: some milliseconds.
const STEPS_PER_LOOK: usize = 1 << 15;
/// Number of terms that are read between two looks at the time.
const TERMS_PER_LOOK: usize = 1 << 10;

/// A term as it is compared.
enum Key {
    Unbound,
    /// A term that lies among others as its id does.
    Sorted,
    /// An exact number, as far as no other one of the same value is compared with it.
    Number(i128),
    /// A text, by where it lies among the others.
    Text(usize, usize),
}

impl<V: View> Columns<'_, '_, V> {
    /// The rows of a table in order; those that are equal stay in theirs.
    pub(in crate::sparql) fn sorted(&self, table: Table, keys: &[SortKey<'_>]) -> Outcome<Table> {
        let mut ranks = Vec::with_capacity(keys.len());
        for SortKey { key, exists } in keys {
            let (expression, is_descending) = key_of(key);
            let mut column = self.ranks(&self.values_of(expression, exists, &table)?)?;
            if is_descending {
                let last = column.iter().copied().max().unwrap_or(0);
                column.iter_mut().for_each(|rank| *rank = last - *rank);
            }
            ranks.push(column);
        }
        let mut rows: Vec<u32> = (0..table.row_count as u32).collect();
        // From the last key to the first: each pass leaves equal rows in the order that the passes
        // before gave them.
        for ranks in ranks.iter().rev() {
            rows = self.by_rank(&rows, ranks)?;
        }
        Ok(table.rows(&rows))
    }

    /// Rows by their ranks; equal ones stay in their order.
    fn by_rank(&self, rows: &[u32], ranks: &[u32]) -> Outcome<Vec<u32>> {
        let mut next = vec![0_u32; ranks.iter().max().map_or(0, |rank| *rank as usize + 1)];
        ranks.iter().for_each(|rank| next[*rank as usize] += 1);
        let mut sum = 0;
        for count in &mut next {
            (*count, sum) = (sum, sum + *count);
        }
        let mut sorted = vec![0; rows.len()];
        for part in rows.chunks(STEPS_PER_LOOK) {
            self.meter.check(0)?;
            for row in part {
                let next = &mut next[ranks[*row as usize] as usize];
                sorted[*next as usize] = *row;
                *next += 1;
            }
        }
        Ok(sorted)
    }

    /// The place of each id's term among the distinct ones, in the order of ORDER BY.
    pub(in crate::sparql) fn ranks(&self, ids: &[u64]) -> Outcome<Vec<u32>> {
        let groups = Groups::of(&[ids], ids.len(), &self.meter)?;
        let distinct = gathered(ids, &groups.first_rows);
        // One that isn't an exact number needs all texts: numbers are compared with what they are
        // written like.
        let is_exact = |id: &u64| *id == UNBOUND || exact_value(Id(*id)).is_some();
        let all_exact = distinct.iter().all(is_exact);
        let (mut keys, mut texts) = (Vec::with_capacity(distinct.len()), String::new());
        for (at, id) in distinct.iter().enumerate() {
            if at % TERMS_PER_LOOK == 0 {
                self.meter.check(texts.len() / size_of::<u64>())?;
            }
            keys.push(match exact_value(Id(*id)) {
                _ if *id == UNBOUND => Key::Unbound,
                Some((value, _)) if all_exact => Key::Number(value),
                _ if self.ids.is_sorted(*id) => Key::Sorted,
                _ => {
                    let start = texts.len();
                    texts.push_str(&order_key(&self.ids.term(*id)?));
                    Key::Text(start, texts.len())
                }
            });
        }
        let mut steps = 0;
        let order = merge_sorted((0..distinct.len() as u32).collect(), &mut |a, b| {
            steps += 1;
            if steps % STEPS_PER_LOOK == 0 {
                self.meter.check(0)?;
            }
            let (a, b) = (a as usize, b as usize);
            Ok(match (&keys[a], &keys[b]) {
                (Key::Unbound, Key::Unbound) => Ordering::Equal,
                (Key::Unbound, _) => Ordering::Less,
                (_, Key::Unbound) => Ordering::Greater,
                (Key::Sorted, Key::Sorted) => distinct[a].cmp(&distinct[b]),
                (Key::Number(one), Key::Number(other)) if one != other => one.cmp(other),
                (Key::Text(one, one_end), Key::Text(other, other_end)) => {
                    texts[*one..*one_end].cmp(&texts[*other..*other_end])
                }
                (Key::Sorted, Key::Text(other, end)) => {
                    order_key(&self.ids.term(distinct[a])?).as_str().cmp(&texts[*other..*end])
                }
                (Key::Text(one, end), Key::Sorted) => {
                    texts[*one..*end].cmp(order_key(&self.ids.term(distinct[b])?).as_str())
                }
                // The same value, written otherwise.
                _ => {
                    let (one, other) = (self.ids.term(distinct[a])?, self.ids.term(distinct[b])?);
                    order_key(&one).cmp(&order_key(&other))
                }
            })
        })?;
        let mut ranks = vec![0; distinct.len()];
        for (rank, at) in order.iter().enumerate() {
            ranks[*at as usize] = rank as u32;
        }
        Ok(groups.of_rows.iter().map(|group| ranks[*group as usize]).collect())
    }
}

/// Numbers in an order that can fail; those that are equal stay in theirs.
fn merge_sorted(
    mut items: Vec<u32>,
    compare: &mut impl FnMut(u32, u32) -> Outcome<Ordering>,
) -> Outcome<Vec<u32>> {
    let mut merged = Vec::with_capacity(items.len());
    let mut run = 1;
    while run < items.len() {
        merged.clear();
        for pair in items.chunks(run * 2) {
            let (mut left, mut right) = pair.split_at(run.min(pair.len()));
            while let ([first, ..], [other, ..]) = (left, right) {
                let side = if compare(*other, *first)?.is_lt() { &mut right } else { &mut left };
                merged.push(side[0]);
                *side = &side[1..];
            }
            merged.extend_from_slice(left);
            merged.extend_from_slice(right);
        }
        std::mem::swap(&mut items, &mut merged);
        run *= 2;
    }
    Ok(items)
}

/// The expression of a key of ORDER BY, and whether it descends.
pub(in crate::sparql) fn key_of(key: &OrderExpression) -> (&spargebra::algebra::Expression, bool) {
    match key {
        OrderExpression::Asc(expression) => (expression, false),
        OrderExpression::Desc(expression) => (expression, true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sparql::columns::stop::Stop;
    use manicule_testkit::Rng;

    #[test]
    fn numbers_are_sorted_as_a_stable_sort_does() {
        for seed in 0..50 {
            let mut rng = Rng::new(seed);
            let values: Vec<usize> = (0..rng.below(300)).map(|_| rng.below(40)).collect();
            let mut want: Vec<u32> = (0..values.len() as u32).collect();
            want.sort_by_key(|at| values[*at as usize]);
            let items = (0..values.len() as u32).collect();
            let got = merge_sorted(items, &mut |one, other| {
                Ok(values[one as usize].cmp(&values[other as usize]))
            });
            assert_eq!(got.expect("an order"), want, "seed {seed}");
        }
    }

    #[test]
    fn a_comparison_that_fails_ends_the_sort() {
        let got = merge_sorted(vec![1, 2, 3], &mut |_, _| Err(Stop::Unsupported("no order")));
        assert!(matches!(got, Err(Stop::Unsupported("no order"))));
    }
}
