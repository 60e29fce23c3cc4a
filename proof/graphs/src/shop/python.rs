//! The random numbers of CPython 3: those that the golden data were made with.

use std::f64::consts::TAU;

const LEN: usize = 624;
const MIDDLE: usize = 397;

/// A Mersenne Twister (MT19937), seeded and asked as Python's `random.Random` is.
#[derive(Clone, Debug)]
pub(super) struct Random {
    state: Vec<u32>,
    at: usize,
    /// The second one of a pair of normal numbers.
    gauss: Option<f64>,
}

impl Random {
    /// `random.Random(seed)`.
    pub(super) fn new(seed: u64) -> Random {
        let low = seed as u32;
        let key = if seed >> 32 == 0 { vec![low] } else { vec![low, (seed >> 32) as u32] };
        let mut state = vec![19_650_218u32];
        for at in 1..LEN as u32 {
            let last = state[at as usize - 1];
            state.push(1_812_433_253u32.wrapping_mul(last ^ last >> 30).wrapping_add(at));
        }
        let (mut at, mut word) = (1, 0);
        for _ in 0..LEN {
            let last = state[at - 1];
            let mixed = state[at] ^ (last ^ last >> 30).wrapping_mul(1_664_525);
            state[at] = mixed.wrapping_add(key[word]).wrapping_add(word as u32);
            (at, word) = (next(&mut state, at), (word + 1) % key.len());
        }
        for _ in 1..LEN {
            let last = state[at - 1];
            let mixed = state[at] ^ (last ^ last >> 30).wrapping_mul(1_566_083_941);
            state[at] = mixed.wrapping_sub(at as u32);
            at = next(&mut state, at);
        }
        state[0] = 1 << 31;
        Random { state, at: LEN, gauss: None }
    }

    /// 32 random bits.
    fn word(&mut self) -> u32 {
        if self.at == LEN {
            for at in 0..LEN {
                let both = self.state[at] & 1 << 31 | self.state[(at + 1) % LEN] & !(1 << 31);
                let odd = if both & 1 == 1 { 0x9908_b0df } else { 0 };
                self.state[at] = self.state[(at + MIDDLE) % LEN] ^ both >> 1 ^ odd;
            }
            self.at = 0;
        }
        let mut word = self.state[self.at];
        self.at += 1;
        word ^= word >> 11;
        word ^= word << 7 & 0x9d2c_5680;
        word ^= word << 15 & 0xefc6_0000;
        word ^ word >> 18
    }

    /// `random()`: at least 0, less than 1.
    pub(super) fn unit(&mut self) -> f64 {
        let (high, low) = (self.word() >> 5, self.word() >> 6);
        (f64::from(high) * 67_108_864.0 + f64::from(low)) / 9_007_199_254_740_992.0
    }

    /// `randrange(end)`.
    pub(super) fn below(&mut self, end: u32) -> u32 {
        let bits = u32::BITS - end.leading_zeros();
        loop {
            let number = self.word() >> (u32::BITS - bits);
            if number < end {
                return number;
            }
        }
    }

    /// `randint(low, high)`.
    pub(super) fn between(&mut self, low: u32, high: u32) -> u32 {
        low + self.below(high - low + 1)
    }

    /// `choice(items)`.
    pub(super) fn choose<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len() as u32) as usize]
    }

    /// `uniform(low, high)`.
    pub(super) fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// `gauss(0, deviation)`.
    pub(super) fn gauss(&mut self, deviation: f64) -> f64 {
        let normal = self.gauss.take().unwrap_or_else(|| {
            let angle = self.unit() * TAU;
            let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
            self.gauss = Some(angle.sin() * radius);
            angle.cos() * radius
        });
        normal * deviation
    }
}

/// The place after `at`, the first one kept as the last one's copy.
fn next(state: &mut [u32], at: usize) -> usize {
    if at + 1 < LEN {
        return at + 1;
    }
    state[0] = state[LEN - 1];
    1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_python() {
        let mut random = Random::new(7);
        assert_eq!(random.unit(), 0.323_832_764_833_162_37);
        assert_eq!([(); 3].map(|()| random.below(1000)), [154, 404, 666]);
        assert!((random.gauss(60.0) - 106.259_667_073_434_98).abs() < 1e-9);
        assert!((random.gauss(60.0) - 33.265_369_318_383_435).abs() < 1e-9);
    }
}
