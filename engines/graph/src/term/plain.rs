//! Bytes of IRIs and literals in the dictionary: the text first, so that they sort by it, then what
//! else a literal has.
//!
//! Bytes:   IRI, simple literal: the text
//!          tagged literal: | text | language tag | its len, u8; or 255 after a u32, little-endian |
//!          with a base direction: as tagged `ar--rtl`: no language tag has two hyphens in a row
//!          typed literal: | text | code of the datatype |, or | text | datatype | its len, u32, little-endian | 0 |

use manicule_core::bytes::{DecodeError, Reader};
use manicule_format_leaf::Tag;

use super::reference::{Direction, TermRef};

/// Length byte of a language tag of 255 bytes or more: its length comes before it.
const LONG: u8 = 255;

macro_rules! xsd {
    ($($name:literal),*) => { [$(concat!("http://www.w3.org/2001/XMLSchema#", $name)),*] };
}

/// Datatypes with a code: their places here, from 1. The list may grow at its end.
const XSD_TYPES: [&str; 40] = xsd![
    "integer",
    "decimal",
    "double",
    "float",
    "boolean",
    "date",
    "dateTime",
    "time",
    "int",
    "long",
    "short",
    "byte",
    "nonNegativeInteger",
    "positiveInteger",
    "nonPositiveInteger",
    "negativeInteger",
    "unsignedLong",
    "unsignedInt",
    "unsignedShort",
    "unsignedByte",
    "gYear",
    "gYearMonth",
    "gMonth",
    "gMonthDay",
    "gDay",
    "duration",
    "dayTimeDuration",
    "yearMonthDuration",
    "anyURI",
    "hexBinary",
    "base64Binary",
    "language",
    "token",
    "normalizedString",
    "Name",
    "NCName",
    "NMTOKEN",
    "QName",
    "dateTimeStamp",
    "anySimpleType"
];
const OTHER_TYPES: [&str; 6] = [
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#XMLLiteral",
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#HTML",
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#JSON",
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#PlainLiteral",
    "http://www.opengis.net/ont/geosparql#wktLiteral",
    "http://www.opengis.net/ont/geosparql#gmlLiteral",
];

fn datatype_of(code: u8) -> Option<&'static str> {
    let at = usize::from(code).checked_sub(1)?;
    XSD_TYPES.get(at).or_else(|| OTHER_TYPES.get(at.checked_sub(XSD_TYPES.len())?)).copied()
}

fn code_of(datatype: &[u8]) -> Option<u8> {
    let mut all = XSD_TYPES.iter().chain(&OTHER_TYPES);
    all.position(|known| known.as_bytes() == datatype).map(|at| at as u8 + 1)
}

/// Appends the bytes of a term, and says with which tag they are numbered. None for a blank node,
/// which has no bytes, and for a triple term.
pub(super) fn encode_plain(term: TermRef<'_>, out: &mut Vec<u8>) -> Option<Tag> {
    match term {
        TermRef::Blank(_) | TermRef::Triple(_) => None,
        TermRef::Iri(text) => {
            out.extend_from_slice(text.as_bytes());
            Some(Tag::IRI)
        }
        TermRef::Simple(text) => {
            out.extend_from_slice(text.as_bytes());
            Some(Tag::STRING)
        }
        TermRef::Tagged(text, tag) => {
            put_tagged(text.as_bytes(), tag.as_bytes(), out);
            Some(Tag::TAGGED)
        }
        TermRef::Directional(text, tag, direction) => {
            put_directional(text.as_bytes(), tag.as_bytes(), direction, out);
            Some(Tag::TAGGED)
        }
        TermRef::Typed(text, datatype) => {
            put_typed(text.as_bytes(), datatype.as_bytes(), out);
            Some(Tag::TYPED)
        }
    }
}

/// Appends the bytes of a tagged literal. What is no text or no tag has bytes too, and those of no
/// other literal.
pub(crate) fn put_tagged(text: &[u8], tag: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(text);
    out.extend_from_slice(tag);
    match u8::try_from(tag.len()) {
        Ok(len) if len < LONG => out.push(len),
        _ => {
            put_len(tag, out);
            out.push(LONG);
        }
    }
}

/// Appends the bytes of a literal with a base direction, likewise.
pub(crate) fn put_directional(text: &[u8], tag: &[u8], direction: Direction, out: &mut Vec<u8>) {
    put_tagged(text, &[tag, b"--", direction.name().as_bytes()].concat(), out);
}

/// Appends the bytes of a typed literal, likewise.
pub(crate) fn put_typed(text: &[u8], datatype: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(text);
    match code_of(datatype) {
        Some(code) => out.push(code),
        None => {
            out.extend_from_slice(datatype);
            put_len(datatype, out);
            out.push(0);
        }
    }
}

/// Panics if a tag or datatype has 4 GiB: no term is that long.
fn put_len(text: &[u8], out: &mut Vec<u8>) {
    let len = u32::try_from(text.len()).expect("a term is shorter than 4 GiB");
    out.extend_from_slice(&len.to_le_bytes());
}

/// The IRI or literal of some bytes that are numbered with a tag. Offsets of errors count from the
/// first of them.
pub(super) fn decode_plain(tag: Tag, bytes: &[u8]) -> Result<TermRef<'_>, DecodeError> {
    match tag {
        Tag::IRI => Ok(TermRef::Iri(utf8(bytes)?)),
        Tag::STRING => Ok(TermRef::Simple(utf8(bytes)?)),
        Tag::TAGGED => {
            let (len, rest) = last(bytes)?;
            let (text, tag) = match len {
                LONG => split_long(rest)?,
                len => split(rest, len.into())?,
            };
            let (text, tag) = (utf8(text)?, utf8(tag)?);
            Ok(match Direction::split(tag) {
                Some((tag, direction)) => TermRef::Directional(text, tag, direction),
                None => TermRef::Tagged(text, tag),
            })
        }
        Tag::TYPED => {
            let (code, rest) = last(bytes)?;
            if code == 0 {
                let (text, datatype) = split_long(rest)?;
                return Ok(TermRef::Typed(utf8(text)?, utf8(datatype)?));
            }
            let at = rest.len() as u64;
            let want = (XSD_TYPES.len() + OTHER_TYPES.len()) as u64;
            let unknown =
                || DecodeError::Corrupt { what: "code of datatype", at, want, got: code.into() };
            Ok(TermRef::Typed(utf8(rest)?, datatype_of(code).ok_or_else(unknown)?))
        }
        other => {
            let (want, got) = (Tag::TRIPLE.0.into(), other.0.into());
            Err(DecodeError::Corrupt { what: "tag of term", at: 0, want, got })
        }
    }
}

fn last(bytes: &[u8]) -> Result<(u8, &[u8]), DecodeError> {
    let (last, rest) = bytes.split_last().ok_or_else(|| short(1, 0))?;
    Ok((*last, rest))
}

fn short(need: u64, have: usize) -> DecodeError {
    DecodeError::Short { what: "literal", at: 0, need, have: have as u64 }
}

fn split_long(bytes: &[u8]) -> Result<(&[u8], &[u8]), DecodeError> {
    let (rest, len) = split(bytes, 4)?;
    let len = Reader::new(len, rest.len() as u64).u32_le("length")?;
    split(rest, len as usize)
}

/// The text, and the last `len` bytes.
fn split(bytes: &[u8], len: usize) -> Result<(&[u8], &[u8]), DecodeError> {
    let at = bytes.len().checked_sub(len).ok_or_else(|| short(len as u64, bytes.len()))?;
    Ok(bytes.split_at(at))
}

fn utf8(bytes: &[u8]) -> Result<&str, DecodeError> {
    str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to();
        let got = bytes.get(at).map_or(0, |byte| u64::from(*byte));
        DecodeError::Corrupt { what: "text in UTF-8", at: at as u64, want: 0x7f, got }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(term: TermRef<'_>, want: &[u8]) {
        let mut bytes = Vec::new();
        let tag = encode_plain(term, &mut bytes).expect("it has bytes");
        assert_eq!(&bytes[..want.len().min(bytes.len())], want);
        assert_eq!(decode_plain(tag, &bytes), Ok(term));
        for len in 0..bytes.len().min(300) {
            // Cut bytes are another term or an error, not a panic.
            let _ = decode_plain(tag, &bytes[..len]);
        }
    }

    #[test]
    fn terms_read_back() {
        let long = "x".repeat(300);
        check(TermRef::Iri("http://a/"), b"http://a/");
        check(TermRef::Simple(""), b"");
        check(TermRef::Tagged("a", "en-gb"), b"aen-gb\x05");
        check(TermRef::Tagged("a", ""), b"a\0");
        check(TermRef::Tagged("a\0b", &long), b"a\0bx");
        check(TermRef::Directional("a", "ar", Direction::Rtl), b"aar--rtl\x07");
        check(TermRef::Tagged("a", "ar--rt"), b"aar--rt\x06");
        check(TermRef::Typed("01", "http://www.w3.org/2001/XMLSchema#integer"), b"01\x01");
        check(TermRef::Typed("", "http://x/"), b"http://x/\x09\0\0\0\0");
        check(TermRef::Typed("<a/>", OTHER_TYPES[0]), b"<a/>\x29");
        check(TermRef::Typed("", OTHER_TYPES[5]), b"\x2e");
    }

    #[test]
    fn damaged_bytes_are_errors() {
        for (tag, bytes) in [
            (Tag::IRI, &b"\xff"[..]),
            (Tag::TAGGED, b""),
            (Tag::TAGGED, b"en\x03"),
            (Tag::TYPED, b"1\x2f"),
            (Tag::TYPED, b"1\xff\xff\xff\xff\0"),
            (Tag::BLANK, b"1"),
        ] {
            assert!(decode_plain(tag, bytes).is_err(), "{tag:?} {bytes:?}");
        }
    }

    #[test]
    fn every_code_has_one_datatype() {
        for code in 1..=46 {
            assert_eq!(code_of(datatype_of(code).unwrap().as_bytes()), Some(code));
        }
        assert_eq!((datatype_of(0), datatype_of(47)), (None, None));
    }
}
