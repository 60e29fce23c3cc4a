//! Texts in quotes, as Go's `strconv.Unquote` reads them: what [`quote`](super::quote) writes, and
//! whatever else Go takes.

use std::borrow::Cow;
use std::fmt;

/// A text that isn't one between Go's double quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotQuoted {
    /// Offset of the first byte that is wrong, or of the escape that is.
    pub at: usize,
}

impl fmt::Display for NotQuoted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {} of the text is no part of a string in Go's quotes", self.at)
    }
}

impl std::error::Error for NotQuoted {}

/// The bytes that a text between double quotes stands for; the quotes themselves are left out.
/// Borrowed where it has no escape.
///
/// Escapes: `\a \b \f \n \r \t \v \\ \"`, a byte as `\xNN` or octal `\NNN`, a character as `\uNNNN`
/// or `\UNNNNNNNN`. Bytes that aren't UTF-8 become U+FFFD each. A quote or a line feed that isn't
/// escaped is an error.
pub fn unquote(text: &[u8]) -> Result<Cow<'_, [u8]>, NotQuoted> {
    if let Some(at) = text.iter().position(|byte| matches!(byte, b'\\' | b'"' | b'\n' | 0x80..)) {
        return unquote_from(text, at).map(Cow::Owned);
    }
    Ok(Cow::Borrowed(text))
}

/// All of a text whose first bytes are plain.
fn unquote_from(text: &[u8], mut at: usize) -> Result<Vec<u8>, NotQuoted> {
    let mut bytes = Vec::with_capacity(text.len());
    bytes.extend_from_slice(&text[..at]);
    while let Some(byte) = text.get(at) {
        at += match byte {
            b'"' | b'\n' => return Err(NotQuoted { at }),
            b'\\' => put_escape(&text[at + 1..], &mut bytes).ok_or(NotQuoted { at })? + 1,
            0x80.. => put_character(&text[at..], &mut bytes),
            _ => {
                bytes.push(*byte);
                1
            }
        };
    }
    Ok(bytes)
}

/// Appends the character that a text begins with, and returns its length.
fn put_character(text: &[u8], bytes: &mut Vec<u8>) -> usize {
    let start = &text[..text.len().min(4)];
    let valid = start.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    let char = valid.chars().next();
    put_char(char.unwrap_or(char::REPLACEMENT_CHARACTER), bytes);
    char.map_or(1, char::len_utf8)
}

/// Appends what an escape stands for, and returns its length without the backslash.
fn put_escape(text: &[u8], bytes: &mut Vec<u8>) -> Option<usize> {
    let byte = match text.first()? {
        b'a' => 0x07,
        b'b' => 0x08,
        b'f' => 0x0c,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'v' => 0x0b,
        same @ (b'\\' | b'"') => *same,
        b'x' => return put_byte(number(text.get(1..3)?, 16)?, 3, bytes),
        b'0'..=b'7' => return put_byte(number(text.get(..3)?, 8)?, 3, bytes),
        b'u' => return put_number(text.get(1..5)?, bytes),
        b'U' => return put_number(text.get(1..9)?, bytes),
        _ => return None,
    };
    bytes.push(byte);
    Some(1)
}

fn put_byte(number: u32, len: usize, bytes: &mut Vec<u8>) -> Option<usize> {
    bytes.push(u8::try_from(number).ok()?);
    Some(len)
}

/// The character whose number the digits are, unless it is half a surrogate pair or none at all.
fn put_number(digits: &[u8], bytes: &mut Vec<u8>) -> Option<usize> {
    put_char(char::from_u32(number(digits, 16)?)?, bytes);
    Some(1 + digits.len())
}

fn put_char(char: char, bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
}

/// A number of at most eight digits.
fn number(digits: &[u8], radix: u32) -> Option<u32> {
    digits.iter().try_fold(0, |number: u32, digit| {
        Some(number.wrapping_mul(radix) | char::from(*digit).to_digit(radix)?)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::quote;

    #[test]
    fn texts_are_unquoted_as_go_does() {
        for (text, want) in [
            ("", &b""[..]),
            ("plain 'single'", b"plain 'single'"),
            (r#"\a\b\f\n\r\t\v\\\""#, b"\x07\x08\x0c\n\r\t\x0b\\\""),
            (r"\xff\x0A\x41", b"\xff\nA"),
            (r"\000\101\377", b"\0A\xff"),
            (r"\u00e9\u20AC\U0001f600", "é€😀".as_bytes()),
            (r"\u0041\u0000", b"A\0"),
            (r"\xc3\xa9", "é".as_bytes()),
            ("é😀 \u{2028}\r\t\u{7f}", "é😀 \u{2028}\r\t\u{7f}".as_bytes()),
            (r"..\x2fup", b"../up"),
        ] {
            assert_eq!(unquote(text.as_bytes()).as_deref(), Ok(want), "{text}");
        }
        assert_eq!(
            unquote(b"a\xffb\xe2\x82").as_deref(),
            Ok("a\u{fffd}b\u{fffd}\u{fffd}".as_bytes())
        );
        assert!(matches!(unquote(b"plain"), Ok(Cow::Borrowed(_))));
    }

    #[test]
    fn what_go_refuses_is_refused_where_it_is() {
        for (text, at) in [
            ("a\"b", 1),
            ("\n", 0),
            ("ab\\", 2),
            (r"a\'", 1),
            (r"\z", 0),
            (r"\x4", 0),
            (r"\x4g", 0),
            (r"\08", 0),
            (r"\400", 0),
            (r"\8", 0),
            (r"\u123", 0),
            (r"éé\ud800", 4),
            (r"\udfff", 0),
            (r"\U00110000", 0),
            (r"\Uffffffff", 0),
            (r"\n\U0001f60", 2),
            ("\\\n", 0),
        ] {
            assert_eq!(unquote(text.as_bytes()), Err(NotQuoted { at }), "{text}");
        }
    }

    #[test]
    fn what_was_quoted_comes_back() {
        for number in 0..=0xffff_u32 {
            let pair = number.to_le_bytes();
            let char = char::from_u32(number * 17).map(String::from).unwrap_or_default();
            for bytes in [&pair[..2], char.as_bytes()] {
                let quoted = quote(bytes);
                let between = &quoted.as_bytes()[1..quoted.len() - 1];
                assert_eq!(unquote(between).as_deref(), Ok(bytes), "{quoted}");
            }
        }
    }
}
