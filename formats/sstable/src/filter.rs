//! Filter.db: a Bloom filter of the partition keys.
//!
//! Bytes:   | i32 hash functions | i32 words | words x 8 |; in versions m* each word reversed, docs/formats/sstable.md,
//!          Filter.db

use manicule_core::bytes::{DecodeError, Reader};

use crate::Version;
use crate::token::KeyHash;

/// Most hash functions that are believed. Writers use at most 14.
const HASH_COUNT_MAX: u32 = 64;

/// The beginning of a filter: which bits of the file a key has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FilterHead {
    hash_count: u32,
    bit_count: u64,
    /// What the number of a byte is changed by: 7 turns the bytes of each word round.
    turn: u64,
}

impl FilterHead {
    /// Its length in bytes.
    pub const LEN: usize = 8;

    /// Reads the beginning of a file of `file_len` bytes.
    pub fn read(bytes: &[u8], file_len: u64, version: Version) -> Result<Self, DecodeError> {
        let mut reader = Reader::new(bytes, 0);
        let what = "number of hash functions";
        let hash_count = reader.u32_be(what)?;
        if !(1..=HASH_COUNT_MAX).contains(&hash_count) {
            let (want, got) = (HASH_COUNT_MAX.into(), hash_count.into());
            return Err(DecodeError::Corrupt { what, at: 0, want, got });
        }
        let (what, at) = ("number of words of the filter", reader.at());
        let word_count = reader.u32_be(what)?;
        let words_len = file_len.saturating_sub(reader.at());
        if words_len == 0 || u64::from(word_count) * 8 != words_len {
            let (want, got) = ((words_len / 8).max(1), word_count.into());
            return Err(DecodeError::Corrupt { what, at, want, got });
        }
        let turn = if version.filter_words_reversed() { 7 } else { 0 };
        Ok(FilterHead { hash_count, bit_count: words_len * 8, turn })
    }

    /// The bits of a partition with this hash, of each hash function: offset of the byte in the
    /// file, and the bit in it. Where one is not set, no such partition is in the table.
    pub fn bits(&self, hash: KeyHash) -> impl Iterator<Item = (u64, u8)> + use<> {
        let FilterHead { hash_count, bit_count, turn } = *self;
        (0..hash_count).map(move |number| {
            let bit = bit_of(hash, number, bit_count) as u64;
            (Self::LEN as u64 + ((bit / 8) ^ turn), 1 << (bit % 8))
        })
    }
}

/// A Bloom filter that lies in memory.
#[derive(Clone, Copy, Debug)]
pub struct Filter<'a> {
    head: FilterHead,
    bytes: &'a [u8],
}

impl<'a> Filter<'a> {
    /// Reads a file.
    pub fn open(bytes: &'a [u8], version: Version) -> Result<Filter<'a>, DecodeError> {
        let head = FilterHead::read(bytes, bytes.len() as u64, version)?;
        Ok(Filter { head, bytes })
    }

    /// Number of hash functions.
    pub fn hash_count(&self) -> u32 {
        self.head.hash_count
    }

    /// Number of bits.
    pub fn bit_count(&self) -> u64 {
        self.head.bit_count
    }

    /// Number of bits that are set.
    pub fn set_bit_count(&self) -> u64 {
        self.bytes[FilterHead::LEN..].iter().map(|byte| u64::from(byte.count_ones())).sum()
    }

    /// Whether a partition with this hash can be in the table. False: none is.
    pub fn may_contain(&self, hash: KeyHash) -> bool {
        self.head.bits(hash).all(|(at, bit)| self.bytes[at as usize] & bit != 0)
    }
}

/// The bit that a hash function has for a key: the remainder by the number of bits, without its
/// sign.
#[inline]
pub(crate) fn bit_of(hash: KeyHash, number: u32, bit_count: u64) -> usize {
    let place = hash.low.wrapping_add(hash.high.wrapping_mul(number.into())) as i64;
    (place % bit_count as i64).unsigned_abs() as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_found_in_words_of_both_orders() {
        // One function, one word; the bit of the low half alone.
        let hash = KeyHash { high: 3, low: 9 };
        let file = |word: [u8; 8]| [&[0, 0, 0, 1, 0, 0, 0, 1], &word[..]].concat();
        let (plain, reversed) = ([0, 2, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 2, 0]);
        for (version, word, want) in [
            (Version::Nb, plain, true),
            (Version::Me, plain, false),
            (Version::Me, reversed, true),
            (Version::Nb, reversed, false),
        ] {
            let bytes = file(word);
            let filter = Filter::open(&bytes, version).expect("a filter");
            assert_eq!(filter.may_contain(hash), want, "{version} {word:?}");
            assert_eq!((filter.bit_count(), filter.set_bit_count()), (64, 1));
            // A negative remainder counts without its sign.
            assert_eq!(filter.may_contain(KeyHash { high: 3, low: -9_i64 as u64 }), want);
        }
    }

    #[test]
    fn lengths_that_contradict_each_other_are_refused() {
        let open =
            |bytes: &[u8]| Filter::open(bytes, Version::Me).map(|filter| filter.hash_count());
        let word = [0, 0, 0, 5, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0];
        assert_eq!(open(&word), Ok(5));
        for cut in 0..word.len() {
            assert!(open(&word[..cut]).is_err(), "{cut}");
        }
        assert!(open(&[0, 0, 0, 5, 0, 0, 0, 0]).is_err());
        assert!(open(&[&[0x7f], &word[1..]].concat()).is_err());
        assert!(open(&[&[0; 4], &word[4..]].concat()).is_err());
    }
}
