//! The histogram of times at which tombstones can be dropped and cells expire.
//!
//! Bytes:   i32 bins at most, i32 count, count x (f64 time, i64 count), from `oa` on count x (i64 time, i32 count);
//!          docs/formats/sstable.md, Histograms

use manicule_core::bytes::{DecodeError, Reader};

use crate::Version;

/// Counts by local deletion times.
#[derive(Clone, Debug, PartialEq)]
pub struct TombstoneHistogram {
    /// Most bins as the writer says: 100, from 4.0 on the number that there is.
    pub bin_count_max: u32,
    /// Times in seconds since 1970, strictly increasing, and how many things are deleted or expire
    /// up to there: the mean of what was merged.
    pub bins: Vec<(f64, u64)>,
}

impl TombstoneHistogram {
    /// Reads a histogram.
    pub fn read(
        reader: &mut Reader<'_>,
        version: Version,
    ) -> Result<TombstoneHistogram, DecodeError> {
        let bin_count_max = reader.u32_be("most bins of tombstones")?;
        let (what, at) = ("number of bins of tombstones", reader.at());
        let count = reader.u32_be(what)?;
        let bin_len = if version.has_short_deletions() { 12 } else { 16 };
        let have = reader.rest().len() as u64 / bin_len;
        if u64::from(count) > have {
            return Err(DecodeError::Corrupt { what, at, want: have, got: count.into() });
        }
        let mut bins: Vec<(f64, u64)> = Vec::new();
        for _ in 0..count {
            let (what, at) = ("time of tombstones", reader.at());
            let bits = reader.u64_be(what)?;
            let (time, count) = if version.has_short_deletions() {
                (bits as i64 as f64, reader.u32_be("number of tombstones")?.into())
            } else {
                (f64::from_bits(bits), reader.u64_be("number of tombstones")?)
            };
            let before = bins.last().map_or(f64::NEG_INFINITY, |(before, _)| *before);
            if time.is_nan() || time <= before {
                let (want, got) = (before as u64, time as u64);
                return Err(DecodeError::Corrupt { what, at, want, got });
            }
            bins.push((time, count));
        }
        Ok(TombstoneHistogram { bin_count_max, bins })
    }

    /// How many were counted.
    pub fn count(&self) -> u64 {
        self.bins.iter().fold(0, |sum, (_, count)| sum.saturating_add(*count))
    }

    /// Estimate of how many can be dropped at a time in seconds since 1970: those of the bins
    /// before it, and a part of the bin that it lies in, as if counts changed evenly from bin to
    /// bin.
    pub fn count_until(&self, time: i64) -> f64 {
        let time = time as f64;
        let after = self.bins.partition_point(|(bin, _)| *bin <= time);
        let (Some(last), next) = (after.checked_sub(1), self.bins.get(after)) else { return 0.0 };
        let whole = |bins: &[(f64, u64)]| bins.iter().map(|(_, count)| *count as f64).sum::<f64>();
        let Some(&(next_bin, next_count)) = next else { return whole(&self.bins) };
        let (bin, count) = self.bins[last];
        let (count, next_count) = (count as f64, next_count as f64);
        let weight = (time - bin) / (next_bin - bin);
        let between = count + (next_count - count) * weight;
        whole(&self.bins[..last]) + count / 2.0 + (count + between) * weight / 2.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8], version: Version) -> Result<TombstoneHistogram, DecodeError> {
        TombstoneHistogram::read(&mut Reader::new(bytes, 0), version)
    }

    fn old(bins: &[(f64, u64)]) -> Vec<u8> {
        let mut bytes = [100_u32.to_be_bytes(), (bins.len() as u32).to_be_bytes()].concat();
        for (time, count) in bins {
            bytes.extend_from_slice(&time.to_be_bytes());
            bytes.extend_from_slice(&count.to_be_bytes());
        }
        bytes
    }

    #[test]
    fn bins_have_sixteen_bytes_or_twelve() {
        let bins = vec![(60.0, 2), (120.5, 3)];
        let bytes = old(&bins);
        let want = TombstoneHistogram { bin_count_max: 100, bins };
        assert_eq!(read(&bytes, Version::Nb), Ok(want.clone()));
        for cut in 0..bytes.len() {
            assert!(read(&bytes[..cut], Version::Nb).is_err(), "{cut}");
        }
        let new = [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 60, 0, 0, 0, 2];
        let read_new = read(&new, Version::Oa).expect("a histogram");
        assert_eq!((read_new.bin_count_max, read_new.bins), (1, vec![(60.0, 2)]));
        assert!(read(&old(&[(60.0, 2), (60.0, 3)]), Version::Me).is_err());
        assert!(read(&old(&[(f64::NAN, 2)]), Version::Me).is_err());
    }

    #[test]
    fn counts_change_evenly_between_bins() {
        let bins = read(&old(&[(100.0, 10), (200.0, 30), (300.0, 5)]), Version::Me).expect("bins");
        let check = |time, want: f64| assert_eq!(bins.count_until(time), want, "{time}");
        check(99, 0.0);
        check(100, 5.0);
        check(150, 5.0 + (10.0 + 20.0) * 0.5 / 2.0);
        check(200, 10.0 + 15.0);
        check(300, 45.0);
        check(1000, 45.0);
        assert_eq!(bins.count(), 45);
        let none = TombstoneHistogram { bin_count_max: 0, bins: Vec::new() };
        assert_eq!(none.count_until(5), 0.0);
    }
}
