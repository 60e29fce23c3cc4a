//! The greatest of many, kept in bounded memory.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The `count_max` items of the greatest rank; of equal ranks those that came first.
#[derive(Debug)]
pub(super) struct Top<T> {
    heap: BinaryHeap<Reverse<Ranked<T>>>,
    count_max: usize,
    seen_count: u64,
}

#[derive(Debug)]
struct Ranked<T> {
    rank: u64,
    number: Reverse<u64>,
    item: T,
}

impl<T> PartialEq for Ranked<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<T> Eq for Ranked<T> {}

impl<T> PartialOrd for Ranked<T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Ranked<T> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.rank, self.number).cmp(&(other.rank, other.number))
    }
}

impl<T> Top<T> {
    pub(super) fn new(count_max: usize) -> Self {
        Top { heap: BinaryHeap::new(), count_max, seen_count: 0 }
    }

    /// Offers an item; it is made only if it is kept for now. Items of rank 0 are none.
    pub(super) fn offer(&mut self, rank: u64, item: impl FnOnce() -> T) {
        let number = Reverse(self.seen_count);
        self.seen_count += 1;
        if rank == 0 || self.count_max == 0 {
            return;
        }
        if self.heap.len() == self.count_max {
            let is_less = self.heap.peek().is_some_and(|Reverse(least)| rank <= least.rank);
            if is_less {
                return;
            }
            self.heap.pop();
        }
        self.heap.push(Reverse(Ranked { rank, number, item: item() }));
    }

    /// The items, greatest first.
    pub(super) fn into_items(self) -> Vec<T> {
        let ranked = self.heap.into_sorted_vec();
        ranked.into_iter().map(|Reverse(ranked)| ranked.item).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Top;

    #[test]
    fn the_greatest_are_kept_and_of_equals_the_first() {
        let ranks = [3, 9, 0, 4, 9, 1, 4, 4, 2];
        for count_max in 0..10 {
            let mut top = Top::new(count_max);
            for (place, rank) in ranks.into_iter().enumerate() {
                top.offer(rank, || (rank, place));
            }
            let mut want: Vec<_> = ranks.into_iter().zip(0..).filter(|it| it.0 > 0).collect();
            want.sort_by_key(|&(rank, place)| (std::cmp::Reverse(rank), place));
            want.truncate(count_max);
            assert_eq!(top.into_items(), want, "{count_max}");
        }
    }
}
