//! Frames of the log: a commit's record between a length and a checksum.
//!
//! Bytes:   | 4 len of the record | 4 kind, 1 | 8 commit | record | 4 CRC-32C of all before |, little-endian
//! Callers: store

use manicule_core::bytes::{DecodeError, Reader};

const KIND: u32 = 1;
const HEAD_LEN: usize = 16;
const SUM_LEN: usize = 4;

/// A frame whose checksum holds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame<'a> {
    /// The number of the commit.
    pub(super) commit: u64,
    /// Its record.
    pub(super) record: &'a [u8],
    /// Offset of the record from the frame's start.
    pub(super) record_at: u64,
    /// Length of the whole frame.
    pub(super) len: usize,
}

/// Appends a frame, whose record `put` appends.
///
/// Panics if the record has 4 GiB.
pub(super) fn encode(commit: u64, out: &mut Vec<u8>, put: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    out.extend_from_slice(&[0; 4]);
    out.extend_from_slice(&KIND.to_le_bytes());
    out.extend_from_slice(&commit.to_le_bytes());
    put(out);
    let len = u32::try_from(out.len() - start - HEAD_LEN).expect("a record is shorter than 4 GiB");
    out[start..start + 4].copy_from_slice(&len.to_le_bytes());
    let sum = crc32c::crc32c(&out[start..]);
    out.extend_from_slice(&sum.to_le_bytes());
}

/// Decodes the frame at the front of some bytes that lie at `at` in their file.
///
/// # Errors
/// Of a torn frame or a damaged one: they can't be distinguished but by where they are.
pub(super) fn decode(bytes: &[u8], at: u64) -> Result<Frame<'_>, DecodeError> {
    let mut r = Reader::new(bytes, at);
    let record_len = r.u32_le("length of frame")? as usize;
    let kind = r.u32_le("kind of frame")?;
    if kind != KIND {
        return Err(DecodeError::Corrupt {
            what: "kind of frame",
            at: at + 4,
            want: KIND.into(),
            got: kind.into(),
        });
    }
    let commit = r.u64_le("commit")?;
    let record = r.take("record", record_len)?;
    let sum_at = r.at();
    let stored = r.u32_le("checksum of frame")?;
    let computed = crc32c::crc32c(&bytes[..HEAD_LEN + record_len]);
    if stored != computed {
        return Err(DecodeError::Checksum { what: "frame", at: sum_at, stored, computed });
    }
    Ok(Frame { commit, record, record_at: HEAD_LEN as u64, len: HEAD_LEN + record_len + SUM_LEN })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_read_back_and_no_bit_may_change() {
        let mut bytes = Vec::new();
        encode(7, &mut bytes, |out| out.extend_from_slice(b"record"));
        encode(8, &mut bytes, |_| ());
        let frame = decode(&bytes, 0).unwrap();
        assert_eq!((frame.commit, frame.record, frame.len), (7, &b"record"[..], 26));
        let second = decode(&bytes[26..], 26).unwrap();
        assert_eq!((second.commit, second.record, second.len), (8, &b""[..], 20));
        for at in 0..26 {
            for bit in 0..8 {
                bytes[at] ^= 1 << bit;
                assert!(decode(&bytes, 0).is_err(), "byte {at}");
                bytes[at] ^= 1 << bit;
            }
            assert!(decode(&bytes[..at], 0).is_err(), "cut at {at}");
        }
    }
}
