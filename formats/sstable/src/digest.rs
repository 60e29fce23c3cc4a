//! Digest.crc32: the checksum of the whole Data.db as it is stored.
//!
//! Bytes:   CRC-32 in decimal digits, docs/formats/sstable.md, Checksums

use crate::error::SstableError;
use crate::shortened::shortened;

/// Reads a Digest.crc32. Blanks around the digits are accepted.
pub fn read_digest(bytes: &[u8]) -> Result<u32, SstableError> {
    let text = std::str::from_utf8(bytes).ok().map(str::trim);
    let digits = text.filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
    digits.and_then(|text| text.parse().ok()).ok_or_else(|| SstableError::Text {
        what: "digest",
        at: 0,
        want: "a CRC-32 in decimal digits",
        got: shortened(bytes),
    })
}

/// Appends a Digest.crc32.
pub fn put_digest(sum: u32, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(sum).as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_read_back() {
        for sum in [0, 7, u32::MAX] {
            let mut bytes = Vec::new();
            put_digest(sum, &mut bytes);
            assert_eq!(read_digest(&bytes), Ok(sum));
        }
    }

    #[test]
    fn a_digest_is_a_number_of_32_bits() {
        assert_eq!(read_digest(b"3597157811"), Ok(3_597_157_811));
        assert_eq!(read_digest(b"7\n"), Ok(7));
        for bytes in [&b""[..], b"-1", b"+1", b"4294967296", b"0x12", b"\xff"] {
            assert!(read_digest(bytes).is_err(), "{bytes:?}");
        }
    }
}
