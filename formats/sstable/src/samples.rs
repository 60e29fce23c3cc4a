//! A Summary.db that is being made: every so many partitions a sample of Index.db.
//!
//! Bytes:   docs/formats/sstable.md, Summary.db

/// Number of partitions from one sample to the next, as tables have it by default:
/// `min_index_interval`.
pub const INDEX_INTERVAL: u32 = 128;

/// Sampling level of a summary that has all its samples.
const LEVEL_FULL: u32 = 128;

/// Greatest length in bytes of offsets and entries: offsets have 32 bits, and Java's are signed.
const BODY_LEN_MAX: u64 = i32::MAX as u64;

/// The samples so far.
///
/// Memory: key and twelve bytes of each sample.
#[derive(Clone, Debug)]
pub struct Samples {
    interval: u32,
    /// Number of partitions.
    count: u64,
    /// Offsets of the entries from the first one.
    offsets: Vec<u32>,
    /// Key and position of each.
    entries: Vec<u8>,
    first: Vec<u8>,
    last: Vec<u8>,
}

impl Samples {
    /// A sample of every `interval` partitions.
    ///
    /// # Panics
    /// If the interval is 0.
    pub fn new(interval: u32) -> Samples {
        assert!(interval > 0, "an interval of one partition at least");
        let (first, last) = (Vec::new(), Vec::new());
        Samples { interval, count: 0, offsets: Vec::new(), entries: Vec::new(), first, last }
    }

    /// Notes the next partition, whose entry is at an offset of Index.db. From 2 GiB on no sample
    /// is taken.
    pub fn add(&mut self, key: &[u8], position: u64) {
        if self.count == 0 {
            self.first = key.to_vec();
        }
        let len = (self.offsets.len() as u64 + 1) * 4 + (self.entries.len() + key.len() + 8) as u64;
        if self.count.is_multiple_of(self.interval.into()) && len <= BODY_LEN_MAX {
            self.offsets.push(self.entries.len() as u32);
            self.entries.extend_from_slice(key);
            self.entries.extend_from_slice(&position.to_le_bytes());
        }
        self.last.clear();
        self.last.extend_from_slice(key);
        self.count += 1;
    }

    /// Appends the file.
    pub fn put(&self, out: &mut Vec<u8>) {
        let offsets_len = self.offsets.len() as u32 * 4;
        let count = (self.offsets.len() as u32).to_be_bytes();
        out.extend_from_slice(&self.interval.to_be_bytes());
        out.extend_from_slice(&count);
        out.extend_from_slice(&(u64::from(offsets_len) + self.entries.len() as u64).to_be_bytes());
        out.extend_from_slice(&LEVEL_FULL.to_be_bytes());
        out.extend_from_slice(&count);
        for offset in &self.offsets {
            out.extend_from_slice(&(offsets_len + offset).to_le_bytes());
        }
        out.extend_from_slice(&self.entries);
        for key in [&self.first, &self.last] {
            out.extend_from_slice(&(key.len() as u32).to_be_bytes());
            out.extend_from_slice(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Sample, Summary};

    #[test]
    fn every_so_many_partitions_there_is_a_sample() {
        for (count, want) in [(1_u64, vec![0]), (3, vec![0]), (4, vec![0, 3]), (7, vec![0, 3, 6])] {
            let mut samples = Samples::new(3);
            let key = |number: u64| vec![b'k'; number as usize];
            (0..count).for_each(|number| samples.add(&key(number), number * 100));
            let mut file = Vec::new();
            samples.put(&mut file);
            let summary = Summary::open(&file).expect("a summary");
            assert_eq!((summary.first_key, summary.last_key), (&key(0)[..], &key(count - 1)[..]));
            assert_eq!((summary.head.min_index_interval, summary.head.sampling_level), (3, 128));
            assert_eq!((summary.count(), summary.head.full_count), (want.len(), want.len() as u32));
            for (index, number) in want.into_iter().enumerate() {
                let key = key(number);
                let sample = Sample { key: &key, position: number * 100 };
                assert_eq!(summary.sample(index), Ok(sample));
            }
        }
    }
}
