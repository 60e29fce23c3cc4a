//! Distinct keys numbered as they come: the groups of rows that are not held.

use std::hash::{BuildHasher, RandomState};

use manicule_core::bytes::mix;

const FREE: u32 = u32::MAX;

/// Numbers of distinct keys, in the order in which they are first met. A hash table with open
/// addressing: while there are few keys it lies in the fastest cache.
pub(in crate::sparql) struct Numbering {
    width: usize,
    seed: u64,
    slots: Vec<u32>,
    /// The ids of each key, back to back.
    keys: Vec<u64>,
    count: usize,
}

impl Numbering {
    /// No key, of some ids each.
    pub(in crate::sparql) fn new(width: usize) -> Numbering {
        let seed = RandomState::new().hash_one(width);
        Numbering { width, seed, slots: vec![FREE; 64], keys: Vec::new(), count: 0 }
    }

    /// Number of distinct keys.
    pub(in crate::sparql) fn count(&self) -> usize {
        self.count
    }

    /// Memory that it takes, in bytes.
    pub(in crate::sparql) fn len(&self) -> usize {
        self.slots.len() * size_of::<u32>() + self.keys.len() * size_of::<u64>()
    }

    /// The ids at one place of all keys.
    pub(in crate::sparql) fn column(&self, place: usize) -> Vec<u64> {
        self.keys.iter().skip(place).step_by(self.width).copied().collect()
    }

    /// The number of a key of one id.
    pub(in crate::sparql) fn find(&self, id: u64) -> Option<u32> {
        let number = self.slots[self.slot_of(&[id])];
        (number != FREE).then_some(number)
    }

    /// Whether the key of each of some rows has no number.
    pub(in crate::sparql) fn is_new(&self, columns: &[&[u64]], row_count: usize) -> Vec<bool> {
        let mut key = vec![0; columns.len()];
        let mut is_new = |row: usize| {
            key.iter_mut().zip(columns).for_each(|(id, column)| *id = column[row]);
            self.slots[self.slot_of(&key)] == FREE
        };
        (0..row_count).map(&mut is_new).collect()
    }

    /// The number of the key without ids.
    pub(in crate::sparql) fn only(&mut self) -> u32 {
        self.count = 1;
        0
    }

    /// Replaces `out` by the numbers of the keys of some rows.
    pub(in crate::sparql) fn number(
        &mut self,
        columns: &[&[u64]],
        row_count: usize,
        out: &mut Vec<u32>,
    ) {
        out.clear();
        match columns {
            [] if row_count > 0 => {
                let only = self.only();
                out.resize(row_count, only);
            }
            [] => {}
            [column] => {
                let mut last = None;
                for id in *column {
                    // Sorted columns have runs of equal ids.
                    let number = match last {
                        Some((same, number)) if same == *id => number,
                        _ => self.number_of_id(*id),
                    };
                    last = Some((*id, number));
                    out.push(number);
                }
            }
            _ => {
                let mut key = vec![0; columns.len()];
                for row in 0..row_count {
                    key.iter_mut().zip(columns).for_each(|(id, column)| *id = column[row]);
                    out.push(self.number_of(&key));
                }
            }
        }
    }

    /// As [`Numbering::number_of`], of keys of one id: twice as short a way, which most rows take.
    #[inline]
    fn number_of_id(&mut self, id: u64) -> u32 {
        let mask = self.slots.len() - 1;
        let mut slot = mix(self.seed, id) as usize & mask;
        loop {
            match self.slots[slot] {
                FREE => return self.number_of(&[id]),
                number if self.keys[number as usize] == id => return number,
                _ => slot = (slot + 1) & mask,
            }
        }
    }

    #[inline]
    fn number_of(&mut self, key: &[u64]) -> u32 {
        let slot = self.slot_of(key);
        if self.slots[slot] != FREE {
            return self.slots[slot];
        }
        let number = self.count as u32;
        self.slots[slot] = number;
        self.keys.extend_from_slice(key);
        self.count += 1;
        if self.count * 2 > self.slots.len() {
            self.grow();
        }
        number
    }

    /// The slot of a key: its own, or the free one where it would be.
    #[inline]
    fn slot_of(&self, key: &[u64]) -> usize {
        let hash = key.iter().fold(self.seed, |state, id| mix(state, *id));
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            let number = self.slots[slot];
            if number == FREE {
                return slot;
            }
            let at = number as usize * self.width;
            // By hand: a call of memcmp takes longer.
            let own = &self.keys[at..at + self.width];
            if own.iter().zip(key).all(|(one, other)| one == other) {
                return slot;
            }
            slot = (slot + 1) & mask;
        }
    }

    fn grow(&mut self) {
        self.slots = vec![FREE; self.slots.len() * 4];
        for number in 0..self.count {
            let at = number * self.width;
            let slot = self.slot_of(&self.keys[at..at + self.width]);
            self.slots[slot] = number as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::groups::Groups;
    use super::*;
    use manicule_testkit::Rng;

    #[test]
    fn numbers_of_parts_are_those_of_the_whole() {
        for seed in 0..20 {
            let mut rng = Rng::new(seed);
            let width = rng.below(3);
            let row_count = rng.below(3000);
            let many = 1 + rng.below(2000);
            let column = |rng: &mut Rng| (0..row_count).map(|_| rng.below(many) as u64).collect();
            let columns: Vec<Vec<u64>> = (0..width).map(|_| column(&mut rng)).collect();
            let whole: Vec<&[u64]> = columns.iter().map(Vec::as_slice).collect();
            let want = Groups::unwatched(&whole, row_count);
            let mut numbering = Numbering::new(width);
            let (mut got, mut part, mut next) = (Vec::new(), Vec::new(), 0);
            while next < row_count {
                let end = row_count.min(next + 1 + rng.below(500));
                let own: Vec<&[u64]> = whole.iter().map(|column| &column[next..end]).collect();
                numbering.number(&own, end - next, &mut part);
                got.extend_from_slice(&part);
                next = end;
            }
            assert_eq!(got, want.of_rows, "seed {seed}");
            assert_eq!(numbering.count(), want.count(), "seed {seed}");
            for (place, column) in columns.iter().enumerate() {
                let firsts: Vec<u64> =
                    want.first_rows.iter().map(|row| column[*row as usize]).collect();
                assert_eq!(numbering.column(place), firsts, "seed {seed}");
            }
        }
    }
}
