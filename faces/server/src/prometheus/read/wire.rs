//! Fields of protocol buffers: what remote read has of them.
//!
//! Bytes:   | uvarint number << 3, kind | value |; kinds: 0 uvarint, 1 8 bytes, 2 uvarint length
//!          and bytes, 5 4 bytes

use std::fmt;

/// Error of bytes that are no message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fault {
    /// Bytes end within a field.
    End,
    /// A number of more than 64 bits.
    Overflow,
    /// A field of a kind that there is not, or not here.
    Kind(u8),
    /// What is around the message is no Snappy.
    Snappy,
    /// The message is longer than is read.
    TooLong(u64),
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::End => out.write_str("unexpected EOF"),
            Fault::Overflow => out.write_str("proto: integer overflow"),
            Fault::Kind(kind) => write!(out, "proto: illegal wireType {kind}"),
            Fault::Snappy => out.write_str("snappy: corrupt input"),
            Fault::TooLong(len) => write!(out, "snappy: decoded block of {len} bytes is too large"),
        }
    }
}

/// The value of a field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Value<'b> {
    Number(u64),
    Bytes(&'b [u8]),
    /// Four or eight bytes.
    Fixed,
}

/// The fields of a message.
pub(crate) struct Fields<'b> {
    rest: &'b [u8],
}

impl<'b> Fields<'b> {
    pub(crate) fn of(message: &'b [u8]) -> Fields<'b> {
        Fields { rest: message }
    }

    /// The next field: its number and value.
    pub(crate) fn next(&mut self) -> Result<Option<(u64, Value<'b>)>, Fault> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let key = take_uvarint(&mut self.rest)?;
        let value = match (key & 7) as u8 {
            0 => Value::Number(take_uvarint(&mut self.rest)?),
            1 => self.fixed(8)?,
            2 => {
                let len = usize::try_from(take_uvarint(&mut self.rest)?).map_err(|_| Fault::End)?;
                let (bytes, rest) = self.rest.split_at_checked(len).ok_or(Fault::End)?;
                self.rest = rest;
                Value::Bytes(bytes)
            }
            5 => self.fixed(4)?,
            kind => return Err(Fault::Kind(kind)),
        };
        Ok(Some((key >> 3, value)))
    }

    fn fixed(&mut self, len: usize) -> Result<Value<'b>, Fault> {
        self.rest = self.rest.get(len..).ok_or(Fault::End)?;
        Ok(Value::Fixed)
    }
}

/// Takes a number off the bytes.
pub(crate) fn take_uvarint(bytes: &mut &[u8]) -> Result<u64, Fault> {
    let mut number = 0;
    for (place, byte) in bytes.iter().enumerate() {
        if place == 9 && *byte > 1 {
            return Err(Fault::Overflow);
        }
        number |= u64::from(byte & 0x7f) << (7 * place);
        if *byte < 0x80 {
            *bytes = &bytes[place + 1..];
            return Ok(number);
        }
    }
    Err(Fault::End)
}

/// Appends a number.
#[inline]
pub(crate) fn put_uvarint(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Bytes that a number takes.
pub(crate) fn uvarint_len(number: u64) -> usize {
    (64 - (number | 1).leading_zeros() as usize).div_ceil(7)
}

/// Zigzag: numbers of small magnitude are short, whatever their sign.
pub(crate) fn zigzag(number: i64) -> u64 {
    ((number << 1) ^ (number >> 63)) as u64
}

/// Appends a number's field; zero, the default, is left out.
#[inline]
pub(crate) fn put_number(field: u8, number: u64, out: &mut Vec<u8>) {
    if number != 0 {
        out.push(field << 3);
        put_uvarint(number, out);
    }
}

/// Appends a double's field; zero, but not minus zero, is left out.
#[inline]
pub(crate) fn put_double(field: u8, number: f64, out: &mut Vec<u8>) {
    if number.to_bits() != 0 {
        out.push(field << 3 | 1);
        out.extend_from_slice(&number.to_le_bytes());
    }
}

/// Appends a field of bytes; empty ones are left out.
pub(crate) fn put_bytes(field: u8, bytes: &[u8], out: &mut Vec<u8>) {
    if !bytes.is_empty() {
        out.push(field << 3 | 2);
        put_uvarint(bytes.len() as u64, out);
        out.extend_from_slice(bytes);
    }
}

/// Appends a field whose bytes `put` appends: they are moved once to make space for their length.
pub(crate) fn put_message<T>(
    field: u8,
    out: &mut Vec<u8>,
    put: impl FnOnce(&mut Vec<u8>) -> T,
) -> T {
    out.push(field << 3 | 2);
    let start = out.len();
    // Most are shorter than 128 bytes.
    out.push(0);
    let done = put(out);
    let len = (out.len() - start - 1) as u64;
    if len < 0x80 {
        out[start] = len as u8;
        return done;
    }
    let mut prefix = Vec::with_capacity(10);
    put_uvarint(len, &mut prefix);
    out.splice(start..start + 1, prefix);
    done
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        for number in [0, 1, 127, 128, 300, u64::from(u32::MAX), 1 << 63, u64::MAX] {
            let mut bytes = Vec::new();
            put_uvarint(number, &mut bytes);
            assert_eq!(bytes.len(), uvarint_len(number), "{number}");
            let mut rest = &bytes[..];
            assert_eq!(take_uvarint(&mut rest), Ok(number));
            assert!(rest.is_empty());
        }
        assert_eq!(take_uvarint(&mut &[0xff; 10][..]), Err(Fault::Overflow));
        assert_eq!(take_uvarint(&mut &[0x80][..]), Err(Fault::End));
    }

    #[test]
    fn messages_have_their_length_before_them() {
        for len in [0, 1, 127, 128, 20_000] {
            let mut bytes = vec![9];
            put_message(1, &mut bytes, |out| out.extend(std::iter::repeat_n(7, len)));
            let mut fields = Fields::of(&bytes[1..]);
            assert_eq!(fields.next(), Ok(Some((1, Value::Bytes(&vec![7; len])))));
            assert_eq!(fields.next(), Ok(None));
        }
    }
}
