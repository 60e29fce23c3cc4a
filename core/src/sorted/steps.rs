//! A sort that the caller may leave and come back to: for who must not be kept waiting by a million
//! strings.
//!
//! A look whether all are in order; then quicksort, whose splitting can stop anywhere, down to
//! short pieces that are sorted at once. Merging sorted pieces takes half as much again for label
//! values: neighbours in the order, which begin alike, are compared in every pass, while a split
//! compares with one pivot that stays in the cache.

use std::cmp::Ordering;
use std::ops::Range;

/// A piece that is sorted at once.
const PIECE_LEN: usize = 2 << 10;

/// Number of items of a range sampled for its pivot.
const SAMPLE_LEN: usize = 31;

/// Items being sorted.
///
/// ```
/// use manicule_core::sorted::StepSort;
///
/// let mut sort = StepSort::new(vec![3, 1, 2]);
/// while !sort.step(1, Ord::cmp) {}
/// assert_eq!(sort.items(), [1, 2, 3]);
/// ```
#[derive(Clone, Debug)]
pub struct StepSort<T> {
    items: Vec<T>,
    /// Number of items at the beginning found in order, as long as no other has been.
    checked: Option<usize>,
    /// Ranges that are still to be sorted, each after those below it.
    ranges: Vec<Range<usize>>,
    split: Option<Split<T>>,
}

/// A range being split: items up to `low` don't come after the pivot, items from `high` on not
/// before it.
#[derive(Clone, Debug)]
struct Split<T> {
    range: Range<usize>,
    pivot: T,
    low: usize,
    high: usize,
}

impl<T: Copy> StepSort<T> {
    /// Items in any order.
    pub fn new(items: Vec<T>) -> Self {
        StepSort { items, checked: Some(0), ranges: Vec::new(), split: None }
    }

    /// Sorts on, until about `budget` items were moved or looked at; whether all are in order now.
    ///
    /// `order` is an order of all items, the same in each step; equal ones may come in any order. A
    /// step looks at 2,048 items at least, if there are that many.
    pub fn step(&mut self, budget: usize, mut order: impl FnMut(&T, &T) -> Ordering) -> bool {
        let mut left = budget.max(PIECE_LEN);
        while left > 0 && !self.is_sorted() {
            let done = match (&self.checked, &self.split) {
                (Some(checked), _) => self.check(*checked, left, &mut order),
                (None, Some(_)) => self.split(left, &mut order),
                (None, None) => self.begin(&mut order),
            };
            left = left.saturating_sub(done);
        }
        self.is_sorted()
    }

    /// The items in their order.
    ///
    /// # Panics
    /// If no step has said that they are.
    #[inline]
    pub fn items(&self) -> &[T] {
        assert!(self.is_sorted(), "the items are in order when a step says so");
        &self.items
    }

    fn is_sorted(&self) -> bool {
        match self.checked {
            Some(checked) => checked == self.items.len(),
            None => self.ranges.is_empty() && self.split.is_none(),
        }
    }

    /// Goes on looking whether all are in order already.
    fn check(
        &mut self,
        checked: usize,
        len_max: usize,
        order: &mut impl FnMut(&T, &T) -> Ordering,
    ) -> usize {
        let end = self.items.len().min(checked.saturating_add(len_max));
        let first = checked.saturating_sub(1);
        if self.items[first..end].is_sorted_by(|left, right| order(left, right).is_le()) {
            self.checked = Some(end);
        } else {
            self.checked = None;
            self.ranges.push(0..self.items.len());
        }
        end - checked
    }

    /// Sorts the next range if it is short, or finds a pivot for it.
    fn begin(&mut self, order: &mut impl FnMut(&T, &T) -> Ordering) -> usize {
        let Some(range) = self.ranges.pop() else { return 0 };
        let items = &mut self.items[range.clone()];
        if items.len() <= PIECE_LEN {
            items.sort_unstable_by(order);
            return range.len();
        }
        let mut sample = [items[0]; SAMPLE_LEN];
        for (place, item) in sample.iter_mut().enumerate() {
            *item = items[(2 * place + 1) * items.len() / (2 * SAMPLE_LEN)];
        }
        sample.sort_unstable_by(order);
        let (low, high) = (range.start, range.end);
        self.split = Some(Split { range, pivot: sample[SAMPLE_LEN / 2], low, high });
        SAMPLE_LEN
    }

    /// Goes on splitting, for at most `len_max` items and one swap.
    fn split(&mut self, len_max: usize, order: &mut impl FnMut(&T, &T) -> Ordering) -> usize {
        let Some(Split { range, pivot, low, high }) = &mut self.split else { return 0 };
        let items = &mut self.items;
        let before = *high - *low;
        let enough = before.saturating_sub(len_max);
        while *high - *low > enough {
            if order(&items[*low], pivot).is_lt() {
                *low += 1;
            } else if order(&items[*high - 1], pivot).is_gt() {
                *high -= 1;
            } else if *high - *low == 1 {
                // Equal to the pivot, it may stand on either side; neither side is the whole range.
                let is_first = *low == range.start;
                if is_first { *low += 1 } else { *high -= 1 }
            } else {
                items.swap(*low, *high - 1);
                *low += 1;
                *high -= 1;
            }
        }
        let done = before - (*high - *low);
        if low == high {
            let (first, second) = (range.start..*low, *low..range.end);
            self.ranges.extend([second, first]);
            self.split = None;
        }
        done
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that rise, fall, rise in pieces, repeat, and have no order at all.
    fn lists() -> Vec<Vec<u32>> {
        let long = 5 * PIECE_LEN as u32 + 17;
        vec![
            vec![],
            vec![7],
            (0..long).collect(),
            (0..long).rev().collect(),
            (0..long).map(|number| number % 3000).collect(),
            (0..long).map(|number| number % 7000).collect(),
            (0..long).map(|number| number.wrapping_mul(2_654_435_761) >> 7).collect(),
            (0..long).map(|number| number.wrapping_mul(2_654_435_761) >> 29).collect(),
            (0..long).map(|number| number ^ (u32::from(number == 9000) * 4096)).collect(),
        ]
    }

    #[test]
    fn every_budget_comes_to_the_same_order() {
        for items in lists() {
            let mut plain = items.clone();
            plain.sort();
            for budget in [0, 1, 1000, PIECE_LEN, 9999, usize::MAX] {
                let mut sort = StepSort::new(items.clone());
                while !sort.step(budget, Ord::cmp) {}
                assert!(sort.items() == plain, "{} items, {budget}", items.len());
            }
        }
    }

    #[test]
    fn a_step_looks_at_no_more_than_it_may() {
        for items in lists() {
            let mut sort = StepSort::new(items);
            let (mut is_done, mut steps) = (false, 0);
            while !is_done {
                let mut compared = 0;
                is_done = sort.step(1, |left, right| {
                    compared += 1;
                    left.cmp(right)
                });
                // A piece of 2,048 is sorted with some 12 comparisons an item.
                assert!(compared <= 16 * PIECE_LEN, "{compared}");
                steps += 1;
            }
            assert!(steps <= 60, "{steps}");
        }
    }

    #[test]
    fn what_is_in_order_is_looked_at_once() {
        let mut compared = 0;
        let mut sort = StepSort::new((0..100_000).collect());
        while !sort.step(1 << 14, |left: &u32, right| {
            compared += 1;
            left.cmp(right)
        }) {}
        assert!(compared < 101_000, "{compared}");
    }
}
