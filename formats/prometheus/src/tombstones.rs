//! Tombstones: which times of which series are deleted, until the block is compacted.
//!
//! Bytes:   | 4 magic | 1 version | (uvarint series ref, varint min_time, varint max_time)* | 4 CRC of the entries |,
//!          docs/formats/prometheus.md

use std::collections::BTreeMap;

use manicule_core::bytes::{DecodeError, Reader, put_uvarint, put_varint};

use crate::{SeriesRef, crc};

/// Magic number of a tombstones file.
pub const TOMBSTONES_MAGIC: [u8; 4] = [0x01, 0x30, 0xba, 0x30];
const VERSION: u8 = 1;

/// Times of a series, both ends included, in milliseconds since 1970.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Interval {
    /// The first.
    pub min_time: i64,
    /// The last.
    pub max_time: i64,
}

impl Interval {
    /// Whether a time lies in it.
    #[inline]
    pub fn contains(&self, time: i64) -> bool {
        (self.min_time..=self.max_time).contains(&time)
    }
}

/// The deleted times of a block's series: of each, increasing intervals that neither overlap nor
/// touch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tombstones {
    series: BTreeMap<SeriesRef, Vec<Interval>>,
}

/// An entry as it stands in the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TombstoneEntry {
    /// Its offset in the file.
    pub at: u64,
    /// Reference of the series as stored; a reference is never larger than 32 bits.
    pub series: u64,
    /// The deleted times. An end before the beginning deletes nothing.
    pub interval: Interval,
}

impl Tombstones {
    /// Reads a file. Entries may come in any order; what they delete together is kept.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut tombstones = Tombstones::default();
        Self::entries(bytes, &mut |entry| {
            if let Ok(series) = u32::try_from(entry.series) {
                tombstones.add(SeriesRef(series), entry.interval);
            }
        })?;
        Ok(tombstones)
    }

    /// Hands out the entries as they stand; the checksum holds then.
    pub fn entries(bytes: &[u8], each: &mut dyn FnMut(TombstoneEntry)) -> Result<(), DecodeError> {
        let mut reader = Reader::new(bytes, 0);
        let what = "tombstones magic";
        let (magic, want) = (reader.u32_be(what)?, u32::from_be_bytes(TOMBSTONES_MAGIC));
        if magic != want {
            return Err(DecodeError::Corrupt { what, at: 0, want: want.into(), got: magic.into() });
        }
        let (what, at) = ("tombstones version", reader.at());
        let version = reader.u8(what)?;
        if version != VERSION {
            let (want, got) = (VERSION.into(), version.into());
            return Err(DecodeError::Corrupt { what, at, want, got });
        }
        let at = reader.at();
        let Some(len) = reader.rest().len().checked_sub(size_of::<u32>()) else {
            let (need, have) = (size_of::<u32>() as u64, reader.rest().len() as u64);
            return Err(DecodeError::Short { what: "checksum of the tombstones", at, need, have });
        };
        let covered = reader.take("tombstones", len)?;
        crc::check("checksum of the tombstones", covered, &mut reader)?;
        let mut reader = Reader::new(covered, at);
        while !reader.rest().is_empty() {
            let at = reader.at();
            let series = reader.uvarint("series of a tombstone")?;
            let min_time = reader.varint("first time of a tombstone")?;
            let max_time = reader.varint("last time of a tombstone")?;
            each(TombstoneEntry { at, series, interval: Interval { min_time, max_time } });
        }
        Ok(())
    }

    /// The bytes of a file, series and times increasing.
    pub fn encode(&self) -> Vec<u8> {
        let mut entries = Vec::new();
        for (series, intervals) in &self.series {
            for interval in intervals {
                put_uvarint(series.0.into(), &mut entries);
                put_varint(interval.min_time, &mut entries);
                put_varint(interval.max_time, &mut entries);
            }
        }
        let mut bytes = TOMBSTONES_MAGIC.to_vec();
        bytes.push(VERSION);
        bytes.extend_from_slice(&entries);
        bytes.extend_from_slice(&crc::crc32c(&entries).to_be_bytes());
        bytes
    }

    /// Deletes more times of a series. An interval that ends before it begins deletes nothing.
    pub fn add(&mut self, series: SeriesRef, interval: Interval) {
        let Interval { mut min_time, mut max_time } = interval;
        if min_time > max_time {
            return;
        }
        let intervals = self.series.entry(series).or_default();
        // Those that overlap or touch become one.
        let first = intervals.partition_point(|other| other.max_time < min_time.saturating_sub(1));
        let end = intervals.partition_point(|other| other.min_time <= max_time.saturating_add(1));
        if let [low, ..] = intervals[first..end] {
            min_time = min_time.min(low.min_time);
            max_time = max_time.max(intervals[end - 1].max_time);
        }
        intervals.splice(first..end, [Interval { min_time, max_time }]);
    }

    /// The deleted times of a series, increasing.
    pub fn of(&self, series: SeriesRef) -> &[Interval] {
        self.series.get(&series).map_or(&[], Vec::as_slice)
    }

    /// The series that have any, increasing.
    pub fn series(&self) -> impl Iterator<Item = (SeriesRef, &[Interval])> {
        self.series.iter().map(|(series, intervals)| (*series, intervals.as_slice()))
    }

    /// Number of intervals.
    pub fn interval_count(&self) -> u64 {
        self.series.values().map(|intervals| intervals.len() as u64).sum()
    }

    /// Whether nothing is deleted.
    pub fn is_empty(&self) -> bool {
        self.series.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_file_is_nine_bytes() {
        let bytes = Tombstones::default().encode();
        assert_eq!(bytes.len(), 9);
        assert!(Tombstones::decode(&bytes).unwrap().is_empty());
        assert!(Tombstones::decode(&bytes[..8]).is_err());
    }

    #[test]
    fn intervals_that_overlap_or_touch_are_one() {
        // Against a plain set of the deleted times.
        let mut random = 7u64;
        let mut next = |below: i64| {
            random = manicule_core::bytes::mix(random, 1);
            (random % below as u64) as i64
        };
        for _ in 0..200 {
            let (mut tombstones, mut plain) = (Tombstones::default(), [false; 80]);
            for _ in 0..next(9) {
                let min_time = next(60);
                let max_time = min_time + next(12) - 1;
                tombstones.add(SeriesRef(3), Interval { min_time, max_time });
                (min_time..=max_time).for_each(|time| plain[time as usize] = true);
            }
            let again = Tombstones::decode(&tombstones.encode()).unwrap();
            let list = again.of(SeriesRef(3));
            for time in 0..80 {
                let is_deleted = list.iter().any(|interval| interval.contains(time));
                assert_eq!(is_deleted, plain[time as usize], "{time} of {list:?}");
            }
            assert!(list.windows(2).all(|pair| pair[0].max_time + 1 < pair[1].min_time));
        }
    }

    #[test]
    fn the_ends_of_time_are_intervals_too() {
        let mut tombstones = Tombstones::default();
        let all = Interval { min_time: i64::MIN, max_time: i64::MAX };
        for interval in [Interval { min_time: 5, max_time: 4 }, all, Interval { ..all }] {
            tombstones.add(SeriesRef(1), interval);
        }
        assert_eq!(tombstones.of(SeriesRef(1)), [all]);
        assert_eq!(Tombstones::decode(&tombstones.encode()).unwrap(), tombstones);
    }
}
