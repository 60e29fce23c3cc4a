//! Bytes in base64, as Go reads them in JSON: padded, line ends anywhere, any bits in what the last
//! digit leaves over.

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use manicule_core::go::json::{Json, JsonError};

const GO: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::RequireCanonical),
);

/// The bytes of a text; `None` where it isn't base64. Without line ends it isn't copied: it may be
/// of a key.
pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    if !text.contains(['\r', '\n']) {
        GO.decode(text).ok()
    } else {
        GO.decode(text.replace(['\r', '\n'], "")).ok()
    }
}

/// Appends bytes in base64.
pub(crate) fn put(bytes: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(GO.encode(bytes).as_bytes());
}

/// A JSON value that is base64; `None` for `null`.
pub(crate) fn field(json: &mut Json<'_>) -> Result<Option<Vec<u8>>, JsonError> {
    let Some(text) = json.string()? else { return Ok(None) };
    let wrong = || JsonError::new(text.at(), "base64", "another text");
    decode(&text.decode()).map(Some).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_read_as_go_does() {
        for (text, want) in [
            ("", Some(&b""[..])),
            ("AGI=", Some(b"\0b")),
            ("AGJ=", Some(b"\0b")),
            ("AG\r\nI=\n", Some(b"\0b")),
            ("/+8A", Some(b"\xff\xef\0")),
            ("AGI", None),
            ("AGI==", None),
            ("AG=I", None),
            ("=", None),
            ("_-8A", None),
            ("AG I", None),
        ] {
            assert_eq!(decode(text).as_deref(), want, "{text}");
        }
    }

    #[test]
    fn bytes_come_back() {
        for len in 0..70_u8 {
            let bytes: Vec<u8> = (0..len).map(|n| n.wrapping_mul(37) ^ len).collect();
            let mut text = Vec::new();
            put(&bytes, &mut text);
            assert_eq!(decode(str::from_utf8(&text).unwrap()), Some(bytes));
        }
    }
}
