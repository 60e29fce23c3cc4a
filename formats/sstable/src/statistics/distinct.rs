//! A cardinality that is being made of partition keys.
//!
//! Bytes:   MurmurHash2 of 64 bits, seed 0, with the last bytes taken as signed; HyperLogLog++ of 13 and 25 bits,
//!          docs/formats/sstable.md, Cardinality

use std::collections::BTreeMap;

use super::cardinality::{Cardinality, P, SP};
use crate::token::signed_word;

/// From this number of entries on registers take less.
const SPARSE_COUNT_MAX: usize = 6_144;

/// Number of bits of an entry's run.
const RUN_BITS: u32 = 6;
const RUN_MASK: u32 = (1 << RUN_BITS) - 1;

/// The keys so far.
///
/// Memory: 6,144 entries, or 8,192 registers.
#[derive(Clone, Debug, Default)]
pub struct DistinctKeys {
    /// Entries by their index of 25 bits.
    entries: BTreeMap<u32, u32>,
    /// Registers, from too many entries on.
    registers: Option<Vec<u8>>,
}

impl DistinctKeys {
    /// None yet.
    pub fn new() -> DistinctKeys {
        DistinctKeys::default()
    }

    /// Counts a key.
    pub fn add(&mut self, key: &[u8]) {
        let entry = entry(murmur2(key));
        if let Some(registers) = &mut self.registers {
            return register(registers, entry);
        }
        let kept = self.entries.entry(index(entry)).or_insert(entry);
        if run(entry) > run(*kept) {
            *kept = entry;
        }
        if self.entries.len() > SPARSE_COUNT_MAX {
            let mut registers = vec![0; 1 << P];
            std::mem::take(&mut self.entries)
                .into_values()
                .for_each(|entry| register(&mut registers, entry));
            self.registers = Some(registers);
        }
    }

    /// The image.
    pub fn finish(self) -> Cardinality {
        match self.registers {
            Some(registers) => Cardinality::Dense(registers),
            None => Cardinality::Sparse(self.entries.into_values().collect()),
        }
    }
}

fn register(registers: &mut [u8], entry: u32) {
    let register = &mut registers[(index(entry) >> (SP - P)) as usize];
    *register = (*register).max(run(entry));
}

/// An entry: 25 bits of the hash; where the last twelve are zeros, the run of zeros after them too.
fn entry(hash: u64) -> u32 {
    let index = (hash >> (64 - SP)) as u32;
    if index & ((1 << (SP - P)) - 1) != 0 {
        return index << 1;
    }
    let run = ((hash << P) | 1 << (P - 1)).leading_zeros() + 1;
    (index << RUN_BITS | (run ^ RUN_MASK)) << 1 | 1
}

fn index(entry: u32) -> u32 {
    if entry & 1 != 0 { entry >> (RUN_BITS + 1) } else { entry >> 1 }
}

fn run(entry: u32) -> u8 {
    if entry & 1 != 0 {
        return ((entry >> 1 & RUN_MASK) ^ RUN_MASK) as u8;
    }
    let shift = P + 31 - SP;
    ((entry << shift).leading_zeros() + 1) as u8
}

fn murmur2(key: &[u8]) -> u64 {
    const M: u64 = 0xc6a4_a793_5bd1_e995;
    const R: u32 = 47;
    let (words, tail) = key.as_chunks::<8>();
    let mut hash = M.wrapping_mul(key.len() as u64);
    for word in words {
        let word = u64::from_le_bytes(*word).wrapping_mul(M);
        let word = (word ^ word >> R).wrapping_mul(M);
        hash = (hash ^ word).wrapping_mul(M);
    }
    if !tail.is_empty() {
        hash = (hash ^ signed_word(tail)).wrapping_mul(M);
    }
    hash = (hash ^ hash >> R).wrapping_mul(M);
    hash ^ hash >> R
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_are_near_the_number_of_keys() {
        for key_count in [0_u64, 1, 1_000, 6_000, 20_000, 200_000] {
            let mut keys = DistinctKeys::new();
            for key in (0..key_count).chain(0..key_count.min(10)) {
                keys.add(&key.to_be_bytes());
            }
            let cardinality = keys.finish();
            let is_sparse = matches!(cardinality, Cardinality::Sparse(_));
            assert_eq!(is_sparse, key_count <= 6_144, "{key_count}");
            let (estimate, allowed) = (cardinality.estimate(), key_count / 40 + 1);
            assert!(estimate.abs_diff(key_count) <= allowed, "{key_count}: {estimate}");
        }
    }
}
