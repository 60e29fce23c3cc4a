//! Histograms whose buckets grow by a fifth: sizes of partitions, numbers of cells.
//!
//! Bytes:   i32 count, count x (i64 offset, i64 value): a value goes with the offset of the pair before, the first with its
//!          own; docs/formats/sstable.md, Histograms

use manicule_core::bytes::{DecodeError, Reader};

/// A histogram. A number is counted in the first bucket whose bound isn't below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Histogram {
    /// Greatest number of each bucket and its count, strictly increasing.
    buckets: Vec<(i64, u64)>,
    /// Count of the numbers above the last bound.
    overflow_count: u64,
}

impl Histogram {
    /// An empty one with the first `bucket_count` bounds: 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 17
    /// and so on.
    pub fn new(bucket_count: usize) -> Histogram {
        let mut bound = 1_i64;
        let mut next = || {
            let bucket = (bound, 0);
            // A fifth more, rounded half up, and one more at least; far beyond any file of one it
            // stays.
            let grown = (bound as f64 * 1.2 + 0.5).floor() as i64;
            bound = grown.max(bound.saturating_add(1));
            bucket
        };
        Histogram { buckets: (0..bucket_count).map(|_| next()).collect(), overflow_count: 0 }
    }

    /// Reads a histogram.
    pub fn read(reader: &mut Reader<'_>) -> Result<Histogram, DecodeError> {
        let (what, at) = ("number of buckets", reader.at());
        let pair_count = reader.u32_be(what)?;
        let have = reader.rest().len() as u64;
        if pair_count < 2 || u64::from(pair_count) * 16 > have {
            let (want, got) = (have / 16, pair_count.into());
            return Err(DecodeError::Corrupt { what, at, want, got });
        }
        let mut pair = |index: u32, before: i64| {
            let (what, at) = ("bound of a bucket", reader.at());
            let bound = reader.u64_be(what)? as i64;
            // The first bound is there twice.
            let is_in_order = if index == 1 { bound == before } else { bound > before };
            if !is_in_order {
                let (want, got) = (before as u64, bound as u64);
                return Err(DecodeError::Corrupt { what, at, want, got });
            }
            Ok((bound, reader.u64_be("count of a bucket")?))
        };
        let (mut before, mut count) = pair(0, -1)?;
        let mut buckets = Vec::new();
        for index in 1..pair_count {
            // The count beside a bound is that of the next bucket.
            let (bound, next_count) = pair(index, before)?;
            buckets.push((bound, count));
            (before, count) = (bound, next_count);
        }
        Ok(Histogram { buckets, overflow_count: count })
    }

    /// Greatest number of each bucket and its count, in order.
    pub fn buckets(&self) -> &[(i64, u64)] {
        &self.buckets
    }

    /// Count of the numbers above the last bound.
    pub fn overflow_count(&self) -> u64 {
        self.overflow_count
    }

    /// Counts a number `times` times.
    pub fn add(&mut self, number: i64, times: u64) {
        let bucket = self.buckets.partition_point(|(bound, _)| *bound < number);
        let slot = match self.buckets.get_mut(bucket) {
            Some((_, count)) => count,
            None => &mut self.overflow_count,
        };
        *slot = slot.saturating_add(times);
    }

    /// How many numbers were counted.
    pub fn count(&self) -> u64 {
        let counts = self.buckets.iter().map(|(_, count)| *count);
        counts.fold(self.overflow_count, u64::saturating_add)
    }

    /// Estimate of the mean: each number as its bucket's bound, rounded up. 0 if nothing was
    /// counted or a number lies above the bounds.
    pub fn mean(&self) -> u64 {
        let count = u128::from(self.count());
        if count == 0 || self.overflow_count > 0 {
            return 0;
        }
        let weighed = self.buckets.iter().map(|(bound, count)| *bound as u128 * u128::from(*count));
        let sum = weighed.fold(0_u128, u128::saturating_add);
        u64::try_from(sum.div_ceil(count)).unwrap_or(u64::MAX)
    }

    /// Estimate of a percentile, `share` from 0 to 1: the bound of the bucket in which it is
    /// reached. `None` if it lies above the bounds.
    pub fn percentile(&self, share: f64) -> Option<i64> {
        let wanted = (self.count() as f64 * share).ceil() as u64;
        if wanted == 0 {
            return Some(0);
        }
        let mut sum = 0_u64;
        let reached = self.buckets.iter().find(|(_, count)| {
            sum = sum.saturating_add(*count);
            sum >= wanted
        });
        reached.map(|(bound, _)| *bound)
    }

    /// Smallest number that can have been counted; 0 if none was.
    pub fn min(&self) -> i64 {
        let first = self.buckets.iter().position(|(_, count)| *count > 0);
        match first {
            Some(index) if index > 0 => self.buckets[index - 1].0 + 1,
            _ => 0,
        }
    }

    /// Greatest number that can have been counted; `None` if one lies above the bounds.
    pub fn max(&self) -> Option<i64> {
        if self.overflow_count > 0 {
            return None;
        }
        let last = self.buckets.iter().rfind(|(_, count)| *count > 0);
        Some(last.map_or(0, |(bound, _)| *bound))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(pairs: &[(i64, u64)]) -> Vec<u8> {
        let mut bytes = (pairs.len() as u32).to_be_bytes().to_vec();
        for (bound, count) in pairs {
            bytes.extend_from_slice(&bound.to_be_bytes());
            bytes.extend_from_slice(&count.to_be_bytes());
        }
        bytes
    }

    #[test]
    fn bounds_grow_by_a_fifth() {
        let bounds: Vec<i64> =
            Histogram::new(18).buckets().iter().map(|(bound, _)| *bound).collect();
        assert_eq!(bounds, [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 17, 20, 24, 29, 35, 42, 50]);
        let large = Histogram::new(150);
        assert_eq!(large.buckets()[113], (1_996_099_046, 0));
    }

    #[test]
    fn a_count_stands_beside_the_bound_before() {
        let bytes = file(&[(1, 10), (1, 20), (2, 30), (3, 40)]);
        let read = Histogram::read(&mut Reader::new(&bytes, 0)).expect("a histogram");
        assert_eq!(read.buckets(), [(1, 10), (2, 20), (3, 30)]);
        assert_eq!((read.overflow_count(), read.count()), (40, 100));
        for cut in 0..bytes.len() {
            assert!(Histogram::read(&mut Reader::new(&bytes[..cut], 0)).is_err(), "{cut}");
        }
        for pairs in
            [&[(1, 0)][..], &[(1, 0), (2, 0)], &[(1, 0), (1, 0), (1, 0)], &[(-1, 0), (-1, 0)]]
        {
            assert!(Histogram::read(&mut Reader::new(&file(pairs), 0)).is_err(), "{pairs:?}");
        }
    }

    #[test]
    fn estimates_are_made_from_bounds() {
        let mut sizes = Histogram::new(20);
        let ask =
            |sizes: &Histogram| (sizes.mean(), sizes.percentile(0.5), sizes.min(), sizes.max());
        assert_eq!(ask(&sizes), (0, Some(0), 0, Some(0)));
        [30, 31, 43].iter().for_each(|size| sizes.add(*size, 1));
        assert_eq!(ask(&sizes), (40, Some(35), 30, Some(50)));
        assert_eq!((sizes.percentile(0.0), sizes.percentile(1.0)), (Some(0), Some(50)));
        sizes.add(1, 3);
        assert_eq!(ask(&sizes), (21, Some(1), 0, Some(50)));
        sizes.add(1 << 40, 4);
        assert_eq!(ask(&sizes), (0, Some(35), 0, None));
        assert_eq!(sizes.percentile(0.9), None);
    }
}
