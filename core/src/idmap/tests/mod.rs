//! Id maps against plain ones, with ids as they come and ids that somebody has chosen.

mod frozen;
mod growing;

use super::IdBytes;
use crate::bytes::mix;

/// A way to make ids of numbers, each its own.
type Family = (&'static str, fn(u64) -> IdBytes);

/// Ids as hashes are, and ids ground to agree where a map might look only.
const FAMILIES: &[Family] = &[
    ("random", random),
    ("same leading 8 bytes: one bucket of a frozen map", |number| agreeing(0..8, number)),
    ("same leading 16 bytes", |number| agreeing(0..16, number)),
    ("same leading 24 bytes", |number| agreeing(0..24, number)),
    ("same leading 28 bytes", |number| agreeing(0..28, number)),
    ("same trailing 28 bytes", |number| agreeing(4..32, number)),
    ("same bytes 8 to 16, the hash of the prototype", |number| agreeing(8..16, number)),
    ("words that cancel out in a sum and in an exclusive or", cancelling),
    ("the numbers themselves, in front", |number| counted(0, number)),
    ("the numbers themselves, at the end", |number| counted(24, number)),
];

fn random(number: u64) -> IdBytes {
    let words = [1, 2, 3, 4].map(|which| mix(which, number).to_le_bytes());
    words.as_flattened().try_into().expect("four words of eight bytes")
}

/// The same bytes in a range; elsewhere the number in four bytes, and random ones.
fn agreeing(range: std::ops::Range<usize>, number: u64) -> IdBytes {
    let mut id = random(number);
    let free = if range.start == 0 { range.end } else { 0 };
    id[free..free + 4].copy_from_slice(&(number as u32).to_le_bytes());
    id[range].fill(0x5a);
    id
}

fn cancelling(number: u64) -> IdBytes {
    let word = mix(5, number);
    let words = [word, word.wrapping_neg(), mix(6, number), mix(6, number)];
    words.map(u64::to_le_bytes).as_flattened().try_into().expect("four words of eight bytes")
}

fn counted(at: usize, number: u64) -> IdBytes {
    let mut id = [0; 32];
    id[at..at + 8].copy_from_slice(&number.to_be_bytes());
    id
}

/// Numbers one after the other, the same ones for a seed.
struct Random(u64);

impl Random {
    /// A number below `end`.
    fn below(&mut self, end: u64) -> u64 {
        self.0 += 1;
        mix(7, self.0) % end
    }
}
