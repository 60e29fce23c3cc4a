//! Whether bytes are a frozen map: what, where, wanted, got.

use super::shape::{Shape, id_of};
use crate::bytes::DecodeError;
use crate::idmap::IdBytes;

/// The rows and the bucket starts.
pub(super) fn parts<'a>(
    bytes: &'a [u8],
    shape: &Shape,
    row_len: usize,
) -> Result<(&'a [u8], &'a [[u8; 4]]), DecodeError> {
    let (what, need, have) = ("entries and their buckets", shape.len(row_len), bytes.len() as u64);
    if have < need {
        return Err(DecodeError::Short { what, at: 0, need, have });
    }
    if have > need {
        let what = "length of entries and their buckets";
        return Err(DecodeError::Corrupt { what, at: 0, want: need, got: have });
    }
    let (rows, starts) = bytes.split_at(shape.rows_len(row_len) as usize);
    Ok((rows, starts.as_chunks::<4>().0))
}

/// Bucket starts rise from 0 to the number of entries. `at` is the offset of the first.
pub(super) fn starts(starts: &[[u8; 4]], shape: &Shape, at: u64) -> Result<(), DecodeError> {
    let start = |bucket: usize| u32::from_le_bytes(starts[bucket]);
    let corrupt = |bucket: usize, want: u32| {
        let (at, got) = (at + bucket as u64 * 4, start(bucket).into());
        Err(DecodeError::Corrupt { what: "bucket start", at, want: want.into(), got })
    };
    if start(0) != 0 {
        return corrupt(0, 0);
    }
    if let Some(bucket) = (1..starts.len()).find(|&bucket| start(bucket) < start(bucket - 1)) {
        return corrupt(bucket, start(bucket - 1));
    }
    let last = starts.len() - 1;
    if start(last) != shape.count { corrupt(last, shape.count) } else { Ok(()) }
}

/// Each entry lies in the bucket of its id, and no id is smaller than the one before it.
pub(super) fn rows(
    rows: &[u8],
    starts: &[[u8; 4]],
    shape: &Shape,
    row_len: usize,
) -> Result<(), DecodeError> {
    let mut before = &[0; 32];
    let buckets = starts.windows(2).map(|pair| [0, 1].map(|at| u32::from_le_bytes(pair[at])));
    for (bucket, [start, end]) in buckets.enumerate() {
        for number in start as usize..end as usize {
            let (at, id) = ((number * row_len) as u64, id_of(&rows[number * row_len..]));
            let belongs = shape.bucket_of(id);
            if belongs != bucket {
                let (what, want, got) = ("bucket of an id", belongs as u64, bucket as u64);
                return Err(DecodeError::Corrupt { what, at, want, got });
            }
            if id < before {
                let (want, got) = difference(before, id);
                return Err(DecodeError::Corrupt {
                    what: "eight bytes of an id in order",
                    at,
                    want,
                    got,
                });
            }
            before = id;
        }
    }
    Ok(())
}

/// The first eight bytes in which two ids differ.
fn difference(left: &IdBytes, right: &IdBytes) -> (u64, u64) {
    let [left, right] = [left, right].map(|id| id.as_chunks::<8>().0);
    let different = left.iter().zip(right).find(|(left, right)| left != right);
    different
        .map_or((0, 0), |(left, right)| (u64::from_be_bytes(*left), u64::from_be_bytes(*right)))
}
