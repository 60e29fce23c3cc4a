//! Makes the bytes of a frozen map: entries are dealt out to their buckets, then each bucket is
//! sorted.

use super::shape::{Shape, id_of};
use crate::idmap::{GrowError, IdBytes};

/// The bytes of a map of `count` entries, which may come in any order; entries of one id keep
/// theirs.
///
/// Goes through the entries twice. Memory: the bytes, another eight for each bucket, and a copy of
/// the largest bucket: 51 bytes an entry in all, for values of 16 bytes and ids that nobody has
/// ground.
///
/// # Errors
/// `count` is more than numbers of 32 bits name, or the system has no memory for the bytes.
///
/// # Panics
/// If there aren't `count` entries.
pub fn freeze<'a, const W: usize>(
    count: usize,
    entries: impl Iterator<Item = (&'a IdBytes, [u8; W])> + Clone,
) -> Result<Vec<u8>, GrowError> {
    let Ok(count) = u32::try_from(count) else {
        return Err(GrowError::Full { count_max: u32::MAX });
    };
    let (shape, row_len) = (Shape::of(count), size_of::<IdBytes>() + W);
    let starts = count_buckets(&shape, entries.clone().map(|(id, _)| id));
    assert_eq!(starts.last(), Some(&count), "the entries are as many as was said");
    let bytes_len = shape.len(row_len);
    let memory = |_| GrowError::Memory { bytes: bytes_len };
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(usize::try_from(bytes_len).unwrap_or(usize::MAX)).map_err(memory)?;
    bytes.resize(shape.rows_len(row_len) as usize, 0);
    deal(&shape, &starts, entries, &mut bytes);
    sort_buckets(&starts, row_len, &mut bytes);
    bytes.extend(starts.iter().flat_map(|start| start.to_le_bytes()));
    Ok(bytes)
}

/// The number of entries before each bucket, and that of all.
fn count_buckets<'a>(shape: &Shape, ids: impl Iterator<Item = &'a IdBytes>) -> Vec<u32> {
    let mut starts = vec![0; shape.bucket_count as usize + 1];
    ids.for_each(|id| starts[shape.bucket_of(id) + 1] += 1);
    let mut before = 0;
    for start in &mut starts {
        before += *start;
        *start = before;
    }
    starts
}

/// Writes each entry to the next place of its bucket.
fn deal<'a, const W: usize>(
    shape: &Shape,
    starts: &[u32],
    entries: impl Iterator<Item = (&'a IdBytes, [u8; W])>,
    rows: &mut [u8],
) {
    let mut next = starts.to_vec();
    let row_len = size_of::<IdBytes>() + W;
    entries.for_each(|(id, value)| {
        let next = &mut next[shape.bucket_of(id)];
        let at = *next as usize * row_len;
        *next += 1;
        let (id_at, value_at) = rows[at..at + row_len].split_at_mut(size_of::<IdBytes>());
        id_at.copy_from_slice(id);
        value_at.copy_from_slice(&value);
    });
}

/// Sorts the rows of each bucket by their ids, those of one id as they are.
fn sort_buckets(starts: &[u32], row_len: usize, rows: &mut [u8]) {
    let (mut numbers, mut sorted) = (Vec::new(), Vec::new());
    for pair in starts.windows(2) {
        let bucket = &mut rows[pair[0] as usize * row_len..pair[1] as usize * row_len];
        if bucket.chunks_exact(row_len).is_sorted_by_key(id_of) {
            continue;
        }
        let row = |number: u32| &bucket[number as usize * row_len..][..row_len];
        numbers.clear();
        numbers.extend(0..pair[1] - pair[0]);
        numbers.sort_by_key(|&number| id_of(row(number)));
        sorted.clear();
        numbers.iter().for_each(|&number| sorted.extend_from_slice(row(number)));
        bucket.copy_from_slice(&sorted);
    }
}
