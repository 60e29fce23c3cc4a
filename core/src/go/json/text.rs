//! A string of a JSON text: as it is in the text, decoded, and compared with names of fields.

use std::borrow::Cow;

/// A string in a JSON text: the bytes between its quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Text<'a> {
    pub(super) raw: &'a [u8],
    pub(super) at: u64,
    /// Whether a backslash occurs in it.
    pub(super) is_escaped: bool,
}

impl<'a> Text<'a> {
    /// A string whose bytes between the quotes were read before, by this reader or by a faster one
    /// of the same rules.
    #[inline]
    pub fn of(raw: &'a [u8]) -> Self {
        Text { raw, at: 0, is_escaped: raw.contains(&b'\\') }
    }

    /// The bytes between the quotes, escapes as they are.
    pub fn raw(&self) -> &'a [u8] {
        self.raw
    }

    /// Offset of the opening quote.
    pub fn at(&self) -> u64 {
        self.at
    }

    /// The string: escapes resolved, U+FFFD for each byte that isn't UTF-8 and for half a surrogate
    /// pair. Borrowed where nothing had to be replaced.
    pub fn decode(&self) -> Cow<'a, str> {
        match str::from_utf8(self.raw) {
            Ok(text) if !self.is_escaped => Cow::Borrowed(text),
            _ => Cow::Owned(decoded(self.raw)),
        }
    }

    /// That of the names which Go would take this for: the same one, else the first that differs in
    /// case only. Names are ASCII.
    pub fn among(&self, names: &[&'static str]) -> Option<&'static str> {
        debug_assert!(names.iter().all(|name| name.is_ascii()));
        let same = names.iter().find(|name| !self.is_escaped && name.as_bytes() == self.raw);
        same.copied().or_else(|| self.among_folded(names))
    }

    #[cold]
    fn among_folded(&self, names: &[&'static str]) -> Option<&'static str> {
        let text = self.decode();
        let same = names.iter().find(|name| **name == text);
        same.or_else(|| names.iter().find(|name| equals_folded(&text, name))).copied()
    }
}

/// Whether a text is an ASCII name in another case. Beside the letters' own cases there are two
/// characters that Unicode folds to ASCII: the long s and the Kelvin sign.
fn equals_folded(text: &str, name: &str) -> bool {
    let folded = |char: char| match char {
        'ſ' => 's',
        '\u{212a}' => 'k',
        other => other.to_ascii_lowercase(),
    };
    text.chars().map(folded).eq(name.chars().map(|char| char.to_ascii_lowercase()))
}

fn decoded(raw: &[u8]) -> String {
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = memchr::memchr(b'\\', rest) {
        put_lossy(&rest[..at], &mut text);
        rest = &rest[at + 1..];
        rest = &rest[put_escape(rest, &mut text)..];
    }
    put_lossy(rest, &mut text);
    text
}

/// Each byte that isn't UTF-8 becomes a character of its own, as in Go; std would join some.
fn put_lossy(bytes: &[u8], text: &mut String) {
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
    }
}

/// Resolves what follows a backslash and returns its length. The text was read as a string, so it
/// is a right one.
fn put_escape(rest: &[u8], text: &mut String) -> usize {
    let short = match rest.first() {
        Some(b'u') => return put_unicode(rest, text),
        Some(b'b') => '\x08',
        Some(b'f') => '\x0c',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(byte) => char::from(*byte),
        None => return 0,
    };
    text.push(short);
    1
}

/// Resolves `uXXXX`, and a second one after it where both are a surrogate pair.
fn put_unicode(rest: &[u8], text: &mut String) -> usize {
    const LEN: usize = "uXXXX".len();
    let first = unit(rest).unwrap_or_default();
    let second = rest.get(LEN..).and_then(|rest| rest.strip_prefix(b"\\")).and_then(unit);
    let pair = second.and_then(|second| char::decode_utf16([first, second]).next()?.ok());
    match (char::from_u32(first.into()), pair) {
        (Some(char), _) => text.push(char),
        (None, Some(char)) => {
            text.push(char);
            return LEN + "\\".len() + LEN;
        }
        (None, None) => text.push(char::REPLACEMENT_CHARACTER),
    }
    LEN
}

/// The number of `uXXXX`.
fn unit(rest: &[u8]) -> Option<u16> {
    let digits = str::from_utf8(rest.strip_prefix(b"u")?.get(..4)?).ok()?;
    u16::from_str_radix(digits, 16).ok()
}
