//! Keys of 64 bits to dense numbers, in the order in which they are first met.

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use crate::bytes::mix;

/// Keys with numbers from 0; 17 bytes a key.
#[derive(Clone, Debug, Default)]
pub struct KeyIds {
    keys: Vec<Key>,
    ids: HashTable<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Key {
    key: u64,
    /// The key that came after this one the last time when it was not this key again.
    next: u32,
}

impl KeyIds {
    /// The number of a key, which is added if it is new.
    ///
    /// # Panics
    /// If there are 2^32 - 1 keys already: numbers have 32 bits.
    #[inline]
    pub fn id(&mut self, key: u64) -> u32 {
        let KeyIds { keys, ids } = self;
        let is = |&id: &u32| keys[id as usize].key == key;
        let hash_of = |&id: &u32| mix(0, keys[id as usize].key);
        match ids.entry(mix(0, key), is, hash_of) {
            Entry::Occupied(found) => *found.get(),
            Entry::Vacant(place) => {
                assert!(keys.len() < u32::MAX as usize, "keys have numbers of 32 bits");
                let id = keys.len() as u32;
                place.insert(id);
                keys.push(Key { key, next: id });
                id
            }
        }
    }

    /// The number of a key that comes where `before` came the last time: the same answer as
    /// [`KeyIds::id`], sooner if it is again that key, or the one that followed it the last time
    /// (see [`PairIds`](super::PairIds)).
    ///
    /// # Panics
    /// If `before` is no number of a key.
    #[inline]
    pub fn id_behind(&mut self, before: u32, key: u64) -> u32 {
        let last = self.keys[before as usize];
        if last.key == key {
            return before;
        }
        if self.keys[last.next as usize].key == key {
            return last.next;
        }
        let id = self.id(key);
        self.keys[before as usize].next = id;
        id
    }

    /// The keys in the order of their numbers.
    pub fn keys(&self) -> impl ExactSizeIterator<Item = u64> {
        self.keys.iter().map(|key| key.key)
    }

    /// Memory held, in bytes.
    pub fn memory(&self) -> usize {
        let table = self.ids.capacity() * 8 / 7 * (size_of::<u32>() + 1);
        self.keys.capacity() * size_of::<Key>() + table
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn a_key_has_one_number_whatever_came_before_it() {
        let (mut ids, mut plain) = (KeyIds::default(), HashMap::new());
        let mut before = None;
        for round in 0..3u64 {
            for number in 0..4000u64 {
                let key = ((number * 37 % 4001 / (round + 1)) << 32) | (number % 5);
                let next = plain.len() as u32;
                let want = *plain.entry(key).or_insert(next);
                if let Some(before) = before.filter(|_| number % 2 == 0) {
                    assert_eq!(ids.id_behind(before, key), want);
                }
                assert_eq!(ids.id(key), want);
                before = Some(want);
            }
        }
        assert_eq!(ids.keys().len(), plain.len());
        for (id, key) in ids.keys().enumerate() {
            assert_eq!(plain[&key], id as u32);
        }
    }
}
