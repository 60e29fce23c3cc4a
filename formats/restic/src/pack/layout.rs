//! Lengths in a pack: of entries, headers and whole packs, as they follow from the list of its
//! blobs.
//!
//! Bytes:   entry: | 1 kind | 4 length | 32 id |, or | 1 kind | 4 length | 4 raw length | 32 id |

use crate::blob::Place;
use crate::seal::ENVELOPE_LEN;

/// Length of an entry: kind, length, id.
pub(super) const PLAIN_ENTRY_LEN: usize = 1 + 4 + 32;
/// Length of an entry of a compressed blob, which has the plaintext's length too.
pub(super) const COMPRESSED_ENTRY_LEN: usize = 1 + 4 + 4 + 32;

/// The length of the header is in the last four bytes.
pub const PACK_END_LEN: usize = 4;

/// Maximum length of a sealed header. Readers refuse longer ones.
pub const HEADER_LEN_MAX: u32 = 16 << 20;

/// Number of blobs with which restic closes a pack at the latest.
pub const PACK_BLOB_COUNT_MAX: usize =
    (HEADER_LEN_MAX as usize - ENVELOPE_LEN) / COMPRESSED_ENTRY_LEN;

/// Length of a pack below which restic reads none: an entry, its envelope, the length.
pub const PACK_LEN_MIN: u64 = (PLAIN_ENTRY_LEN + ENVELOPE_LEN + PACK_END_LEN) as u64;

/// Number of entries that restic fetches with the length of a header.
const EAGER_COUNT: usize = 15;

/// Length of a blob's entry in the header.
pub fn entry_len(place: &Place) -> u32 {
    let len = if place.is_compressed() { COMPRESSED_ENTRY_LEN } else { PLAIN_ENTRY_LEN };
    len as u32
}

/// Length of the sealed header for these blobs, as the last four bytes have it.
pub fn sealed_header_len<'a>(places: impl IntoIterator<Item = &'a Place>) -> u64 {
    let entries: u64 = places.into_iter().map(|place| u64::from(entry_len(place))).sum();
    entries + ENVELOPE_LEN as u64
}

/// Length of the pack file that has these blobs and nothing else.
pub fn pack_len<'a>(places: impl IntoIterator<Item = &'a Place>) -> u64 {
    let of_blob = |place: &Place| u64::from(place.len) + u64::from(entry_len(place));
    let blobs: u64 = places.into_iter().map(of_blob).sum();
    blobs + (ENVELOPE_LEN + PACK_END_LEN) as u64
}

/// By how many bytes from the end of a pack its header is read first, where its length isn't known
/// from an index: the headers of up to 15 blobs, or the whole pack where it is shorter.
pub fn eager_len(pack_len: u64) -> u64 {
    pack_len.min((EAGER_COUNT * COMPRESSED_ENTRY_LEN + ENVELOPE_LEN + PACK_END_LEN) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_follow_from_the_blobs() {
        let plain = Place { offset: 0, len: 100, raw_len: 0 };
        let compressed = Place { offset: 100, len: 49, raw_len: 8 };
        assert_eq!((pack_len([]), sealed_header_len([])), (36, 32));
        assert_eq!((pack_len([&compressed]), sealed_header_len([&compressed])), (126, 73));
        assert_eq!(pack_len([&plain, &compressed]), 36 + 137 + 90);
        assert_eq!((PACK_LEN_MIN, PACK_BLOB_COUNT_MAX), (73, 409_199));
        assert_eq!((eager_len(1 << 24), eager_len(126)), (651, 126));
    }
}
