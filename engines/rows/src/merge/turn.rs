//! Which sources of a merge come next, and of several at one place in which order.
//!
//! The order is that in which a node's merge meets them: values of a clustering can be equal and differ in bytes, as the decimals 0.0 and
//! 0E+5 do, and a row gets the bytes of the source that is met last. A node keeps its sources in a line of five, from the last of which
//! on they are a heap; of equal ones the one that has moved stands before the others. Which is last follows from all moves before.
//!
//! Callers: places

use std::cmp::Ordering;
use std::ops::Range;

/// Number of places that have one place after them.
const LINE: usize = 4;

/// The sources that have something left, by their order.
#[derive(Debug)]
pub(super) struct Turn {
    /// Numbers of sources, whether each has to move; `None` for one that has nothing at all.
    slots: Vec<(Option<usize>, bool)>,
    /// Number of slots from the first on among which are those that have to move.
    due_len: usize,
}

/// The places after a place: what stands there doesn't come before what stands at it.
fn after(at: usize, len: usize) -> Range<usize> {
    let (start, count) = if at < LINE { (at + 1, 1) } else { (2 * at - (LINE - 1), 2) };
    start.min(len)..(start + count).min(len)
}

impl Turn {
    /// Of sources, each with its place among all of the merge: those that have nothing of the partition are met too.
    pub(super) fn new(places: impl Iterator<Item = usize>) -> Self {
        let mut slots = Vec::new();
        for (source, place) in places.enumerate() {
            slots.resize(place.max(slots.len()), (None, true));
            slots.push((Some(source), true));
        }
        Turn { due_len: slots.len(), slots }
    }

    /// The last place of a source that has to move, before `end`; `None` where there is none.
    pub(super) fn due(&self, end: usize) -> Option<(usize, Option<usize>)> {
        let due = self.slots[..end].iter().rposition(|(_, is_due)| *is_due)?;
        Some((due, self.slots[due].0))
    }

    /// Number of places that sources are looked for at that have to move.
    pub(super) fn due_len(&self) -> usize {
        self.due_len
    }

    /// The source at a place has moved, those after it before; `is_left` says whether it has something left.
    pub(super) fn moved(
        &mut self,
        place: usize,
        is_left: bool,
        compare: impl Fn(usize, usize) -> Ordering,
    ) {
        let mut slot = self.slots[place];
        if !is_left {
            // The last of all takes its place.
            let last = self.slots.pop().expect("the one that moved is there");
            if place == self.slots.len() {
                return;
            }
            slot = last;
        }
        slot.1 = false;
        let order =
            |left: (Option<usize>, bool), right: (Option<usize>, bool)| match (left.0, right.0) {
                (Some(left), Some(right)) => compare(left, right),
                _ => Ordering::Equal,
            };
        let mut at = place;
        loop {
            let mut least = None;
            for next in after(at, self.slots.len()) {
                let is_less =
                    |least: usize| order(self.slots[next], self.slots[least]) == Ordering::Less;
                if least.is_none_or(is_less) {
                    least = Some(next);
                }
            }
            let Some(next) = least.filter(|&next| order(slot, self.slots[next]).is_gt()) else {
                break;
            };
            self.slots[at] = self.slots[next];
            at = next;
        }
        self.slots[at] = slot;
    }

    /// Puts the sources that are at the first place into `met`, in their order. They have to move next.
    pub(super) fn take(
        &mut self,
        met: &mut Vec<usize>,
        compare: impl Fn(usize, usize) -> Ordering,
    ) {
        met.clear();
        self.due_len = 0;
        let Some((Some(first), _)) = self.slots.first().copied() else { return };
        let mut waiting = vec![0];
        while let Some(at) = waiting.pop() {
            let Some(source) = self.slots[at].0 else { continue };
            if at > 0 && compare(first, source) != Ordering::Equal {
                continue;
            }
            met.push(source);
            self.slots[at].1 = true;
            self.due_len = self.due_len.max(at + 1);
            waiting.extend(after(at, self.slots.len()).rev());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sources that are met at each number, in their order; each source is a list of rising numbers, an empty one has nothing.
    fn met(sources: &[&[u32]]) -> Vec<(u32, Vec<usize>)> {
        let places: Vec<usize> =
            (0..sources.len()).filter(|source| !sources[*source].is_empty()).collect();
        let lists: Vec<&[u32]> = places.iter().map(|place| sources[*place]).collect();
        let mut next = vec![0; lists.len()];
        let (mut turn, mut now, mut all) =
            (Turn::new(places.iter().copied()), Vec::new(), Vec::new());
        let mut is_first = true;
        loop {
            let mut end = turn.due_len();
            while let Some((place, source)) = turn.due(end) {
                if let Some(source) = source {
                    next[source] += usize::from(!is_first);
                }
                let is_left = source.is_some_and(|source| next[source] < lists[source].len());
                let at = |source: usize| lists[source][next[source]];
                turn.moved(place, is_left, |left, right| at(left).cmp(&at(right)));
                end = place;
            }
            is_first = false;
            let at = |source: usize| lists[source][next[source]];
            turn.take(&mut now, |left, right| at(left).cmp(&at(right)));
            let Some(&first) = now.first() else { return all };
            all.push((at(first), now.iter().map(|source| places[*source]).collect()));
        }
    }

    #[test]
    fn of_equal_ones_the_one_that_moved_comes_first() {
        for (sources, want) in [
            // At first they are in the order in which they are given.
            (&[&[5][..], &[5], &[5]][..], vec![(5, vec![0, 1, 2])]),
            // The second goes ahead, and is met first where the first one waits.
            (&[&[5], &[1, 5]], vec![(1, vec![1]), (5, vec![1, 0])]),
            (&[&[1, 5], &[5]], vec![(1, vec![0]), (5, vec![0, 1])]),
            // The last one takes the place of one that has nothing.
            (&[&[], &[5], &[5]], vec![(5, vec![2, 1])]),
            (&[&[5], &[], &[5]], vec![(5, vec![0, 2])]),
            (&[&[5], &[5], &[]], vec![(5, vec![0, 1])]),
            // One that ends gives its place to the last.
            (&[&[1], &[5], &[5]], vec![(1, vec![0]), (5, vec![2, 1])]),
            (
                &[&[1, 9], &[2, 9], &[3, 9]],
                vec![(1, vec![0]), (2, vec![1]), (3, vec![2]), (9, vec![2, 1, 0])],
            ),
        ] {
            assert_eq!(met(sources), want, "{sources:?}");
        }
    }

    #[test]
    fn behind_the_line_sources_are_a_heap() {
        let eight = [&[7][..]; 8];
        assert_eq!(met(&eight), [(7, vec![0, 1, 2, 3, 4, 5, 7, 6])]);
    }

    #[test]
    fn all_are_met_in_the_order_of_their_numbers() {
        let mut seed = 7_u64;
        let mut random = move |limit: u64| {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % limit
        };
        for round in 0..300 {
            let lists: Vec<Vec<u32>> = (0..random(20))
                .map(|_| {
                    let mut list: Vec<u32> = (0..random(9)).map(|_| random(12) as u32).collect();
                    list.sort_unstable();
                    list.dedup();
                    list
                })
                .collect();
            let mut want: std::collections::BTreeMap<u32, Vec<usize>> = Default::default();
            for (source, list) in lists.iter().enumerate() {
                list.iter().for_each(|number| want.entry(*number).or_default().push(source));
            }
            let mut found = met(&lists.iter().map(Vec::as_slice).collect::<Vec<_>>());
            found.iter_mut().for_each(|(_, sources)| sources.sort_unstable());
            assert_eq!(found, want.into_iter().collect::<Vec<_>>(), "round {round}");
        }
    }
}
