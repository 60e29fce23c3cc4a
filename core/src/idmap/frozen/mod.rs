//! A map from ids to values that doesn't change: entries in the order of their ids, read where they lie.
//!
//! | count x (32 id, W value) | (bucket_count + 1) x 4 bucket_start |
//!
//! Ids fall into buckets by their first eight bytes, as a fraction of 2^64, times the number of buckets, which follows from
//! the number of entries ([`shape`]). A bucket's start is the number of entries before it, little-endian. Values are the
//! caller's bytes. Nothing else is stored: the caller's envelope keeps the number of entries, and a sum over the bytes.
//!
//! Callers: engines/blobs

mod build;
mod check;
mod shape;

use std::ops::Range;

pub use build::freeze;

use super::lookup::GROUP_LEN;
use super::prefetch::prefetch;
use super::{IdBytes, Lookup};
use crate::bytes::DecodeError;
use shape::{Shape, id_of, leading};

/// How much of the bytes is checked when a map is opened. No bytes make a map panic, or give an id another one's value;
/// but a map whose entries aren't in order misses some of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verify {
    /// The length, and that bucket starts rise: 1 ms for 5 million entries. For bytes that a sum or a seal vouches for.
    Directory,
    /// That each entry is in its order and its bucket as well: reads everything.
    Everything,
}

/// A map over bytes that [`freeze`] made: 32 + `W` bytes an entry, and 0.8 for the starts of buckets.
#[derive(Clone, Copy, Debug)]
pub struct Frozen<'a, const W: usize> {
    shape: Shape,
    rows: &'a [u8],
    starts: &'a [[u8; 4]],
}

/// From this number of entries in a bucket on, they are bisected: ids may have been ground to crowd one.
const BISECT_FROM: usize = 16;

impl<'a, const W: usize> Frozen<'a, W> {
    const ROW_LEN: usize = size_of::<IdBytes>() + W;

    /// A map of `count` entries over `bytes`, which must be all that [`freeze`] made of them. Offsets in errors count
    /// from the start of `bytes`.
    pub fn open(bytes: &'a [u8], count: u32, verify: Verify) -> Result<Self, DecodeError> {
        let shape = Shape::of(count);
        let (rows, starts) = check::parts(bytes, &shape, Self::ROW_LEN)?;
        check::starts(starts, &shape, rows.len() as u64)?;
        if verify == Verify::Everything {
            check::rows(rows, starts, &shape, Self::ROW_LEN)?;
        }
        Ok(Frozen { shape, rows, starts })
    }

    /// The numbers of the entries in a bucket. They were checked when the map was opened; clamped, they are within it even
    /// if somebody has changed a mapped file since.
    #[inline(always)]
    fn bucket(&self, id: &IdBytes) -> Range<usize> {
        let bucket = self.shape.bucket_of(id);
        let [start, end] = [bucket, bucket + 1].map(|at| {
            let start = self.starts.get(at).map_or(0, |start| u32::from_le_bytes(*start));
            start.min(self.shape.count) as usize
        });
        start.min(end)..end
    }

    #[inline(always)]
    fn rows(&self, numbers: Range<usize>) -> &'a [u8] {
        &self.rows[numbers.start * Self::ROW_LEN..numbers.end * Self::ROW_LEN]
    }

    /// The number of entries of a bucket whose ids `is_before` takes: they are its first.
    fn bisect(&self, bucket: Range<usize>, is_before: impl Fn(&IdBytes) -> bool) -> usize {
        let rows = self.rows(bucket);
        let (mut low, mut high) = (0, rows.len() / Self::ROW_LEN);
        while low < high {
            let middle = low + (high - low) / 2;
            if is_before(id_of(&rows[middle * Self::ROW_LEN..])) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    #[inline(always)]
    fn find_in(&self, bucket: Range<usize>, id: &IdBytes) -> Option<u32> {
        let start = bucket.start;
        if bucket.len() >= BISECT_FROM {
            return self.find_crowded(bucket, id);
        }
        let wanted = leading(id);
        for (number, row) in (start as u32..).zip(self.rows(bucket).chunks_exact(Self::ROW_LEN)) {
            let got = leading(id_of(row));
            if got >= wanted {
                if id_of(row) == id {
                    return Some(number);
                }
                if got > wanted {
                    break;
                }
            }
        }
        None
    }

    #[cold]
    fn find_crowded(&self, bucket: Range<usize>, id: &IdBytes) -> Option<u32> {
        let number = bucket.start + self.bisect(bucket.clone(), |other| other < id);
        (number < bucket.end && id_of(self.rows(number..number + 1)) == id).then_some(number as u32)
    }

    /// The numbers of all entries of an id.
    pub fn numbers(&self, id: &IdBytes) -> Range<u32> {
        let Some(first) = self.find(id) else { return 0..0 };
        let rest = self.rows(first as usize..self.bucket(id).end);
        let equal = rest.chunks_exact(Self::ROW_LEN).take_while(|row| id_of(row) == id);
        first..first + equal.count() as u32
    }

    /// The numbers of the entries whose ids begin with the first `bit_count` bits of `prefix`; all if there are 0 bits.
    pub fn prefixed(&self, prefix: &IdBytes, bit_count: u32) -> Range<u32> {
        let (mut low, mut high) = (*prefix, *prefix);
        for bit in bit_count.min(256)..256 {
            let (byte, mask) = ((bit / 8) as usize, 0x80 >> (bit % 8));
            low[byte] &= !mask;
            high[byte] |= mask;
        }
        let [first, last] = [self.bucket(&low), self.bucket(&high)];
        let start = first.start + self.bisect(first, |other| *other < low);
        let end = last.start + self.bisect(last, |other| *other <= high);
        start.min(end) as u32..end as u32
    }

    /// The numbers of the entries of each id that has several.
    pub fn repeated(&self) -> impl Iterator<Item = Range<u32>> + use<'a, W> {
        let ids = self.rows.chunks_exact(Self::ROW_LEN).map(id_of);
        let pairs = ids.clone().zip(ids.skip(1)).zip(0u32..);
        let mut equal =
            pairs.filter(|((left, right), _)| left == right).map(|(_, at)| at).peekable();
        std::iter::from_fn(move || {
            let first = equal.next()?;
            let mut last = first + 1;
            while equal.next_if_eq(&last).is_some() {
                last += 1;
            }
            Some(first..last + 1)
        })
    }
}

#[inline(always)]
fn row<const W: usize>(row: &[u8]) -> (&IdBytes, [u8; W]) {
    let value = row[size_of::<IdBytes>()..].first_chunk().expect("a row has a value");
    (id_of(row), *value)
}

impl<const W: usize> Lookup for Frozen<'_, W> {
    type Value = [u8; W];

    fn len(&self) -> u32 {
        self.shape.count
    }

    #[inline]
    fn entry(&self, number: u32) -> (&IdBytes, [u8; W]) {
        row(self.rows(number as usize..number as usize + 1))
    }

    #[inline]
    fn find(&self, id: &IdBytes) -> Option<u32> {
        self.find_in(self.bucket(id), id)
    }

    #[inline]
    fn find_all(&self, id: &IdBytes) -> impl Iterator<Item = u32> {
        self.numbers(id)
    }

    fn find_each(&self, ids: &[IdBytes], mut visit: impl FnMut(usize, Option<u32>)) {
        let mut buckets = [const { 0..0 }; GROUP_LEN];
        for (group_at, group) in ids.chunks(GROUP_LEN).enumerate() {
            for id in group {
                if let Some(start) = self.starts.get(self.shape.bucket_of(id)) {
                    prefetch(start);
                }
            }
            for (bucket, id) in buckets.iter_mut().zip(group) {
                *bucket = self.bucket(id);
                if bucket.len() < BISECT_FROM {
                    self.rows(bucket.clone()).chunks(64).for_each(|line| prefetch(&line[0]));
                }
            }
            for (at, (bucket, id)) in buckets.iter().zip(group).enumerate() {
                visit(group_at * GROUP_LEN + at, self.find_in(bucket.clone(), id));
            }
        }
    }

    #[inline]
    fn iter(&self) -> impl ExactSizeIterator<Item = (&IdBytes, [u8; W])> + Clone {
        self.rows.chunks_exact(Self::ROW_LEN).map(row)
    }
}
