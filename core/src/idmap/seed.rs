//! The hash of ids, under a seed that whoever chose the ids doesn't know.

use super::IdBytes;
use crate::bytes::mix;

/// Keys of a hash over all 32 bytes of an id.
///
/// Ids may be chosen by somebody: contents can be ground until their SHA-256 begins as wanted, and
/// an index file can claim any ids at all. Each half of an id becomes a product of 64 x 64 bits in
/// which both factors hold a secret key (two ids have the same sum of both products with a
/// probability of 2^-64, whoever chose them), so ids that agree in all but a few bytes are spread
/// as others are. Three multiplications, about 2 ns. Not for anything that leaves the process.
#[derive(Clone, Copy, Debug)]
pub struct Seed {
    keys: [u64; 4],
}

impl Seed {
    /// Keys from a number that should be random, and secret while the maps made with it live.
    pub fn new(random: u64) -> Seed {
        Seed { keys: [1, 2, 3, 4].map(|which| mix(mix(which, random), which)) }
    }

    /// The hash of an id; all of its bits are equally good.
    #[inline(always)]
    pub fn hash(&self, id: &IdBytes) -> u64 {
        let [first, second, third, fourth] = words(id);
        let [key_1, key_2, key_3, key_4] = self.keys;
        let product = |left: u64, right: u64| u128::from(left) * u128::from(right);
        let front = product(first.wrapping_add(key_1), second.wrapping_add(key_2));
        let back = product(third.wrapping_add(key_3), fourth.wrapping_add(key_4));
        // Once more, as ids that are counted up would come in even steps without it, which may fall
        // together.
        fold(product(fold(front.wrapping_add(back)), 0x9e37_79b9_7f4a_7c15))
    }
}

#[inline(always)]
fn words(id: &IdBytes) -> [u64; 4] {
    let (words, _) = id.as_chunks::<8>();
    [0, 1, 2, 3].map(|at| u64::from_le_bytes(words[at]))
}

/// Both halves of a product.
#[inline(always)]
fn fold(wide: u128) -> u64 {
    wide as u64 ^ (wide >> 64) as u64
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// Hashes of 4,096 ids that differ in two bytes only: those at `at` and `at + 1`.
    fn hashes(seed: &Seed, at: usize) -> Vec<u64> {
        let id = |number: u16| {
            let mut id = [0xaa; 32];
            [id[at], id[at + 1]] = number.to_le_bytes();
            id
        };
        (0..4096).map(|number| seed.hash(&id(number))).collect()
    }

    #[test]
    fn ids_that_differ_anywhere_spread_over_the_places_of_a_table() {
        for random in [0, 1 << 40] {
            let seed = Seed::new(random);
            for at in 0..31 {
                for shift in [0, 52] {
                    let places: HashSet<u64> =
                        hashes(&seed, at).iter().map(|hash| hash >> shift & 0xfff).collect();
                    // Thrown at random they would meet 2,589, give or take 25.
                    assert!(places.len() > 2450, "{random}, byte {at}, {shift}: {}", places.len());
                }
            }
        }
    }

    #[test]
    fn each_seed_has_its_own_hashes() {
        let of = |random| hashes(&Seed::new(random), 0);
        assert_eq!(of(7), of(7));
        assert!(of(7).iter().zip(of(8)).all(|(left, right)| *left != right));
    }
}
