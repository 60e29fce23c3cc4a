//! Where the bytes of a frozen map lie: in one slice, or in pieces that somebody brings when they
//! are asked for.

use std::ops::Range;

use crate::idmap::prefetch::prefetch;

/// The bytes of a frozen map: its rows, and the starts of its buckets.
pub trait FrozenBytes {
    /// Rows with these numbers, which are below the map's count: the first of them, and as many
    /// after it as lie with it; none only if there are no numbers. Whole rows.
    fn rows(&self, numbers: Range<usize>) -> &[u8];

    /// The number of entries before a bucket; that of all for the bucket after the last.
    fn start(&self, bucket: usize) -> u32;

    /// Says that a bucket's start is needed soon.
    #[inline]
    fn prefetch_start(&self, _bucket: usize) {}

    /// Says that rows are needed soon.
    #[inline]
    fn prefetch_rows(&self, _numbers: Range<usize>) {}
}

/// Bytes in one slice.
#[derive(Clone, Copy, Debug)]
pub struct InPlace<'a> {
    pub(super) rows: &'a [u8],
    pub(super) starts: &'a [[u8; 4]],
    pub(super) row_len: usize,
}

impl FrozenBytes for InPlace<'_> {
    #[inline(always)]
    fn rows(&self, numbers: Range<usize>) -> &[u8] {
        &self.rows[numbers.start * self.row_len..numbers.end * self.row_len]
    }

    #[inline(always)]
    fn start(&self, bucket: usize) -> u32 {
        self.starts.get(bucket).map_or(0, |start| u32::from_le_bytes(*start))
    }

    #[inline(always)]
    fn prefetch_start(&self, bucket: usize) {
        if let Some(start) = self.starts.get(bucket) {
            prefetch(start);
        }
    }

    #[inline(always)]
    fn prefetch_rows(&self, numbers: Range<usize>) {
        self.rows(numbers).chunks(64).for_each(|line| prefetch(&line[0]));
    }
}
