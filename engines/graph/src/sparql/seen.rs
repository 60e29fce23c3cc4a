//! Which triples of a CONSTRUCT have come: as many are known as an eighth of the query's memory
//! holds. Where more come they are forgotten, and one may come again: what reads triples makes a
//! set of them.

use std::collections::HashSet;
use std::hash::Hash;

/// Maximum number of triples that are known, whatever memory there is.
const COUNT_MAX: u64 = 1 << 20;
/// Parts of a query's memory of which this takes one.
const SHARE: u64 = 8;
/// Memory for a key, in units of its own length and a byte: a table is at least 7/16 full, and
/// while it grows half of it is there beside it.
const UNITS: u64 = 4;

pub(super) struct Seen<K> {
    known: HashSet<K>,
    count_max: usize,
}

impl<K: Eq + Hash> Seen<K> {
    /// None have come; `memory_max` is that of the query.
    pub(super) fn new(memory_max: u64) -> Self {
        let entry = UNITS * (size_of::<K>() as u64 + 1);
        let count_max = (memory_max / SHARE / entry).clamp(1, COUNT_MAX) as usize;
        Seen { known: HashSet::new(), count_max }
    }

    /// Whether a triple comes for the first time, as far as is known.
    pub(super) fn is_new(&mut self, key: K) -> bool {
        if self.known.len() >= self.count_max {
            self.known.clear();
        }
        self.known.insert(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_takes_its_share_of_the_memory() {
        for (memory_max, want) in
            [(0, 1), (8 << 20, 1 << 14), (1 << 30, COUNT_MAX), (u64::MAX, COUNT_MAX)]
        {
            let seen = Seen::<[u64; 2]>::new(memory_max);
            assert!(
                seen.count_max as u64 <= want && seen.count_max as u64 * 2 > want,
                "{memory_max}"
            );
        }
    }

    #[test]
    fn what_is_forgotten_is_new_again() {
        let mut seen = Seen::new(SHARE * UNITS * 9 * 3);
        let got: Vec<bool> =
            [1_u64, 1, 2, 3, 1, 1].into_iter().map(|key| seen.is_new(key)).collect();
        assert_eq!(got, [true, false, true, true, true, false]);
    }
}
