//! Strings back to back, each with a number from 0.

/// Strings that have numbers, wherever they lie.
pub trait Strings {
    /// Number of strings.
    fn count(&self) -> u32;

    /// The string of a number below [`Strings::count`].
    fn get(&self, number: u32) -> &[u8];
}

impl<T: Strings + ?Sized> Strings for &T {
    fn count(&self) -> u32 {
        (**self).count()
    }

    #[inline]
    fn get(&self, number: u32) -> &[u8] {
        (**self).get(number)
    }
}

impl Strings for [&[u8]] {
    fn count(&self) -> u32 {
        self.len() as u32
    }

    #[inline]
    fn get(&self, number: u32) -> &[u8] {
        self[number as usize]
    }
}

impl Strings for Vec<&[u8]> {
    fn count(&self) -> u32 {
        self.len() as u32
    }

    #[inline]
    fn get(&self, number: u32) -> &[u8] {
        self[number as usize]
    }
}

/// Strings in one piece of memory. A number is given once and stays.
#[derive(Clone, Debug, Default)]
pub struct Arena {
    bytes: Vec<u8>,
    /// End of each string; it begins where the one before ends.
    ends: Vec<u64>,
}

impl Arena {
    /// Adds a string; equal ones get numbers of their own.
    ///
    /// # Panics
    /// If there are 2^32 - 1 strings already: numbers have 32 bits.
    #[inline]
    pub fn push(&mut self, string: &[u8]) -> u32 {
        let number = self.ends.len();
        assert!(number < u32::MAX as usize, "strings have numbers of 32 bits");
        self.bytes.extend_from_slice(string);
        self.ends.push(self.bytes.len() as u64);
        number as u32
    }

    /// Memory held, in bytes.
    pub fn memory(&self) -> usize {
        self.bytes.capacity() + self.ends.capacity() * size_of::<u64>()
    }
}

impl Strings for Arena {
    fn count(&self) -> u32 {
        self.ends.len() as u32
    }

    #[inline]
    fn get(&self, number: u32) -> &[u8] {
        let number = number as usize;
        let start = if number == 0 { 0 } else { self.ends[number - 1] };
        &self.bytes[start as usize..self.ends[number] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_found_by_their_numbers() {
        let mut arena = Arena::default();
        for (number, string) in [&b"a"[..], b"", b"", b"long enough"].into_iter().enumerate() {
            assert_eq!(arena.push(string), number as u32);
        }
        assert_eq!((arena.count(), arena.get(0), arena.get(1)), (4, &b"a"[..], &b""[..]));
        assert_eq!((arena.get(2), arena.get(3)), (&b""[..], &b"long enough"[..]));
    }
}
