//! *Sized deltas*: a count, then the distance of each number from the one before, as varints modulo
//! 2^32.
//!
//! Bytes:   docs/formats/zoekt.md, section *Sized deltas*

use manicule_core::bytes::{DecodeError, Reader, put_uvarint};

/// Reads the numbers at the front of `reader`, which need not rise. Whatever the count says, no
/// more memory is taken than the bytes at hand can back.
pub(crate) fn decode(what: &'static str, mut reader: Reader<'_>) -> Result<Vec<u32>, DecodeError> {
    let at = reader.at();
    let count = reader.varint_u32(what)? as usize;
    if count > reader.rest().len() {
        let (want, got) = (reader.rest().len() as u64, count as u64);
        return Err(DecodeError::Corrupt { what, at, want, got });
    }
    let mut numbers = Vec::with_capacity(count);
    let mut last = 0u32;
    for _ in 0..count {
        last = last.wrapping_add(reader.varint_u32(what)?);
        numbers.push(last);
    }
    if !reader.rest().is_empty() {
        let (at, got) = (reader.at(), reader.rest().len() as u64);
        return Err(DecodeError::Corrupt { what, at, want: 0, got });
    }
    Ok(numbers)
}

/// Appends numbers to `out`.
pub(crate) fn encode(numbers: impl ExactSizeIterator<Item = u32>, out: &mut Vec<u8>) {
    put_uvarint(numbers.len() as u64, out);
    let mut last = 0u32;
    for number in numbers {
        put_uvarint(number.wrapping_sub(last).into(), out);
        last = number;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(numbers: &[u32], bytes: &[u8]) {
        let mut out = Vec::new();
        encode(numbers.iter().copied(), &mut out);
        assert_eq!(out, bytes);
        assert_eq!(decode("numbers", Reader::new(bytes, 0)).unwrap(), numbers);
    }

    #[test]
    fn none() {
        check(&[], &[0]);
    }

    #[test]
    fn rising() {
        check(&[3, 300], &[2, 3, 0xa9, 2]);
    }

    #[test]
    fn falling_wraps() {
        check(&[1, 0], &[2, 1, 0xff, 0xff, 0xff, 0xff, 0x0f]);
    }

    #[test]
    fn a_count_that_the_bytes_cannot_back_is_an_error() {
        assert!(decode("numbers", Reader::new(&[0xff, 0xff, 0xff, 0x7f, 1, 2], 0)).is_err());
        assert!(decode("numbers", Reader::new(&[1, 2, 3], 0)).is_err());
    }
}
