//! Unpacked files (snapshots, index files, locks): from the plaintext of an envelope to JSON and
//! back.
//!
//! Bytes:   version 1: JSON; version 2: JSON, or | 1 format = 2 | Zstandard of JSON |, docs/formats/restic.md

use std::fmt;

use crate::config::Version;
use crate::decompress::{DecompressError, Decompressor};

/// First byte of a compressed file.
const COMPRESSED: u8 = 2;

/// zstd's own default, and about what restic's is.
const LEVEL: i32 = 3;

/// Error of a file whose plaintext is none of the forms that its repository's version has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnpackError {
    /// Another first byte.
    Format(u8),
    /// The Zstandard that follows it can't be read. Offsets count from the byte after the first.
    Decompress(DecompressError),
    /// Longer than the limit, without being compressed.
    TooLong {
        /// The limit in bytes.
        limit: u64,
        /// The length.
        len: u64,
    },
}

impl fmt::Display for UnpackError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UnpackError::Format(got) => write!(
                f,
                "not supported encoding format at offset 0: wanted JSON or 2, got byte {got:#04x}"
            ),
            UnpackError::Decompress(error) => error.fmt(f),
            UnpackError::TooLong { limit, len } => {
                write!(f, "length of the JSON: wanted at most {limit} bytes, got {len}")
            }
        }
    }
}

impl std::error::Error for UnpackError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            UnpackError::Decompress(error) => Some(error),
            UnpackError::Format(_) | UnpackError::TooLong { .. } => None,
        }
    }
}

/// The JSON in a plaintext, of at most `limit` bytes: the plaintext itself where it isn't
/// compressed.
///
/// In version 2 only the first byte says what it is. In version 1, and where there is no byte, the
/// plaintext is taken for JSON; who reads that finds out.
pub fn unpack<'a>(
    version: Version,
    plain: &'a [u8],
    limit: usize,
    decompressor: &'a mut Decompressor,
) -> Result<&'a [u8], UnpackError> {
    match (version, plain.first()) {
        (Version::V2, Some(&COMPRESSED)) => {
            let json = decompressor.decompress(&plain[1..], limit);
            return json.map(|json| &*json).map_err(UnpackError::Decompress);
        }
        (Version::V2, Some(byte)) if !b"{[".contains(byte) => {
            return Err(UnpackError::Format(*byte));
        }
        _ => {}
    }
    if plain.len() <= limit {
        Ok(plain)
    } else {
        Err(UnpackError::TooLong { limit: limit as u64, len: plain.len() as u64 })
    }
}

/// The plaintext for a JSON: compressed in version 2, with its length in the frame, as restic does.
pub fn pack_unpacked(version: Version, json: &[u8]) -> Vec<u8> {
    match version {
        Version::V1 => json.to_vec(),
        Version::V2 => {
            let frame = zstd::bulk::compress(json, LEVEL).expect("memory for the compressed bytes");
            [&[COMPRESSED], &frame[..]].concat()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_packed_is_unpacked() {
        let json = br#"{"packs":[]}"#.repeat(1000);
        let mut decompressor = Decompressor::new();
        for version in [Version::V1, Version::V2] {
            let plain = pack_unpacked(version, &json);
            assert_eq!(plain.len() < 200, version == Version::V2);
            assert_eq!(unpack(version, &plain, json.len(), &mut decompressor), Ok(&json[..]));
            assert!(unpack(version, &plain, json.len() - 1, &mut decompressor).is_err());
        }
    }

    #[test]
    fn the_first_byte_says_what_it_is_in_version_2_only() {
        let mut decompressor = Decompressor::new();
        for byte in 0..=255 {
            let plain = [byte, b'}'];
            assert_eq!(unpack(Version::V1, &plain, 10, &mut decompressor), Ok(&plain[..]));
            let got = unpack(Version::V2, &plain, 10, &mut decompressor);
            match byte {
                b'{' | b'[' => assert_eq!(got, Ok(&plain[..])),
                COMPRESSED => assert!(matches!(got, Err(UnpackError::Decompress(_))), "{got:?}"),
                _ => assert_eq!(got, Err(UnpackError::Format(byte))),
            }
        }
        assert_eq!(unpack(Version::V2, b"", 10, &mut decompressor), Ok(&b""[..]));
        let words = UnpackError::Format(3).to_string();
        let want = "not supported encoding format at offset 0: wanted JSON or 2, got byte 0x03";
        assert_eq!(words, want);
    }
}
