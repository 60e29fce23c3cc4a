//! Which sources of a merge come next, and of several at one place in which order.
//!
//! The order is that in which a node's merge meets them: values of a clustering can be equal and
//! differ in bytes, as the decimals 0.0 and 0E+5 do, and a row gets the bytes of the source that is
//! met last. A node keeps its sources in a line of five, from the last of which on they are a heap;
//! of equal ones the one that has moved stands before the others. Which is last follows from all
//! moves before.

use std::cmp::Ordering;
use std::ops::Range;

/// Number of places that have one place after them.
const LINE: usize = 4;

/// The sources that have something left, by their order.
#[derive(Debug)]
pub(super) struct Turn {
    slots: Vec<Slot>,
    /// Number of slots from the first on among which are those that have to move.
    due_len: usize,
}

/// A source at its place.
#[derive(Clone, Copy, Debug)]
struct Slot {
    /// Its number; `None` for one that has nothing at all.
    source: Option<usize>,
    /// Whether it has to move.
    is_due: bool,
    /// Whether it equals the one that it stands after: noted as sources move, so that no two are
    /// compared again.
    is_equal: bool,
}

impl Slot {
    fn due(source: Option<usize>) -> Self {
        Slot { source, is_due: true, is_equal: false }
    }
}

/// The places after a place: what stands there doesn't come before what stands at it.
fn after(at: usize, len: usize) -> Range<usize> {
    let (start, count) = if at < LINE { (at + 1, 1) } else { (2 * at - (LINE - 1), 2) };
    start.min(len)..(start + count).min(len)
}

impl Turn {
    /// Of sources, each with its place among all of the merge: those that have nothing of the
    /// partition are met too.
    pub(super) fn new(places: impl Iterator<Item = usize>) -> Self {
        let mut slots = Vec::new();
        for (source, place) in places.enumerate() {
            slots.resize(place.max(slots.len()), Slot::due(None));
            slots.push(Slot::due(Some(source)));
        }
        Turn { due_len: slots.len(), slots }
    }

    /// The last place of a source that has to move, before `end`; `None` where there is none.
    pub(super) fn due(&self, end: usize) -> Option<(usize, Option<usize>)> {
        let due = self.slots[..end].iter().rposition(|slot| slot.is_due)?;
        Some((due, self.slots[due].source))
    }

    /// Number of places that sources are looked for at that have to move.
    pub(super) fn due_len(&self) -> usize {
        self.due_len
    }

    /// The source at a place has moved, those after it before; `is_left` says whether it has
    /// something left.
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
        (slot.is_due, slot.is_equal) = (false, false);
        let mut at = place;
        while let Some(next) = self.ahead(at, &slot, &compare) {
            self.slots[at] = self.slots[next];
            at = next;
        }
        self.slots[at] = slot;
    }

    /// The place after a place whose source comes before that of a slot; `None` where none does.
    /// Notes which are equal.
    ///
    /// A source that equals the one before is taken without being compared: the slot comes after
    /// that one.
    fn ahead(
        &mut self,
        at: usize,
        slot: &Slot,
        compare: &impl Fn(usize, usize) -> Ordering,
    ) -> Option<usize> {
        let order = |left: &Slot, right: &Slot| match (left.source, right.source) {
            (Some(left), Some(right)) => compare(left, right),
            _ => Ordering::Equal,
        };
        let places = after(at, self.slots.len());
        let slots = &mut self.slots[places.clone()];
        if let Some(equal) = slots.iter().position(|next| next.is_equal) {
            return Some(places.start + equal);
        }
        let (least, are_equal) = match slots {
            [] => return None,
            [_] => (0, false),
            [first, second, ..] => match order(second, first) {
                Ordering::Less => (1, false),
                siblings => (0, siblings.is_eq()),
            },
        };
        let order = order(slot, &slots[least]);
        if are_equal {
            // The other one stands after the slot, or after its equal that goes ahead.
            slots[1].is_equal = order.is_ge();
        }
        slots[least].is_equal = order.is_eq();
        order.is_gt().then_some(places.start + least)
    }

    /// Puts the sources that are at the first place into `met`, in their order. They have to move
    /// next.
    pub(super) fn take(&mut self, met: &mut Vec<usize>) {
        met.clear();
        let len = self.slots.len().min(LINE + 1);
        let line = &mut self.slots[..len];
        let other = line.iter().skip(1).position(|slot| !slot.is_equal);
        self.due_len = other.map_or(len, |at| at + 1);
        for slot in &mut line[..self.due_len] {
            slot.is_due = true;
            met.extend(slot.source);
        }
        if self.due_len > LINE {
            self.meet_after(LINE, met);
        }
    }

    /// Meets the sources of the heap after a place that equal it, and those after them.
    fn meet_after(&mut self, at: usize, met: &mut Vec<usize>) {
        for next in after(at, self.slots.len()) {
            let slot = &mut self.slots[next];
            if slot.is_equal {
                slot.is_due = true;
                met.extend(slot.source);
                self.due_len = self.due_len.max(next + 1);
                self.meet_after(next, met);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sources that are met at each number, in their order; each source is a list of rising
    /// numbers, an empty one has nothing.
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
            turn.take(&mut now);
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

    /// The same, each number compared with each that stands after it whenever it may matter.
    fn met_plainly(sources: &[&[u32]]) -> Vec<(u32, Vec<usize>)> {
        let len = sources.iter().rposition(|list| !list.is_empty()).map_or(0, |last| last + 1);
        let mut slots: Vec<(usize, &[u32])> = sources[..len].iter().copied().enumerate().collect();
        let (mut due, mut all) = ((0..len).collect::<Vec<_>>(), Vec::new());
        loop {
            for &place in due.iter().rev() {
                let mut at = place;
                if slots[at].1.is_empty() {
                    slots.swap_remove(at);
                }
                loop {
                    // Of equal ones the first.
                    let least = after(at, slots.len()).min_by_key(|next| slots[*next].1[0]);
                    let sinks = |next: &usize| slots[at].1[0] > slots[*next].1[0];
                    let Some(next) = least.filter(sinks) else { break };
                    slots.swap(at, next);
                    at = next;
                }
            }
            let Some(first) = slots.first().map(|(_, list)| list[0]) else { return all };
            let (mut waiting, mut met) = (vec![0], Vec::new());
            due.clear();
            while let Some(at) = waiting.pop() {
                if slots[at].1[0] == first {
                    met.push(slots[at].0);
                    due.push(at);
                    waiting.extend(after(at, slots.len()).rev());
                }
            }
            due.sort_unstable();
            due.iter().for_each(|at| slots[*at].1 = &slots[*at].1[1..]);
            all.push((first, met));
        }
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
            let lists: Vec<&[u32]> = lists.iter().map(Vec::as_slice).collect();
            let mut found = met(&lists);
            assert_eq!(found, met_plainly(&lists), "round {round}: {lists:?}");
            found.iter_mut().for_each(|(_, sources)| sources.sort_unstable());
            assert_eq!(found, want.into_iter().collect::<Vec<_>>(), "round {round}");
        }
    }
}
