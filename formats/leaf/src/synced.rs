//! How far the log is known to be on the disk: what a log that was cut, or is gone, is refuted by.
//!
//! ```text
//! | 16 head | u64 commit | u64 log | u64 len | u32 CRC-32 of all before |
//! ```
//!
//! Bytes:   docs/formats/leaf.md, section *synced*

use manicule_core::bytes::{DecodeError, Reader};

use crate::head::{FileKind, HEAD_LEN, check, check_sum, put_head, read_head};

const SUM_LEN: usize = size_of::<u32>();
/// Length of the file.
pub const SYNCED_LEN: usize = HEAD_LEN + 3 * size_of::<u64>() + SUM_LEN;

/// What was once synced of a log. All of it stays true for as long as the log is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Synced {
    /// A commit that was acknowledged.
    pub commit: u64,
    /// Number of the log that was written then.
    pub log: u64,
    /// Bytes of it that were on the disk.
    pub len: u64,
}

impl Synced {
    /// The bytes of the file.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(SYNCED_LEN);
        put_head(FileKind::Synced, [0; 4], &mut out);
        for word in [self.commit, self.log, self.len] {
            out.extend_from_slice(&word.to_le_bytes());
        }
        let sum = crc32fast::hash(&out);
        out.extend_from_slice(&sum.to_le_bytes());
        out
    }

    /// Reads a whole file.
    pub fn decode(bytes: &[u8]) -> Result<Synced, DecodeError> {
        let detail = read_head(bytes, FileKind::Synced)?;
        check("zeros in the head", 12, 0, u32::from_le_bytes(detail).into())?;
        check("length", 0, SYNCED_LEN as u64, bytes.len() as u64)?;
        let (body, sum) = bytes.split_at(SYNCED_LEN - SUM_LEN);
        let sum = Reader::new(sum, body.len() as u64).u32_le("checksum")?;
        check_sum("file", body.len() as u64, sum, body)?;
        let mut reader = Reader::new(&body[HEAD_LEN..], HEAD_LEN as u64);
        let commit = reader.u64_le("commit")?;
        Ok(Synced { commit, log: reader.u64_le("log")?, len: reader.u64_le("length")? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_synced_reads_back_and_every_other_byte_is_refused() {
        let synced = Synced { commit: 7, log: 3, len: 1 << 40 };
        let bytes = synced.encode();
        assert_eq!(Synced::decode(&bytes), Ok(synced));
        assert!(Synced::decode(&[&bytes[..], b"x"].concat()).is_err());
        for at in 0..bytes.len() {
            assert!(Synced::decode(&bytes[..at]).is_err(), "cut at {at}");
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << (at % 8);
            assert!(Synced::decode(&flipped).is_err(), "flipped at {at}");
        }
    }
}
