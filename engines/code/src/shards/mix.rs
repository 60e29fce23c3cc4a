//! The hasher of this room's tables: of numbers, and of short texts.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

use manicule_core::bytes::mix;

/// A map whose keys nobody chooses to collide, or few.
pub(super) type MixMap<K, V> = HashMap<K, V, BuildHasherDefault<MixHasher>>;

/// A set of such keys.
pub(super) type MixSet<K> = HashSet<K, BuildHasherDefault<MixHasher>>;

/// Hashes numbers and short texts by mixing their words.
#[derive(Default)]
pub(super) struct MixHasher(u64);

impl Hasher for MixHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for part in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..part.len()].copy_from_slice(part);
            self.0 = mix(self.0, u64::from_le_bytes(word));
        }
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = mix(self.0, number);
    }
}
