//! Strings held once: each gets a number, and is found again by its bytes.
//!
//! Callers: engines/series

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use super::{Arena, Strings, equal};

/// The hash of a string for tables in memory: eight bytes at a time, each folded in by one multiplication.
///
/// Not for secrets, and the same on every machine.
#[inline]
pub fn hash(string: &[u8]) -> u64 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let fold = |state: u64, word: u64| {
        let wide = u128::from(state ^ word) * u128::from(ODD);
        wide as u64 ^ (wide >> 64) as u64
    };
    let mut state = string.len() as u64 ^ 0x243f_6a88_85a3_08d3;
    let (words, rest) = string.as_chunks::<8>();
    for word in words {
        state = fold(state, u64::from_le_bytes(*word));
    }
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    fold(fold(state, u64::from_le_bytes(last)), ODD)
}

/// An [`Arena`] whose strings differ, and the table that finds them.
#[derive(Clone, Debug, Default)]
pub struct Interner {
    arena: Arena,
    numbers: HashTable<u32>,
}

impl Interner {
    /// The number of a string, which is added if it is new.
    #[inline]
    pub fn intern(&mut self, string: &[u8]) -> u32 {
        let Interner { arena, numbers } = self;
        let is_same = |&number: &u32| equal(arena.get(number), string);
        match numbers.entry(hash(string), is_same, |&number| hash(arena.get(number))) {
            Entry::Occupied(found) => *found.get(),
            Entry::Vacant(place) => {
                let number = arena.count();
                place.insert(number);
                arena.push(string)
            }
        }
    }

    /// The number of a string that was interned.
    #[inline]
    pub fn find(&self, string: &[u8]) -> Option<u32> {
        let is_same = |&number: &u32| equal(self.arena.get(number), string);
        self.numbers.find(hash(string), is_same).copied()
    }

    /// The strings by their numbers.
    pub fn strings(&self) -> &Arena {
        &self.arena
    }

    /// The strings alone: nothing more will be found.
    pub fn into_strings(self) -> Arena {
        self.arena
    }

    /// How many bytes of memory it holds.
    pub fn memory(&self) -> usize {
        // A slot of the table is a number and a byte of its hash.
        self.arena.memory() + self.numbers.capacity() * 8 / 7 * 5
    }
}

impl Strings for Interner {
    fn count(&self) -> u32 {
        self.arena.count()
    }

    #[inline]
    fn get(&self, number: u32) -> &[u8] {
        self.arena.get(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_strings_have_one_number() {
        let mut interner = Interner::default();
        let texts: Vec<String> = (0..5000).map(|n| format!("{}", n % 1000 * 7919)).collect();
        for (at, text) in texts.iter().enumerate() {
            assert_eq!(interner.intern(text.as_bytes()), (at % 1000) as u32);
        }
        assert_eq!(interner.count(), 1000);
        for (at, text) in texts.iter().take(1000).enumerate() {
            assert_eq!(interner.find(text.as_bytes()), Some(at as u32));
            assert_eq!(interner.get(at as u32), text.as_bytes());
        }
        assert_eq!(interner.find(b"no number"), None);
        assert_eq!((interner.intern(b""), interner.intern(b"\0")), (1000, 1001));
    }
}
