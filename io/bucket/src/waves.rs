//! Which requests may be in flight at a time.
//!
//! What bounds long answers is the line, and the memory that they take here; of short ones a
//! request costs its round and nothing else. So four short ones go out in place of a long one: 128
//! at a time by default, of which 30 ms a round make some 4,000 a second. S3 takes 5,500 for each
//! prefix.

use crate::options::Limits;

/// Short requests in place of a long one.
const SHORT_COUNT: u32 = 4;

/// Length in bytes of the longest answer that is short: 128 of them take 32 MiB, as much as 32 of
/// the pieces that long ranges are read in. Tables of shards and blocks are as long.
const SHORT_MAX: u64 = 256 << 10;

/// What an answer is expected to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expected {
    /// A page of a listing, a look, a few bytes.
    Short,
    /// More, or nobody knows.
    Long,
}

impl Expected {
    /// By its length.
    pub(crate) fn of_len(len: u64) -> Self {
        if len <= SHORT_MAX { Expected::Short } else { Expected::Long }
    }

    /// Permits that a request takes.
    pub(crate) fn permits(self) -> u32 {
        match self {
            Expected::Short => 1,
            Expected::Long => SHORT_COUNT,
        }
    }
}

/// Number of permits.
pub(crate) fn permit_count(limits: &Limits) -> usize {
    limits.requests_in_flight.max(1) * SHORT_COUNT as usize
}

/// Requests that go out side by side as far as they may, in waves.
pub(crate) struct Waves {
    permits: u64,
    taken: u64,
}

impl Waves {
    pub(crate) fn of(limits: &Limits) -> Self {
        Waves { permits: permit_count(limits) as u64, taken: 0 }
    }

    /// The wave of the next request: how many others it has to wait for, one by one.
    pub(crate) fn next(&mut self, expected: Expected) -> u64 {
        let wave = self.taken / self.permits;
        self.taken += u64::from(expected.permits());
        wave
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_short_requests_go_out_in_place_of_a_long_one() {
        let limits = Limits { requests_in_flight: 2, ..Limits::USUAL };
        let check = |expected: &[Expected], want: &[u64]| {
            let mut waves = Waves::of(&limits);
            let got: Vec<u64> = expected.iter().map(|&expected| waves.next(expected)).collect();
            assert_eq!(got, want);
        };
        let (short, long) = (Expected::of_len(SHORT_MAX), Expected::of_len(SHORT_MAX + 1));
        check(&[long; 5], &[0, 0, 1, 1, 2]);
        check(&[short; 9], &[0, 0, 0, 0, 0, 0, 0, 0, 1]);
        check(&[long, short, short, short, short, long], &[0, 0, 0, 0, 0, 1]);
    }
}
