//! Payloads of the two tries: where a partition is, and where a block of rows begins.
//!
//! Bytes:   partition | [hash] | 1 to 8 position, signed |; row | 1 to 7 offset | [8 marked at, 4 local time] |;
//!          docs/formats/sstable.md, "Tries"

use manicule_core::bytes::{DecodeError, Reader};

use super::node::Payload;
use crate::deletion::{Deletion, signed_local_time, unsigned_local_time};
use crate::version::Version;

/// Bit of a partition's payload: a byte of the key's hash comes first.
const HAS_HASH: u8 = 8;

/// Bit of a row's payload: the deletion that is open before the block follows.
const HAS_DELETION: u8 = 8;

/// Where a partition is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PartitionPlace {
    /// At this offset of uncompressed Data.db: a partition of one block.
    Data(u64),
    /// It has an entry at this offset of Rows.db, which says where it is and leads to its blocks.
    Rows(u64),
}

/// What a leaf of Partitions.db says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PartitionPayload {
    /// The low byte of the second half of the key's hash, by which most keys that aren't there are
    /// known.
    pub hash: Option<u8>,
    /// Where the partition is.
    pub place: PartitionPlace,
}

impl PartitionPayload {
    /// Reads the payload of a node of Partitions.db.
    pub fn read(payload: Payload<'_>) -> Result<PartitionPayload, DecodeError> {
        let (bits, mut r) = (payload.bits, payload.bytes);
        let hash = match bits & HAS_HASH {
            0 => None,
            _ => Some(r.u8("hash of a partition's key")?),
        };
        // With the bit for the hash the lengths are 1 to 8, without it 1 to 7.
        let len = usize::from(bits & 7) + usize::from(hash.is_some());
        let position = signed(&mut r, "position of a partition", len)?;
        let place = match position {
            0.. => PartitionPlace::Rows(position as u64),
            _ => PartitionPlace::Data(!position as u64),
        };
        Ok(PartitionPayload { hash, place })
    }
}

/// What an entry of a partition's trie in Rows.db says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RowPayload {
    /// Distance of the block's first unfiltered from the partition's first byte; of the last entry
    /// that of the partition's end.
    pub offset: u64,
    /// The range deletion that is open **before** the block. (Index.db has the one that is open
    /// after it.)
    pub open: Option<Deletion>,
}

impl RowPayload {
    /// Reads the payload of a node of Rows.db.
    pub fn read(payload: Payload<'_>, version: Version) -> Result<RowPayload, DecodeError> {
        let (bits, mut r) = (payload.bits, payload.bytes);
        let (what, at) = ("offset of a block", r.at());
        let offset = signed(&mut r, what, usize::from(bits & 7))?;
        let Ok(offset) = u64::try_from(offset) else {
            return Err(DecodeError::Corrupt { what, at, want: 0, got: offset as u64 });
        };
        let open = match bits & HAS_DELETION {
            0 => None,
            _ => Some(open_deletion(&mut r, version)?),
        };
        Ok(RowPayload { offset, open })
    }
}

/// Twelve bytes in any case: what isn't deleted is not written here.
fn open_deletion(r: &mut Reader<'_>, version: Version) -> Result<Deletion, DecodeError> {
    let marked_at = r.u64_be("time of a deletion")? as i64;
    let local_time = r.u32_be("local time of a deletion")?;
    let local_time = if version.has_unsigned_times() {
        unsigned_local_time(local_time)
    } else {
        signed_local_time(local_time)
    };
    Ok(Deletion { marked_at, local_time })
}

/// A big-endian number of `len` bytes, the first bit of which is the sign.
fn signed(r: &mut Reader<'_>, what: &'static str, len: usize) -> Result<i64, DecodeError> {
    let at = r.at();
    let bytes = r.take(what, len)?;
    let Some(first) = bytes.first() else {
        return Err(DecodeError::Corrupt { what, at, want: 1, got: 0 });
    };
    let sign = i64::from(*first as i8);
    Ok(bytes[1..].iter().fold(sign, |number, byte| number << 8 | i64::from(*byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn payload(bits: u8, bytes: &[u8]) -> Payload<'_> {
        Payload { bits, bytes: Reader::new(bytes, 40) }
    }

    #[test]
    fn partitions_are_in_data_or_in_rows() {
        let check = |bits, bytes: &[u8], hash, place| {
            let got = PartitionPayload::read(payload(bits, bytes));
            assert_eq!(got, Ok(PartitionPayload { hash, place }), "{bits} {bytes:x?}");
        };
        check(8, &[0x7a, 0xff], Some(0x7a), PartitionPlace::Data(0));
        check(9, &[0x7a, 0xfe, 0x00, 9], Some(0x7a), PartitionPlace::Data(511));
        check(9, &[0x7a, 0x01, 0x02], Some(0x7a), PartitionPlace::Rows(0x102));
        check(1, &[0x05, 9], None, PartitionPlace::Rows(5));
        check(15, &[1, 0x80, 0, 0, 0, 0, 0, 0, 0], Some(1), PartitionPlace::Data(i64::MAX as u64));
        let error = PartitionPayload::read(payload(9, &[1, 2])).unwrap_err();
        assert_eq!(
            error.to_string(),
            "position of a partition at offset 41: 2 bytes needed, 1 there"
        );
    }

    #[test]
    fn blocks_have_the_deletion_that_is_open_before_them() {
        let read = |bits, bytes: &[u8], version| RowPayload::read(payload(bits, bytes), version);
        assert_eq!(read(2, &[1, 2, 3], Version::Da), Ok(RowPayload { offset: 0x102, open: None }));
        let bytes = [5, 0, 0, 0, 0, 0, 0, 0, 7, 0xff, 0xff, 0xff, 0xfe];
        let open = |local_time| Some(Deletion { marked_at: 7, local_time });
        let late = RowPayload { offset: 5, open: open(0xffff_fffe) };
        assert_eq!(read(9, &bytes, Version::Ea), Ok(late));
        assert_eq!(read(9, &bytes, Version::Ms), Ok(RowPayload { offset: 5, open: open(-2) }));
        let error = |bits, bytes| read(bits, bytes, Version::Da).unwrap_err().to_string();
        assert_eq!(error(8, &[0]), "offset of a block at offset 40: wanted 1, got 0");
        assert!(error(1, &[0x80]).starts_with("offset of a block at offset 40: wanted 0"));
    }
}
