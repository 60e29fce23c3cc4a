//! The hash of strings, and tables of numbers that are found by it.

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use crate::bytes::mix;

/// Odd constants of the hash that is the same everywhere.
const ODD: [u64; 3] = [0x9e37_79b9_7f4a_7c15, 0x243f_6a88_85a3_08d3, 0xd6e8_feb8_6659_fd93];

/// The hash of a string for tables in memory: sixteen bytes at a time, folded in by one
/// multiplication.
///
/// Not for secrets, and the same on every machine.
#[inline]
pub fn hash(string: &[u8]) -> u64 {
    hash_under(&ODD, string)
}

/// Keys of a hash of strings that somebody else may have chosen: without them, no two strings are
/// known to collide.
#[derive(Clone, Copy, Debug)]
pub struct HashKeys([u64; 3]);

impl HashKeys {
    /// Keys from a number that should be random, and secret while tables made with it live.
    pub fn new(random: u64) -> HashKeys {
        HashKeys([1, 2, 3].map(|which| mix(mix(which, random), which) | 1))
    }

    /// [`hash`] with these keys in place of its constants.
    #[inline]
    pub fn hash(&self, string: &[u8]) -> u64 {
        hash_under(&self.0, string)
    }
}

#[inline(always)]
fn hash_under(keys: &[u64; 3], string: &[u8]) -> u64 {
    let fold = |left: u64, right: u64| {
        let wide = u128::from(left ^ keys[0]) * u128::from(right ^ keys[1]);
        wide as u64 ^ (wide >> 64) as u64
    };
    let mut state = (string.len() as u64).wrapping_mul(keys[2]);
    let mut rest = string;
    while let Some((sixteen, behind)) = rest.split_first_chunk::<16>()
        && !behind.is_empty()
    {
        let [left, right] = halves(sixteen);
        state = fold(left ^ state, right);
        rest = behind;
    }
    let [left, right] = both_ends(rest);
    fold(fold(left ^ state, right), keys[2])
}

/// The first and the second eight bytes.
#[inline]
fn halves(sixteen: &[u8; 16]) -> [u64; 2] {
    let both = u128::from_le_bytes(*sixteen);
    [both as u64, (both >> 64) as u64]
}

/// Up to sixteen bytes as two numbers, which may overlap; with the length they determine all of the
/// bytes.
#[inline]
fn both_ends(bytes: &[u8]) -> [u64; 2] {
    let eight = (bytes.first_chunk(), bytes.last_chunk());
    let four = (bytes.first_chunk(), bytes.last_chunk());
    match (eight, four, bytes) {
        ((Some(first), Some(last)), ..) => [u64::from_le_bytes(*first), u64::from_le_bytes(*last)],
        (_, (Some(first), Some(last)), _) => {
            [u32::from_le_bytes(*first).into(), u32::from_le_bytes(*last).into()]
        }
        (.., &[first, .., last]) => {
            let middle = u64::from(bytes[bytes.len() / 2]);
            [u64::from(first) | middle << 8, last.into()]
        }
        (.., &[only]) => [only.into(), 0],
        (.., &[]) => [0, 0],
    }
}

/// A number, and half of the hash of what it stands for: without it a table that grows would hash
/// all strings again.
#[derive(Clone, Copy, Debug)]
struct Known {
    number: u32,
    code: u32,
}

/// The hash that a table goes by, from the half of it that is kept.
#[inline]
fn spread(code: u32) -> u64 {
    u64::from(code) << 32 | u64::from(code)
}

/// Numbers found by the hashes of what they stand for.
#[derive(Clone, Debug, Default)]
pub struct Numbers(HashTable<Known>);

impl Numbers {
    /// The number with this hash that `is_it` takes.
    #[inline]
    pub fn find(&self, hash: u64, mut is_it: impl FnMut(u32) -> bool) -> Option<u32> {
        let code = (hash >> 32) as u32;
        let is = |known: &Known| known.code == code && is_it(known.number);
        self.0.find(spread(code), is).map(|known| known.number)
    }

    /// [`Numbers::find`]; if there is none, it is `next` from now on.
    #[inline]
    pub fn find_or_add(&mut self, hash: u64, mut is_it: impl FnMut(u32) -> bool, next: u32) -> u32 {
        let code = (hash >> 32) as u32;
        let is = |known: &Known| known.code == code && is_it(known.number);
        match self.0.entry(spread(code), is, |known| spread(known.code)) {
            Entry::Occupied(found) => found.get().number,
            Entry::Vacant(place) => place.insert(Known { number: next, code }).get().number,
        }
    }

    /// Adds the numbers of another table, each greater by `shift`. None of theirs stands for what
    /// one of these does.
    pub fn append(&mut self, other: &Numbers, shift: u32) {
        self.0.reserve(other.0.len(), |known| spread(known.code));
        for &Known { number, code } in other.0.iter() {
            let known = Known { number: number + shift, code };
            self.0.insert_unique(spread(code), known, |known| spread(known.code));
        }
    }

    /// Memory held, in bytes.
    pub fn memory(&self) -> usize {
        // A slot, and a byte of control for each.
        self.0.num_buckets() * (size_of::<Known>() + 1)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_byte_and_the_length_count() {
        let mut hashes = HashSet::new();
        let mut count = 0;
        for len in 0..70 {
            let mut string: Vec<u8> = (0..len).collect();
            assert_eq!(hash(&string), hash(&string.clone()));
            hashes.insert(hash(&string) >> 32);
            count += 1;
            for at in 0..string.len() {
                for bit in 0..8 {
                    string[at] ^= 1 << bit;
                    hashes.insert(hash(&string) >> 32);
                    count += 1;
                    string[at] ^= 1 << bit;
                }
            }
        }
        // Of 19,390 strings hardly any two should share half a hash.
        assert!(hashes.len() + 3 > count, "{} of {count}", hashes.len());
    }

    #[test]
    fn short_strings_differ() {
        let strings =
            (0..=3).flat_map(|len| (0..1usize << (4 * len)).map(move |number| (len, number)));
        let string = |(len, number): (usize, usize)| -> Vec<u8> {
            (0..len).map(|at| (number >> (4 * at) & 15) as u8).collect()
        };
        let hashes: HashSet<u64> = strings.clone().map(|one| hash(&string(one))).collect();
        assert_eq!(hashes.len(), strings.count());
    }

    #[test]
    fn keys_decide_what_collides() {
        // Both factors of the first fold are zero under the known constants, whatever comes in the
        // other half.
        let collides = |right: u64| {
            [ODD[0] ^ 24u64.wrapping_mul(ODD[2]), right].map(u64::to_le_bytes).concat()
        };
        let [one, other] = [5, 6].map(|right| [collides(right), b"the rest".to_vec()].concat());
        assert_eq!(hash(&one), hash(&other));
        let keys = HashKeys::new(7);
        assert_ne!(keys.hash(&one), keys.hash(&other));
        assert_ne!(keys.hash(&one), HashKeys::new(8).hash(&one));
    }

    #[test]
    fn tables_are_appended() {
        let things = ["a", "b", "c"];
        let (mut all, mut rest) = (Numbers::default(), Numbers::default());
        all.find_or_add(hash(b"a"), |_| false, 0);
        rest.find_or_add(hash(b"b"), |_| false, 0);
        rest.find_or_add(hash(b"c"), |_| false, 1);
        all.append(&rest, 1);
        for (number, thing) in things.iter().enumerate() {
            let is_it = |known: u32| things[known as usize] == *thing;
            assert_eq!(all.find(hash(thing.as_bytes()), is_it), Some(number as u32));
        }
    }

    #[test]
    fn numbers_of_equal_hashes_are_told_apart() {
        let mut numbers = Numbers::default();
        let things = [7, 9, 7, 8, 9];
        let mut known: Vec<u32> = Vec::new();
        let found: Vec<u32> = things
            .iter()
            .map(|&thing| {
                let next = known.len() as u32;
                let number = numbers.find_or_add(5, |number| known[number as usize] == thing, next);
                if number == next {
                    known.push(thing);
                }
                number
            })
            .collect();
        assert_eq!((found, known), (vec![0, 1, 0, 2, 1], vec![7, 9, 8]));
        assert_eq!((numbers.find(5, |_| false), numbers.find(6 << 32, |_| true)), (None, None));
    }
}
