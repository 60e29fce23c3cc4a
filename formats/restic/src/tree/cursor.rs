//! A place in a tree's text that goes on only over what restic itself writes.
//!
//! Every step returns `None` where the text differs; the caller then reads the whole node by the
//! general parser. What is passed here, that parser passes too, with the same value.

use manicule_core::go::json::{Json, Kind};

use crate::Id;
use crate::digits::up_to_eight;
use crate::time::Time;

/// Powers of ten, by their exponents.
const POWERS: [u64; 9] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/// A place in a text.
pub(super) struct Cursor<'t> {
    /// What lies after it.
    rest: &'t [u8],
}

impl<'t> Cursor<'t> {
    pub(super) fn new(rest: &'t [u8]) -> Self {
        Cursor { rest }
    }

    /// What lies after the place.
    #[inline]
    pub(super) fn rest(&self) -> &'t [u8] {
        self.rest
    }

    /// The bytes passed since a place after which `rest` lay.
    pub(super) fn since(&self, rest: &'t [u8]) -> &'t [u8] {
        &rest[..rest.len() - self.rest.len()]
    }

    /// Passes a word, if it is next.
    #[inline(always)]
    pub(super) fn take<const N: usize>(&mut self, word: &[u8; N]) -> bool {
        match self.rest.split_first_chunk() {
            Some((next, rest)) if next == word => {
                self.rest = rest;
                true
            }
            _ => false,
        }
    }

    /// Passes bytes that stood before, if they are next.
    #[inline]
    pub(super) fn take_same(&mut self, bytes: &[u8]) -> bool {
        let rest = self.rest.strip_prefix(bytes);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Passes a word, which has to be next.
    #[inline(always)]
    pub(super) fn expect<const N: usize>(&mut self, word: &[u8; N]) -> Option<()> {
        self.take(word).then_some(())
    }

    /// The rest of a string after its opening quote, which is passed with the closing one: the
    /// bytes between them.
    #[inline]
    pub(super) fn string(&mut self) -> Option<&'t [u8]> {
        self.string_and_escapes().map(|(raw, _)| raw)
    }

    /// The same, and whether it has an escape.
    #[inline]
    pub(super) fn string_and_escapes(&mut self) -> Option<(&'t [u8], bool)> {
        let (mut len, mut is_escaped) = (0, false);
        loop {
            len += plain_len(&self.rest[len..]);
            match *self.rest.get(len)? {
                b'"' => break,
                b'\\' => {
                    len += escape_len(&self.rest[len..])?;
                    is_escaped = true;
                }
                b' '.. => len += 1,
                _ => return None,
            }
        }
        let raw = &self.rest[..len];
        self.rest = &self.rest[len + 1..];
        Some((raw, is_escaped))
    }

    /// A string whose bytes are base64 as every encoder writes it, after its opening quote.
    pub(super) fn base64(&mut self) -> Option<&'t [u8]> {
        let raw = self.string()?;
        let digits = raw.strip_suffix(b"==").or(raw.strip_suffix(b"=")).unwrap_or(raw);
        let is_digit = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
        (raw.len().is_multiple_of(4) && digits.iter().all(is_digit)).then_some(raw)
    }

    /// An integer of at most 19 digits, which isn't at the end of the text.
    #[inline]
    pub(super) fn u64(&mut self) -> Option<u64> {
        let first = *self.rest.first()?;
        let (mut number, mut len) = (0_u64, 0);
        loop {
            let (value, more) = up_to_eight(*self.rest.first_chunk()?);
            number = number.wrapping_mul(POWERS[more]).wrapping_add(value.into());
            len += more;
            self.rest = &self.rest[more..];
            if more < 8 || len > 19 {
                break;
            }
        }
        ((1..=19).contains(&len) && (len == 1 || first != b'0')).then_some(number)
    }

    #[inline]
    pub(super) fn u32(&mut self) -> Option<u32> {
        u32::try_from(self.u64()?).ok()
    }

    /// A time after its opening quote, which is passed with the closing one.
    #[inline]
    pub(super) fn time(&mut self) -> Option<Time> {
        let (time, rest) = Time::read(self.rest)?;
        self.rest = rest;
        self.expect(b"\"")?;
        Some(time)
    }

    /// An id after its opening quote, which is passed with the closing one.
    #[inline]
    pub(super) fn id(&mut self) -> Option<Id> {
        let (digits, rest) = self.rest.split_first_chunk::<64>()?;
        self.rest = rest;
        self.expect(b"\"")?;
        Id::parse(digits)
    }

    /// An object of any values, not longer than `len_max`.
    pub(super) fn object(&mut self, len_max: usize) -> Option<&'t [u8]> {
        let mut json = Json::new(self.rest);
        (json.kind() == Ok(Kind::Object)).then(|| json.raw().ok())??;
        let (raw, rest) = self.rest.split_at(json.at() as usize);
        self.rest = rest;
        (raw.len() <= len_max).then_some(raw)
    }

    /// A list after its opening bracket: its values by `read`, commas between them, up to and with
    /// the closing bracket.
    #[inline]
    pub(super) fn list(&mut self, mut read: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        if self.take(b"]") {
            return Some(());
        }
        loop {
            read(self)?;
            if !self.take(b",") {
                return self.expect(b"]");
            }
        }
    }
}

/// Number of bytes at the start that are ASCII from the blank on, other than quote and backslash;
/// eight at a time.
#[inline]
fn plain_len(bytes: &[u8]) -> usize {
    let (words, rest) = bytes.as_chunks::<8>();
    for (at, word) in words.iter().enumerate() {
        let special = special_bytes(u64::from_le_bytes(*word));
        if special != 0 {
            return at * 8 + special.trailing_zeros() as usize / 8;
        }
    }
    let is_plain = |byte: &&u8| matches!(byte, b' '..=0x7f) && !matches!(byte, b'"' | b'\\');
    words.len() * 8 + rest.iter().take_while(is_plain).count()
}

/// The highest bit of the first byte that is a quote, a backslash, below the blank or above 0x7f,
/// and maybe of some after it.
#[inline]
fn special_bytes(word: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const TOPS: u64 = ONES << 7;
    let quote = word ^ (ONES * 0x22);
    let backslash = word ^ (ONES * 0x5c);
    let is_quote = quote.wrapping_sub(ONES) & !quote;
    let is_backslash = backslash.wrapping_sub(ONES) & !backslash;
    let is_control = word.wrapping_sub(ONES * 0x20) & !word;
    (is_quote | is_backslash | is_control | word) & TOPS
}

/// Length of an escape that JSON has, with its backslash.
fn escape_len(bytes: &[u8]) -> Option<usize> {
    match bytes.get(1)? {
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(2),
        b'u' => bytes.get(2..6)?.iter().all(u8::is_ascii_hexdigit).then_some(6),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_bytes_are_found_where_they_are() {
        for byte in 0..=255_u8 {
            let is_special = !matches!(byte, b' '..=0x7f) || b"\"\\".contains(&byte);
            for len in 0..20 {
                for at in 0..len {
                    let mut bytes = vec![b'a'; len];
                    bytes[at] = byte;
                    let want = if is_special { at } else { len };
                    assert_eq!(plain_len(&bytes), want, "{byte:#04x} at {at} of {len}");
                }
            }
        }
    }

    #[test]
    fn of_several_special_bytes_the_first_is_found() {
        for first in [0x00, 0x1f, b'"', b'\\', 0x80, 0xff] {
            for second in [0x00, 0x1f, b' ', b'!', b'"', b'#', b'[', b'\\', b']', 0x80, 0xff] {
                let bytes = [b'a', b' ', b'~', first, second, second, first, b'a'];
                assert_eq!(plain_len(&bytes), 3, "{first:#04x} {second:#04x}");
            }
        }
    }
}
