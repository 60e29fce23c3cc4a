//! Strings held once: each gets a number, and is found again by its bytes.

use super::hash::{Numbers, hash};
use super::{Arena, Strings, equal};

/// An [`Arena`] whose strings differ, and the table that finds them.
#[derive(Clone, Debug, Default)]
pub struct Interner {
    arena: Arena,
    numbers: Numbers,
}

impl Interner {
    /// The number of a string, which is added if it is new.
    #[inline]
    pub fn intern(&mut self, string: &[u8]) -> u32 {
        let Interner { arena, numbers } = self;
        let is_same = |number| equal(arena.get(number), string);
        let next = arena.count();
        let number = numbers.find_or_add(hash(string), is_same, next);
        if number == next {
            arena.push(string);
        }
        number
    }

    /// The number of a string that was interned.
    #[inline]
    pub fn find(&self, string: &[u8]) -> Option<u32> {
        self.numbers.find(hash(string), |number| equal(self.arena.get(number), string))
    }

    /// The strings by their numbers.
    pub fn strings(&self) -> &Arena {
        &self.arena
    }

    /// The strings alone: nothing more will be found.
    pub fn into_strings(self) -> Arena {
        self.arena
    }

    /// Memory held, in bytes.
    pub fn memory(&self) -> usize {
        self.arena.memory() + self.numbers.memory()
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
