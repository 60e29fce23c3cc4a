//! What follows from the number of entries: the number of buckets, and where an id belongs.

use crate::idmap::IdBytes;

/// Mean number of entries in a bucket.
const BUCKET_LEN: u32 = 5;

/// The sizes of a frozen map.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub(super) count: u32,
    pub(super) bucket_count: u32,
}

impl Shape {
    pub(super) fn of(count: u32) -> Shape {
        Shape { count, bucket_count: count / BUCKET_LEN + 1 }
    }

    /// The bucket of an id: ids in order have buckets in order.
    #[inline(always)]
    pub(super) fn bucket_of(&self, id: &IdBytes) -> usize {
        ((u128::from(leading(id)) * u128::from(self.bucket_count)) >> 64) as usize
    }

    /// Length of the rows, in bytes.
    pub(super) fn rows_len(&self, row_len: usize) -> u64 {
        u64::from(self.count) * row_len as u64
    }

    /// Length of everything, in bytes.
    pub(super) fn len(&self, row_len: usize) -> u64 {
        self.rows_len(row_len) + (u64::from(self.bucket_count) + 1) * 4
    }
}

/// The id at the front of a row.
#[inline(always)]
pub(super) fn id_of(row: &[u8]) -> &IdBytes {
    row.first_chunk().expect("a row has an id")
}

/// The first eight bytes of an id.
#[inline(always)]
pub(super) fn leading(id: &IdBytes) -> u64 {
    let (words, _) = id.as_chunks::<8>();
    u64::from_be_bytes(words[0])
}
