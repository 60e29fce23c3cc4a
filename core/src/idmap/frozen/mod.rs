//! A map from ids to values that doesn't change: entries in the order of their ids, read where they
//! lie.
//!
//! | count x (32 id, W value) | (bucket_count + 1) x 4 bucket_start |
//!
//! Ids fall into buckets by their first eight bytes, as a fraction of 2^64, times the number of
//! buckets, which follows from the number of entries ([`shape`]). A bucket's start is the number of
//! entries before it, little-endian. Values are the caller's bytes. Nothing else is stored: the
//! caller's envelope keeps the number of entries, and a sum over the bytes.

mod build;
mod check;
mod place;
mod shape;

use std::ops::Range;
use std::slice;

pub use build::freeze;
pub use place::{FrozenBytes, InPlace};

use super::lookup::GROUP_LEN;
use super::{IdBytes, Lookup};
use crate::bytes::DecodeError;
use shape::{Shape, id_of, leading};

/// How much of the bytes is checked when a map is opened. No bytes make a map panic, or give an id
/// another one's value; but a map whose entries aren't in order misses some of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verify {
    /// The length, and that bucket starts rise: 1 ms for 5 million entries. For bytes that a sum or
    /// a seal vouches for.
    Directory,
    /// That each entry is in its order and its bucket as well: reads everything.
    Everything,
}

/// A map over bytes that [`freeze`] made, wherever they lie: 32 + `W` bytes an entry, and 0.8 for
/// the starts of buckets.
#[derive(Clone, Copy, Debug)]
pub struct Frozen<B, const W: usize> {
    shape: Shape,
    bytes: B,
}

/// From this number of entries in a bucket on, they are bisected: ids may have been ground to crowd
/// one.
const BISECT_FROM: usize = 16;

impl<'a, const W: usize> Frozen<InPlace<'a>, W> {
    /// A map of `count` entries over `bytes`, which must be all that [`freeze`] made of them.
    /// Offsets in errors count from the start of `bytes`.
    pub fn open(bytes: &'a [u8], count: u32, verify: Verify) -> Result<Self, DecodeError> {
        let (shape, row_len) = (Shape::of(count), size_of::<IdBytes>() + W);
        let (rows, starts) = check::parts(bytes, &shape, row_len)?;
        check::starts(starts, &shape, rows.len() as u64)?;
        if verify == Verify::Everything {
            check::rows(rows, starts, &shape, row_len)?;
        }
        Ok(Frozen { shape, bytes: InPlace { rows, starts, row_len } })
    }
}

impl<B: FrozenBytes, const W: usize> Frozen<B, W> {
    const ROW_LEN: usize = size_of::<IdBytes>() + W;

    /// A map of `count` entries over bytes that lie in pieces, as [`freeze`] made them. Nothing is
    /// checked.
    pub fn over(bytes: B, count: u32) -> Self {
        Frozen { shape: Shape::of(count), bytes }
    }

    /// Lengths of the rows and of the bucket starts after them, in bytes, for a map of `count`
    /// entries.
    pub fn lens(count: u32) -> [u64; 2] {
        let shape = Shape::of(count);
        let rows_len = shape.rows_len(Self::ROW_LEN);
        [rows_len, shape.len(Self::ROW_LEN) - rows_len]
    }

    /// Where the bytes lie.
    pub fn bytes(&self) -> &B {
        &self.bytes
    }

    /// The numbers of the entries in a bucket. Clamped, they are within it whatever the bytes say.
    #[inline(always)]
    fn bucket(&self, id: &IdBytes) -> Range<usize> {
        let bucket = self.shape.bucket_of(id);
        let [start, end] =
            [bucket, bucket + 1].map(|at| self.bytes.start(at).min(self.shape.count) as usize);
        start.min(end)..end
    }

    #[inline(always)]
    fn row(&self, number: usize) -> &[u8] {
        &self.bytes.rows(number..number + 1)[..Self::ROW_LEN]
    }

    fn rows(&self, numbers: Range<usize>) -> Rows<'_, B> {
        Rows { bytes: &self.bytes, row_len: Self::ROW_LEN, piece: [].chunks_exact(1), numbers }
    }

    /// The number of entries of a bucket whose ids `is_before` takes: they are its first.
    fn bisect(&self, bucket: Range<usize>, is_before: impl Fn(&IdBytes) -> bool) -> usize {
        let (mut low, mut high) = (0, bucket.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if is_before(id_of(self.row(bucket.start + middle))) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    #[inline(always)]
    fn find_in(&self, bucket: Range<usize>, id: &IdBytes) -> Option<u32> {
        if bucket.len() >= BISECT_FROM {
            return self.find_crowded(bucket, id);
        }
        let (wanted, mut left) = (leading(id), bucket);
        while !left.is_empty() {
            let piece = self.bytes.rows(left.clone());
            for (number, row) in (left.start as u32..).zip(piece.chunks_exact(Self::ROW_LEN)) {
                let got = leading(id_of(row));
                if got >= wanted {
                    if id_of(row) == id {
                        return Some(number);
                    }
                    if got > wanted {
                        return None;
                    }
                }
            }
            left.start += piece.len() / Self::ROW_LEN;
        }
        None
    }

    #[cold]
    fn find_crowded(&self, bucket: Range<usize>, id: &IdBytes) -> Option<u32> {
        let number = bucket.start + self.bisect(bucket.clone(), |other| other < id);
        (number < bucket.end && id_of(self.row(number)) == id).then_some(number as u32)
    }

    /// The numbers of all entries of an id.
    pub fn numbers(&self, id: &IdBytes) -> Range<u32> {
        let Some(first) = self.find(id) else { return 0..0 };
        let rest = self.rows(first as usize..self.bucket(id).end);
        first..first + rest.take_while(|row| id_of(row) == id).count() as u32
    }

    /// The numbers of the entries whose ids begin with the first `bit_count` bits of `prefix`; all
    /// if there are 0 bits.
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
    pub fn repeated(&self) -> impl Iterator<Item = Range<u32>> {
        let ids = self.rows(0..self.shape.count as usize).map(id_of);
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

/// Rows, piece after piece.
#[derive(Debug)]
struct Rows<'m, B> {
    bytes: &'m B,
    row_len: usize,
    piece: slice::ChunksExact<'m, u8>,
    /// Numbers of the rows after the piece.
    numbers: Range<usize>,
}

impl<B> Clone for Rows<'_, B> {
    fn clone(&self) -> Self {
        let Rows { bytes, row_len, piece, numbers } = self;
        Rows { bytes, row_len: *row_len, piece: piece.clone(), numbers: numbers.clone() }
    }
}

impl<'m, B: FrozenBytes> Iterator for Rows<'m, B> {
    type Item = &'m [u8];

    #[inline]
    fn next(&mut self) -> Option<&'m [u8]> {
        loop {
            if let Some(row) = self.piece.next() {
                return Some(row);
            }
            if self.numbers.is_empty() {
                return None;
            }
            self.piece = self.bytes.rows(self.numbers.clone()).chunks_exact(self.row_len);
            self.numbers.start += self.piece.len();
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.piece.len() + self.numbers.len();
        (left, Some(left))
    }
}

impl<B: FrozenBytes> ExactSizeIterator for Rows<'_, B> {}

#[inline(always)]
fn row<const W: usize>(row: &[u8]) -> (&IdBytes, [u8; W]) {
    let value = row[size_of::<IdBytes>()..].first_chunk().expect("a row has a value");
    (id_of(row), *value)
}

impl<B: FrozenBytes, const W: usize> Lookup for Frozen<B, W> {
    type Value = [u8; W];

    fn len(&self) -> u32 {
        self.shape.count
    }

    #[inline]
    fn entry(&self, number: u32) -> (&IdBytes, [u8; W]) {
        row(self.row(number as usize))
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
            group.iter().for_each(|id| self.bytes.prefetch_start(self.shape.bucket_of(id)));
            for (bucket, id) in buckets.iter_mut().zip(group) {
                *bucket = self.bucket(id);
                if bucket.len() < BISECT_FROM {
                    self.bytes.prefetch_rows(bucket.clone());
                }
            }
            for (at, (bucket, id)) in buckets.iter().zip(group).enumerate() {
                visit(group_at * GROUP_LEN + at, self.find_in(bucket.clone(), id));
            }
        }
    }

    #[inline]
    fn iter(&self) -> impl ExactSizeIterator<Item = (&IdBytes, [u8; W])> + Clone {
        self.rows(0..self.shape.count as usize).map(row)
    }
}
