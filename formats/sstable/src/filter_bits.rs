//! The bits of a Filter.db that is being made.
//!
//! Bytes:   docs/formats/sstable.md, Filter.db

use crate::Version;
use crate::filter::bit_of;
use crate::token::KeyHash;

/// Chances of a false answer, ascending, with the number of hash functions and of bits for each key
/// that give them.
const SIZES: [(f64, u32, u64); 72] = [
    (0.0000671, 14, 20),
    (0.0000679, 13, 20),
    (0.0000712, 12, 20),
    (0.0000777, 11, 20),
    (0.0000889, 10, 20),
    (0.000108, 9, 20),
    (0.000109, 13, 19),
    (0.000111, 12, 19),
    (0.000118, 11, 19),
    (0.000132, 10, 19),
    (0.000155, 9, 19),
    (0.000176, 12, 18),
    (0.000183, 11, 18),
    (0.000198, 10, 18),
    (0.000226, 9, 18),
    (0.000275, 8, 18),
    (0.000284, 12, 17),
    (0.000287, 11, 17),
    (0.000302, 10, 17),
    (0.000335, 9, 17),
    (0.000394, 8, 17),
    (0.000459, 11, 16),
    (0.00047, 10, 16),
    (0.000505, 9, 16),
    (0.000574, 8, 16),
    (0.000702, 7, 16),
    (0.000744, 10, 15),
    (0.000775, 9, 15),
    (0.000852, 8, 15),
    (0.001, 7, 15),
    (0.0012, 10, 14),
    (0.00121, 9, 14),
    (0.00129, 8, 14),
    (0.00146, 7, 14),
    (0.00179, 6, 14),
    (0.00194, 9, 13),
    (0.00199, 8, 13),
    (0.00217, 7, 13),
    (0.00255, 6, 13),
    (0.00314, 8, 12),
    (0.00329, 7, 12),
    (0.00371, 6, 12),
    (0.00459, 5, 12),
    (0.00509, 8, 11),
    (0.00513, 7, 11),
    (0.00552, 6, 11),
    (0.0065, 5, 11),
    (0.00819, 7, 10),
    (0.00844, 6, 10),
    (0.00943, 5, 10),
    (0.0118, 4, 10),
    (0.0133, 6, 9),
    (0.0141, 5, 9),
    (0.0166, 4, 9),
    (0.0216, 6, 8),
    (0.0217, 5, 8),
    (0.024, 4, 8),
    (0.0306, 3, 8),
    (0.0347, 5, 7),
    (0.0359, 4, 7),
    (0.0423, 3, 7),
    (0.0561, 4, 6),
    (0.0609, 3, 6),
    (0.0804, 2, 6),
    (0.092, 3, 5),
    (0.109, 2, 5),
    (0.147, 3, 4),
    (0.155, 2, 4),
    (0.221, 1, 4),
    (0.237, 2, 3),
    (0.283, 1, 3),
    // The writers have both numbers in the wrong place here; readers go by the file.
    (0.393, 2, 1),
];

/// Bits beside those of the keys.
const EXCESS_BITS: u64 = 20;

/// Greatest number of words: the file has it in 32 signed bits.
const WORD_COUNT_MAX: u64 = i32::MAX as u64;

/// A Bloom filter that keys are added to.
#[derive(Clone, Debug)]
pub struct FilterBits {
    hash_count: u32,
    /// The bytes of the words in plain order.
    bytes: Vec<u8>,
}

impl FilterBits {
    /// Smallest chance of a false answer that there is a size for.
    pub const CHANCE_MIN: f64 = SIZES[0].0;

    /// A filter for a number of keys and a chance of a false answer. `None` for a chance of 1, of
    /// which no filter is written.
    ///
    /// Memory: 10 bits a key for a chance of 0.01.
    ///
    /// # Panics
    /// If the chance is below [`FilterBits::CHANCE_MIN`] or not a number.
    pub fn new(key_count: u64, chance: f64) -> Option<FilterBits> {
        assert!(chance >= FilterBits::CHANCE_MIN, "a chance that there is a size for");
        if chance >= 1.0 {
            return None;
        }
        let size = SIZES.iter().rev().find(|(size, ..)| *size <= chance);
        let (_, hash_count, key_bits) = *size.expect("the first is small enough");
        let bits = key_count.saturating_mul(key_bits).saturating_add(EXCESS_BITS);
        let words = bits.div_ceil(64).min(WORD_COUNT_MAX);
        Some(FilterBits { hash_count, bytes: vec![0; words as usize * 8] })
    }

    /// Adds a key by its hash.
    pub fn add(&mut self, hash: KeyHash) {
        let bit_count = self.bytes.len() as u64 * 8;
        for number in 0..self.hash_count {
            let bit = bit_of(hash, number, bit_count);
            self.bytes[bit / 8] |= 1 << (bit % 8);
        }
    }

    /// Appends the file up to its words.
    pub fn put_head(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.hash_count.to_be_bytes());
        out.extend_from_slice(&((self.bytes.len() / 8) as u32).to_be_bytes());
    }

    /// The words as the file of a version has them.
    pub fn into_words(mut self, version: Version) -> Vec<u8> {
        if version.filter_words_reversed() {
            self.bytes.as_chunks_mut::<8>().0.iter_mut().for_each(|word| word.reverse());
        }
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Filter;

    #[test]
    fn keys_that_were_added_are_found_and_others_by_chance() {
        for (chance, hash_count, word_count) in
            [(0.01, 5, 157), (0.1, 3, 79), (0.5, 2, 16), (FilterBits::CHANCE_MIN, 14, 313)]
        {
            for version in [Version::Me, Version::Nb] {
                let mut bits = FilterBits::new(1_000, chance).expect("a filter");
                let key = |number: u32| KeyHash::of(&number.to_be_bytes());
                (0..1_000).for_each(|number| bits.add(key(number)));
                let mut file = Vec::new();
                bits.put_head(&mut file);
                file.extend_from_slice(&bits.into_words(version));
                let filter = Filter::open(&file, version).expect("a filter");
                assert_eq!(
                    (filter.hash_count(), filter.bit_count()),
                    (hash_count, word_count * 64)
                );
                assert!((0..1_000).all(|number| filter.may_contain(key(number))));
                let wrong =
                    (1_000..11_000).filter(|number| filter.may_contain(key(*number))).count();
                assert!(
                    wrong as f64 <= 10_000.0 * chance * 1.5 + 5.0 || chance > 0.4,
                    "{chance}: {wrong}"
                );
            }
        }
        assert!(FilterBits::new(1_000, 1.0).is_none());
        let empty = FilterBits::new(0, 0.01).expect("a filter");
        assert_eq!(empty.into_words(Version::Me).len(), 8);
    }
}
