//! Summary.db: samples of Index.db.
//!
//! Bytes:   | i32 interval | i32 count | i64 length | i32 level | i32 full count | count x u32 offset, little-endian |
//!          (key, u64 position, little-endian)* | i32 length, first key | i32 length, last key |, docs/formats/sstable.md,
//!          Summary.db

use std::ops::Range;

use manicule_core::bytes::{DecodeError, Reader};

/// The beginning of a summary: where its samples are in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SummaryHead {
    /// Every how many partitions a sample was taken, as the writer says. ScyllaDB samples by bytes.
    pub min_index_interval: u32,
    /// How many of 128 samples have been kept.
    pub sampling_level: u32,
    /// Number of samples at the full level.
    pub full_count: u32,
    count: usize,
    /// Length of the samples and their offsets, which count from the end of the header.
    body_len: u64,
}

impl SummaryHead {
    /// Its length in bytes.
    pub const LEN: usize = 24;

    /// Reads the beginning of a file of `file_len` bytes.
    pub fn read(bytes: &[u8], file_len: u64) -> Result<Self, DecodeError> {
        let mut reader = Reader::new(bytes, 0);
        let min_index_interval = reader.u32_be("index interval")?;
        let (what, at) = ("number of samples", reader.at());
        let count = reader.u32_be(what)?;
        let body_len = reader.u64_be("length of the samples")?;
        let sampling_level = reader.u32_be("sampling level")?;
        let full_count = reader.u32_be("number of samples at the full level")?;
        let have = file_len.saturating_sub(Self::LEN as u64);
        if body_len > have {
            let (what, at) = ("samples", Self::LEN as u64);
            return Err(DecodeError::Short { what, at, need: body_len, have });
        }
        if u64::from(count) * 4 > body_len {
            let (want, got) = (body_len / 4, count.into());
            return Err(DecodeError::Corrupt { what, at, want, got });
        }
        let count = count as usize;
        Ok(SummaryHead { min_index_interval, sampling_level, full_count, count, body_len })
    }

    /// Number of samples.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Where the offset of a sample is in the file, and that of the next one, if there is one.
    pub fn offsets_at(&self, index: usize) -> Range<u64> {
        let at = |index: usize| Self::LEN as u64 + index as u64 * 4;
        at(index)..at((index + 2).min(self.count))
    }

    /// Where the sample is of which these are the offsets.
    pub fn sample_at(&self, index: usize, offsets: &[u8]) -> Result<Range<u64>, DecodeError> {
        let mut offsets = offsets.as_chunks().0.iter().map(|it| u64::from(u32::from_le_bytes(*it)));
        let start = offsets.next().unwrap_or_default();
        let end = offsets.next().unwrap_or(self.body_len);
        if start < self.count as u64 * 4 || end > self.body_len || start.saturating_add(8) > end {
            let (what, at) = ("offset of a sample", self.offsets_at(index).start);
            let (want, got) = (end.saturating_sub(8), start);
            return Err(DecodeError::Corrupt { what, at, want, got });
        }
        let at = |offset: u64| Self::LEN as u64 + offset;
        Ok(at(start)..at(end))
    }

    /// Where the first and the last key are, in a file of `file_len` bytes.
    pub fn keys_at(&self, file_len: u64) -> Range<u64> {
        Self::LEN as u64 + self.body_len..file_len
    }

    /// The first and the last key, of the bytes that have them.
    pub fn keys<'a>(&self, bytes: &'a [u8]) -> Result<[&'a [u8]; 2], DecodeError> {
        let mut reader = Reader::new(bytes, Self::LEN as u64 + self.body_len);
        let first = long_bytes(&mut reader, "first key")?;
        Ok([first, long_bytes(&mut reader, "last key")?])
    }

    /// Number of the last sample that isn't after a place, of which `is_after` says whether it is.
    /// `None` if all are. Cost: one call for each halving.
    pub fn last_before<E>(
        &self,
        mut is_after: impl FnMut(usize) -> Result<bool, E>,
    ) -> Result<Option<usize>, E> {
        let (mut low, mut high) = (0, self.count);
        while low < high {
            let middle = low + (high - low) / 2;
            if is_after(middle)? { high = middle } else { low = middle + 1 }
        }
        Ok(low.checked_sub(1))
    }
}

/// A summary that lies in memory.
#[derive(Clone, Copy, Debug)]
pub struct Summary<'a> {
    /// What it begins with.
    pub head: SummaryHead,
    /// Key of the first partition.
    pub first_key: &'a [u8],
    /// Key of the last partition.
    pub last_key: &'a [u8],
    bytes: &'a [u8],
}

/// A sample: a key, and where it is in Index.db.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample<'a> {
    /// Partition key.
    pub key: &'a [u8],
    /// Offset of its entry in Index.db.
    pub position: u64,
}

impl<'a> Sample<'a> {
    /// Reads the sample that is at a place of the file.
    pub fn read(bytes: &'a [u8], at: u64) -> Result<Self, DecodeError> {
        let Some((key, position)) = bytes.split_last_chunk::<8>() else {
            let (what, have) = ("sample", bytes.len() as u64);
            return Err(DecodeError::Short { what, at, need: 8, have });
        };
        Ok(Sample { key, position: u64::from_le_bytes(*position) })
    }
}

impl<'a> Summary<'a> {
    /// Reads a file's header and keys. Samples are read where they are asked for.
    pub fn open(bytes: &'a [u8]) -> Result<Summary<'a>, DecodeError> {
        let head = SummaryHead::read(bytes, bytes.len() as u64)?;
        let keys_at = head.keys_at(bytes.len() as u64).start as usize;
        let [first_key, last_key] = head.keys(&bytes[keys_at..])?;
        Ok(Summary { head, first_key, last_key, bytes })
    }

    /// Length in bytes of the samples and their offsets.
    pub fn samples_len(&self) -> u64 {
        self.head.body_len
    }

    /// Number of samples.
    pub fn count(&self) -> usize {
        self.head.count
    }

    /// The sample of a number below [`Summary::count`].
    ///
    /// # Panics
    /// If there is none of this number.
    pub fn sample(&self, index: usize) -> Result<Sample<'a>, DecodeError> {
        assert!(index < self.count(), "sample {index} of {}", self.count());
        let bytes = |at: &Range<u64>| &self.bytes[at.start as usize..at.end as usize];
        let at = self.head.sample_at(index, bytes(&self.head.offsets_at(index)))?;
        Sample::read(bytes(&at), at.start)
    }

    /// Number of the last sample that isn't after a place, of which `is_after` says whether a key
    /// is after it. `None` if all are. Cost: one call for each halving.
    pub fn last_before(
        &self,
        mut is_after: impl FnMut(&[u8]) -> bool,
    ) -> Result<Option<usize>, DecodeError> {
        self.head.last_before(|index| Ok(is_after(self.sample(index)?.key)))
    }
}

fn long_bytes<'a>(reader: &mut Reader<'a>, what: &'static str) -> Result<&'a [u8], DecodeError> {
    let len = reader.u32_be(what)?;
    reader.take(what, len as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(samples: &[(&[u8], u64)]) -> Vec<u8> {
        let mut body = Vec::new();
        let mut at = samples.len() as u32 * 4;
        for (key, _) in samples {
            body.extend_from_slice(&at.to_le_bytes());
            at += key.len() as u32 + 8;
        }
        for (key, position) in samples {
            body.extend_from_slice(key);
            body.extend_from_slice(&position.to_le_bytes());
        }
        let count = samples.len() as u32;
        let mut bytes = [128_u32.to_be_bytes(), count.to_be_bytes()].concat();
        bytes.extend_from_slice(&(body.len() as u64).to_be_bytes());
        bytes.extend_from_slice(&[128_u32.to_be_bytes(), count.to_be_bytes()].concat());
        bytes.extend_from_slice(&body);
        bytes.extend_from_slice(b"\0\0\0\x01a\0\0\0\x02zz");
        bytes
    }

    #[test]
    fn samples_are_read_and_searched() {
        let bytes = file(&[(b"a", 0), (b"cc", 70), (b"", 900), (b"x", 1 << 40)]);
        let summary = Summary::open(&bytes).expect("a summary");
        assert_eq!((summary.first_key, summary.last_key), (&b"a"[..], &b"zz"[..]));
        assert_eq!(summary.sample(1), Ok(Sample { key: b"cc", position: 70 }));
        assert_eq!(summary.sample(2), Ok(Sample { key: b"", position: 900 }));
        assert_eq!(summary.sample(3), Ok(Sample { key: b"x", position: 1 << 40 }));
        let bytes = file(&[(b"b", 0), (b"d", 1), (b"f", 2)]);
        let summary = Summary::open(&bytes).expect("a summary");
        let find = |wanted: &str| summary.last_before(|key| key > wanted.as_bytes());
        for (wanted, want) in
            [("a", None), ("b", Some(0)), ("c", Some(0)), ("f", Some(2)), ("z", Some(2))]
        {
            assert_eq!(find(wanted), Ok(want), "{wanted}");
        }
        let empty = file(&[]);
        let empty = Summary::open(&empty).expect("a summary");
        assert_eq!(empty.last_before(|_| unreachable!()), Ok(None));
    }

    #[test]
    fn offsets_that_lead_elsewhere_are_refused_with_their_place() {
        let mut bytes = file(&[(b"a", 0), (b"cc", 70)]);
        for cut in 0..bytes.len() {
            assert!(Summary::open(&bytes[..cut]).is_err(), "{cut}");
        }
        bytes[28] = 12;
        let what = "offset of a sample";
        let summary = Summary::open(&bytes).expect("a summary");
        let want = DecodeError::Corrupt { what, at: 24, want: 4, got: 8 };
        assert_eq!(summary.sample(0), Err(want));
        bytes[28] = 200;
        let summary = Summary::open(&bytes).expect("a summary");
        assert!(summary.sample(0).is_err() && summary.sample(1).is_err());
        bytes[24] = 0;
        assert!(Summary::open(&bytes).expect("a summary").sample(0).is_err());
    }
}
