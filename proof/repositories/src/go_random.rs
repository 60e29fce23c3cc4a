//! Go's `math/rand` with its first source: an additive lagged Fibonacci generator, whose numbers Go
//! promises to keep. restic's benchmarks draw their indexes from it, so that the same draws give
//! the same index here.
//!
//! Recurrence: y(k) = y(k - 607) + y(k - 273), modulo 2^64.

use std::sync::LazyLock;

/// Number of past values that the next one depends on.
const LEN: usize = 607;
/// Distance of the nearer of the two values that are added.
const TAP: usize = 273;
/// Modulus of the generator that fills the past from a seed.
const SEED_MODULUS: u64 = (1 << 31) - 1;
const SEED_FACTOR: u64 = 48_271;
/// Numbers of that generator that are dropped first.
const SEED_DROPPED: usize = 20;
/// Takes the place of the seed 0, from which all numbers would be 0.
const SEED_FOR_ZERO: u64 = 89_482_311;
/// Number of steps after which Go's authors took the past that every seed is mixed with.
const COOKED_STEPS: u64 = 7_800_000_000_000;
/// Number of bytes taken from one number.
const BYTES_IN_NUMBER: u32 = 7;

/// A generator, with the bytes of a number that were not asked for yet.
#[derive(Clone, Debug)]
pub struct GoRandom {
    /// The past values, as a ring.
    past: [u64; LEN],
    /// Place of the value that was written last, in the ring; it moves downwards.
    feed: usize,
    /// Place of the value that was added last.
    tap: usize,
    bytes: u64,
    byte_count: u32,
}

impl GoRandom {
    /// The generator of `rand.New(rand.NewSource(seed))`, for seeds that are not negative.
    pub fn new(seed: u32) -> GoRandom {
        let mut past = filled(u64::from(seed), 20);
        past.iter_mut().zip(COOKED.iter()).for_each(|(value, cooked)| *value ^= cooked);
        GoRandom { past, feed: LEN - TAP, tap: 0, bytes: 0, byte_count: 0 }
    }

    /// The next 63 bits: `Int63`.
    pub fn bits(&mut self) -> u64 {
        self.tap = self.tap.checked_sub(1).unwrap_or(LEN - 1);
        self.feed = self.feed.checked_sub(1).unwrap_or(LEN - 1);
        let value = self.past[self.feed].wrapping_add(self.past[self.tap]);
        self.past[self.feed] = value;
        value & (u64::MAX >> 1)
    }

    /// A number below `end`, which is not 0: `Intn` for ends that fit 31 bits.
    pub fn below(&mut self, end: u32) -> u32 {
        assert!((1..1 << 31).contains(&end), "1 to 2^31 - 1, not {end}");
        let mut bits = || (self.bits() >> 32) as u32;
        if end.is_power_of_two() {
            return bits() & (end - 1);
        }
        // The numbers after the last whole multiple of `end` would make the small remainders more
        // likely.
        let limit = (1 << 31) - (1 << 31) % end;
        loop {
            match bits() {
                value if value < limit => return value % end,
                _ => continue,
            }
        }
    }

    /// Fills `out`: `Read`, which goes on within a number where the call before ended.
    pub fn fill(&mut self, out: &mut [u8]) {
        for byte in out {
            if self.byte_count == 0 {
                (self.bytes, self.byte_count) = (self.bits(), BYTES_IN_NUMBER);
            }
            *byte = self.bytes as u8;
            self.bytes >>= 8;
            self.byte_count -= 1;
        }
    }
}

/// A past made of three numbers for each value, each `shift` bits above the next.
fn filled(seed: u64, shift: u32) -> [u64; LEN] {
    let seed = seed % SEED_MODULUS;
    let mut state = if seed == 0 { SEED_FOR_ZERO } else { seed };
    let mut next = || {
        state = state * SEED_FACTOR % SEED_MODULUS;
        state
    };
    for _ in 0..SEED_DROPPED {
        next();
    }
    std::array::from_fn(|_| next() << (2 * shift) ^ next() << shift ^ next())
}

/// The past after [`COOKED_STEPS`] steps from the seed 1, which every seed is mixed with. Go's
/// authors ran the steps, and keep the 607 values as a table; here they are jumped over, in some
/// milliseconds.
static COOKED: LazyLock<[u64; LEN]> = LazyLock::new(|| {
    let start = filled(1, 10);
    // In the order of time: step k writes to place (LEN - TAP - 1 - k) modulo LEN.
    let place = |time: usize| (LEN - TAP - 1 + 2 * LEN - time) % LEN;
    let mut values: Vec<u64> = (0..LEN).map(|time| start[place(time)]).collect();
    for time in LEN..2 * LEN {
        values.push(values[time - LEN].wrapping_add(values[time - TAP]));
    }
    let weights = power_of_x(COOKED_STEPS);
    let after = |offset: usize| {
        let terms = weights.iter().zip(&values[offset..]);
        terms.fold(0, |sum: u64, (weight, value)| sum.wrapping_add(weight.wrapping_mul(*value)))
    };
    let mut cooked = [0; LEN];
    let turn = (COOKED_STEPS % LEN as u64) as usize;
    (0..LEN).for_each(|offset| cooked[place((turn + offset) % LEN)] = after(offset));
    cooked
});

/// x to a power, modulo the recurrence's polynomial x^607 - x^334 - 1: the weights by which the
/// first 607 values add up to the one that many steps later. Coefficients are modulo 2^64, that of
/// x^i at i.
fn power_of_x(exponent: u64) -> [u64; LEN] {
    let mut power = [0_u64; LEN];
    power[0] = 1;
    for bit in (0..u64::BITS - exponent.leading_zeros()).rev() {
        let mut square = [0_u64; 2 * LEN];
        for (i, &left) in power.iter().enumerate() {
            for (sum, &right) in square[i..].iter_mut().zip(&power) {
                *sum = sum.wrapping_add(left.wrapping_mul(right));
            }
        }
        if exponent >> bit & 1 == 1 {
            square.rotate_right(1);
        }
        for high in (LEN..2 * LEN).rev() {
            let coefficient = square[high];
            for low in [high - TAP, high - LEN] {
                square[low] = square[low].wrapping_add(coefficient);
            }
        }
        power.copy_from_slice(&square[..LEN]);
    }
    power
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What every Go program printed that took numbers without a seed, up to Go 1.19.
    #[test]
    fn numbers_of_seed_one_are_those_of_go() {
        let mut random = GoRandom::new(1);
        let first: Vec<u64> = (0..3).map(|_| random.bits()).collect();
        assert_eq!(
            first,
            [5_577_006_791_947_779_410, 8_674_665_223_082_153_551, 6_129_484_611_666_145_821]
        );
    }

    #[test]
    fn a_jump_is_as_many_steps() {
        let start = filled(1, 10);
        let mut random = GoRandom { past: start, feed: LEN - TAP, tap: 0, bytes: 0, byte_count: 0 };
        let mut all: Vec<u64> = (0..LEN).rev().map(|at| start[(at + LEN - TAP) % LEN]).collect();
        for _ in 0..3000 {
            random.bits();
            all.push(random.past[random.feed]);
        }
        for steps in [0, 1, 606, 607, 608, 1213, 2999] {
            let sum = power_of_x(steps as u64)
                .iter()
                .zip(&all)
                .fold(0_u64, |sum, (weight, value)| sum.wrapping_add(weight.wrapping_mul(*value)));
            assert_eq!(sum, all[steps], "{steps} steps");
        }
    }

    #[test]
    fn bytes_go_on_where_they_ended() {
        let (mut whole, mut parts) = (GoRandom::new(0), GoRandom::new(0));
        let (mut one, mut two) = ([0; 64], [0; 64]);
        whole.fill(&mut one);
        two.chunks_mut(5).for_each(|part| parts.fill(part));
        assert_eq!(one, two);
        let mut random = GoRandom::new(0);
        let low_bytes = [random.bits() as u8, random.bits() as u8];
        assert_eq!([one[0], one[7]], low_bytes, "seven bytes of a number");
    }

    #[test]
    fn numbers_stay_below_their_end() {
        let mut random = GoRandom::new(7);
        for end in [1, 2, 3, 10, 4 << 20, (1 << 31) - 1] {
            assert!((0..1000).all(|_| random.below(end) < end), "{end}");
        }
    }
}
