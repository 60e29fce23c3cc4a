//! Where Prometheus's head ends a chunk of floats and begins the next.

use manicule_format_prometheus::chunk::XorEncoder;

/// Target number of samples of a chunk.
const TARGET: u32 = 120;

/// A chunk of as many bytes takes no further sample: with the longest one it would pass 1,024.
const LEN_MAX: usize = 1024 - 19;

/// The chunks of one series in the making.
#[derive(Debug)]
pub(super) struct ChunkCut {
    /// Chunks end at multiples of it, in milliseconds.
    range: i64,
    first: i64,
    last: i64,
    /// The time at which the chunk ends, as guessed so far.
    next_at: i64,
}

impl ChunkCut {
    /// For a block that is built with chunks of at most `range` milliseconds.
    pub(super) fn new(range: i64) -> Self {
        ChunkCut { range, first: 0, last: 0, next_at: 0 }
    }

    /// Whether the sample at `time`, which is not the first of all, begins another chunk than
    /// `chunk`.
    #[inline]
    pub(super) fn ends(&mut self, chunk: &XorEncoder, time: i64) -> bool {
        if chunk.len() > LEN_MAX {
            return true;
        }
        if chunk.count() == TARGET / 4 {
            self.next_at = spread(self.first, self.last, self.next_at);
        }
        time >= self.next_at || chunk.count() >= TARGET * 2
    }

    /// Notes a sample that begins a chunk.
    #[inline]
    pub(super) fn begin(&mut self, time: i64) {
        self.first = time;
        self.last = time;
        // Go's division: towards zero.
        self.next_at = (time / self.range).saturating_mul(self.range).saturating_add(self.range);
    }

    /// Notes a sample that goes on.
    #[inline]
    pub(super) fn go_on(&mut self, time: i64) {
        self.last = time;
    }
}

/// Time at which a chunk should end that is full by a quarter, so that those until `end` are of
/// equal length.
fn spread(first: i64, last: i64, end: i64) -> i64 {
    let rest = end.wrapping_sub(first) as f64;
    let count = rest / (last.wrapping_sub(first).wrapping_add(1) as f64 * 4.0);
    if count <= 1.0 { end } else { (first as f64 + rest / count.floor()) as i64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RANGE: i64 = 4 * 3_600_000;

    /// Number of samples of each chunk of a series that begins at `first` and has a sample every
    /// `step`.
    fn counts(first: i64, step: i64, samples: usize, value: impl Fn(usize) -> f64) -> Vec<u32> {
        let mut cut = ChunkCut::new(RANGE);
        let (mut chunk, mut counts) = (XorEncoder::new(), Vec::new());
        for number in 0..samples {
            let time = first + number as i64 * step;
            if number > 0 && cut.ends(&chunk, time) {
                counts.push(chunk.count());
                chunk = XorEncoder::new();
            }
            if chunk.count() == 0 {
                cut.begin(time)
            } else {
                cut.go_on(time)
            }
            chunk.push(time, value(number));
        }
        counts.push(chunk.count());
        counts
    }

    #[test]
    fn chunks_of_a_range_are_of_equal_length() {
        // Every 15 s there are 960 in four hours: eight times 120.
        assert_eq!(counts(0, 15_000, 960, |_| 1.0), [120; 8]);
        // Every 60 s there are 240: two times 120.
        assert_eq!(counts(0, 60_000, 240, |_| 1.0), [120; 2]);
        // Ranges end at multiples of theirs.
        assert_eq!(counts(RANGE - 600_000, 60_000, 20, |_| 1.0), [10, 10]);
    }

    #[test]
    fn chunks_have_twice_the_target_at_most() {
        let fast = |number: usize| if number < 31 { 60_000 } else { 100 };
        let mut cut = ChunkCut::new(RANGE);
        let (mut chunk, mut time) = (XorEncoder::new(), 0);
        cut.begin(0);
        chunk.push(0, 1.0);
        for number in 1.. {
            time += fast(number);
            if cut.ends(&chunk, time) {
                break;
            }
            cut.go_on(time);
            chunk.push(time, 1.0);
        }
        assert_eq!(chunk.count(), 240);
    }

    #[test]
    fn chunks_of_long_values_end_early() {
        let noise = |number: usize| {
            f64::from_bits((number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 2)
        };
        let counts = counts(0, 15_000, 960, noise);
        assert!(counts.iter().all(|count| *count < 140) && counts.len() > 7, "{counts:?}");
    }
}
