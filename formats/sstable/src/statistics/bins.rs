//! A tombstone histogram that is being made, bin by bin as the versions make it.
//!
//! Bytes:   docs/formats/sstable.md, Histograms

use std::collections::{BTreeMap, HashMap};

use super::tombstones::TombstoneHistogram;
use crate::Version;

/// Maximum number of bins.
const BIN_COUNT_MAX: usize = 100;

/// Times are rounded up to multiples of it, in seconds.
const ROUND_S: i64 = 60;

/// Number of times that are gathered before they go into the bins.
const SPOOL_LEN: usize = 100_000;

/// Number of cells of the hash table that 4.0 and later gather them in, of which there are as many
/// after it for collisions.
const CELL_COUNT: usize = 1 << 17;

/// Number of cells that are tried for a time.
const TRIES: usize = 100;

/// Times of deletions and expiries as they come.
///
/// Memory: 100,000 different minutes, and the bins.
#[derive(Clone, Debug)]
pub struct TombstoneBins {
    version: Version,
    spool: Spool,
    bins: BTreeMap<Point, u64>,
}

/// A time in seconds since 1970; before 4.0 the mean of several. Bits of numbers that aren't
/// negative are in their order.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
struct Point(f64);

impl Eq for Point {}

#[expect(clippy::derive_ord_xor_partial_ord, reason = "no point is NaN")]
impl Ord for Point {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

#[derive(Clone, Debug)]
enum Spool {
    /// By time.
    Ordered(BTreeMap<i64, u64>),
    /// By cell: the time in it and its count.
    Hashed(HashMap<usize, (i64, u64)>),
}

impl TombstoneBins {
    /// None yet.
    pub fn new(version: Version) -> TombstoneBins {
        let spool = if version.has_section_checksums() {
            Spool::Hashed(HashMap::new())
        } else {
            Spool::Ordered(BTreeMap::new())
        };
        TombstoneBins { version, spool, bins: BTreeMap::new() }
    }

    /// Counts a local deletion time or an expiry in seconds since 1970.
    pub fn add(&mut self, time: i64) {
        let time = rounded_up(time);
        if !self.spool.try_add(time) {
            self.flush();
            self.spool.try_add(time);
        }
        if self.spool.is_over() {
            self.flush();
        }
    }

    /// The bins.
    pub fn finish(mut self) -> TombstoneHistogram {
        self.flush();
        let bins: Vec<(f64, u64)> =
            self.bins.into_iter().map(|(Point(time), count)| (time, count)).collect();
        let is_old = matches!(self.spool, Spool::Ordered(_));
        let bin_count_max = if is_old { BIN_COUNT_MAX } else { bins.len() } as u32;
        TombstoneHistogram { bin_count_max, bins }
    }

    fn flush(&mut self) {
        let is_whole = self.version.has_section_checksums();
        for (time, count) in self.spool.take() {
            *self.bins.entry(Point(time as f64)).or_default() += count;
            if self.bins.len() > BIN_COUNT_MAX {
                self.merge_nearest(is_whole);
            }
        }
    }

    /// The first two of those bins that are nearest to each other become one.
    fn merge_nearest(&mut self, is_whole: bool) {
        let pairs = self.bins.keys().zip(self.bins.keys().skip(1));
        let nearest = pairs.fold(None::<(f64, Point, Point)>, |nearest, (left, right)| {
            let distance = right.0 - left.0;
            match nearest {
                Some((least, ..)) if least <= distance => nearest,
                _ => Some((distance, *left, *right)),
            }
        });
        let Some((_, left, right)) = nearest else { return };
        let (one, other) =
            (self.bins.remove(&left).unwrap_or(0), self.bins.remove(&right).unwrap_or(0));
        let mean = if is_whole {
            let left = Weighted { time: left.0 as i64, count: one };
            whole_mean(left, Weighted { time: right.0 as i64, count: other }) as f64
        } else {
            (left.0 * one as f64 + right.0 * other as f64) / (one.saturating_add(other)) as f64
        };
        *self.bins.entry(Point(mean)).or_default() += one.saturating_add(other);
    }
}

/// The next multiple of a minute.
fn rounded_up(time: i64) -> i64 {
    match time % ROUND_S {
        over if over > 0 => time + (ROUND_S - over),
        _ => time,
    }
}

/// A time in whole seconds, and how often it occurs.
#[derive(Clone, Copy)]
struct Weighted {
    time: i64,
    count: u64,
}

/// The weighted mean in whole seconds, after the first time and not after the second.
fn whole_mean(left: Weighted, right: Weighted) -> i64 {
    let weigh = |Weighted { time, count }| i128::from(time) * i128::from(count);
    let count = i128::from(left.count.saturating_add(right.count)).max(1);
    let mean = ((weigh(left) + weigh(right)) / count) as i64;
    rounded_up(mean.max(left.time + 1).min(right.time))
}

impl Spool {
    /// Counts a time; `false` if there is no cell for it.
    fn try_add(&mut self, time: i64) -> bool {
        match self {
            Spool::Ordered(times) => {
                *times.entry(time).or_default() += 1;
                true
            }
            Spool::Hashed(cells) => {
                if cells.len() > CELL_COUNT {
                    return false;
                }
                let first = (time.wrapping_mul(948_701_839) as usize) & (CELL_COUNT - 1);
                let free = (first..first + TRIES)
                    .find(|cell| cells.get(cell).is_none_or(|(other, _)| *other == time));
                let Some(cell) = free else { return false };
                cells.entry(cell).or_insert((time, 0)).1 += 1;
                true
            }
        }
    }

    fn is_over(&self) -> bool {
        matches!(self, Spool::Ordered(times) if times.len() > SPOOL_LEN)
    }

    /// What was gathered, in the order in which the versions take it.
    fn take(&mut self) -> Vec<(i64, u64)> {
        match self {
            Spool::Ordered(times) => std::mem::take(times).into_iter().collect(),
            Spool::Hashed(cells) => {
                let mut cells: Vec<_> = std::mem::take(cells).into_iter().collect();
                cells.sort_unstable_by_key(|(cell, _)| *cell);
                cells.into_iter().map(|(_, counted)| counted).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bins(version: Version, times: impl IntoIterator<Item = i64>) -> TombstoneHistogram {
        let mut bins = TombstoneBins::new(version);
        times.into_iter().for_each(|time| bins.add(time));
        bins.finish()
    }

    #[test]
    fn times_are_rounded_up_to_minutes() {
        for version in [Version::Mc, Version::Nb] {
            let got = bins(version, [60, 1, 61, 120, 0]);
            assert_eq!(got.bins, [(0.0, 1), (60.0, 2), (120.0, 2)], "{version}");
        }
        assert_eq!(bins(Version::Me, []).bin_count_max, 100);
        assert_eq!(bins(Version::Nb, []).bin_count_max, 0);
        assert_eq!(bins(Version::Nb, [7]).bin_count_max, 1);
    }

    #[test]
    fn the_nearest_of_too_many_become_one() {
        // A hundred bins far apart, and one beside the third.
        let times = || (0..100).map(|bin| bin * 6_000).chain([12_060, 12_060]);
        let old = bins(Version::Me, times());
        assert_eq!((old.bins.len(), old.bins[2]), (100, (12_040.0, 3)));
        let new = bins(Version::Nb, times());
        assert_eq!((new.bins.len(), new.bins[2]), (100, (12_060.0, 3)));
        assert_eq!((old.count(), new.count()), (102, 102));
    }

    #[test]
    fn more_times_than_are_gathered_are_all_counted() {
        for version in [Version::Me, Version::Nb] {
            let got = bins(version, (0..150_000).map(|minute| minute * 60));
            assert_eq!((got.bins.len(), got.count()), (100, 150_000), "{version}");
        }
    }
}
