//! Reads values off the front of a slice and knows where in the file it stands.

use super::DecodeError;

/// A slice being read from its front. Never panics, never reads past its end.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a> {
    bytes: &'a [u8],
    at: u64,
}

impl<'a> Reader<'a> {
    /// Reads `bytes`, which stand at offset `at` of their file.
    pub fn new(bytes: &'a [u8], at: u64) -> Self {
        Reader { bytes, at }
    }

    /// The offset of the next byte in the file.
    pub fn at(&self) -> u64 {
        self.at
    }

    /// The bytes left.
    pub fn rest(&self) -> &'a [u8] {
        self.bytes
    }

    /// The next `len` bytes.
    pub fn take(&mut self, what: &'static str, len: usize) -> Result<&'a [u8], DecodeError> {
        let Some((head, rest)) = self.bytes.split_at_checked(len) else {
            let (need, have) = (len as u64, self.bytes.len() as u64);
            return Err(DecodeError::Short { what, at: self.at, need, have });
        };
        self.bytes = rest;
        self.at += len as u64;
        Ok(head)
    }

    /// The next byte.
    pub fn u8(&mut self, what: &'static str) -> Result<u8, DecodeError> {
        Ok(self.array::<1>(what)?[0])
    }

    /// The next four bytes as a little-endian number.
    pub fn u32_le(&mut self, what: &'static str) -> Result<u32, DecodeError> {
        Ok(u32::from_le_bytes(self.array(what)?))
    }

    /// The next eight bytes as a little-endian number.
    pub fn u64_le(&mut self, what: &'static str) -> Result<u64, DecodeError> {
        Ok(u64::from_le_bytes(self.array(what)?))
    }

    /// The next four bytes as a big-endian number.
    pub fn u32_be(&mut self, what: &'static str) -> Result<u32, DecodeError> {
        Ok(u32::from_be_bytes(self.array(what)?))
    }

    /// The next eight bytes as a big-endian number.
    pub fn u64_be(&mut self, what: &'static str) -> Result<u64, DecodeError> {
        Ok(u64::from_be_bytes(self.array(what)?))
    }

    /// The next LEB128 varint, lowest seven bits first; at most ten bytes, the tenth at most 1.
    #[inline]
    pub fn uvarint(&mut self, what: &'static str) -> Result<u64, DecodeError> {
        // Most numbers are small: a label's symbols, a length.
        if let Some((&byte @ 0..=0x7f, rest)) = self.bytes.split_first() {
            self.bytes = rest;
            self.at += 1;
            return Ok(byte.into());
        }
        self.uvarint_slow(what)
    }

    fn uvarint_slow(&mut self, what: &'static str) -> Result<u64, DecodeError> {
        let at = self.at;
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.u8(what)?;
            if shift == 63 && byte > 1 {
                return Err(DecodeError::Corrupt { what, at, want: 1, got: byte.into() });
            }
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        unreachable!("the tenth byte ends the number or is refused");
    }

    /// Skips a number of LEB128 varints, whatever their values.
    #[inline]
    pub fn skip_varints(&mut self, what: &'static str, count: u64) -> Result<(), DecodeError> {
        let Some(len) = varints_len(self.bytes, count) else {
            let ended = self.bytes.iter().filter(|byte| **byte < 0x80).count() as u64;
            let (at, need, have) = (self.at + self.bytes.len() as u64, count - ended, 0);
            return Err(DecodeError::Short { what, at, need, have });
        };
        self.at += len as u64;
        self.bytes = &self.bytes[len..];
        Ok(())
    }

    /// The next signed number: 0, -1, 1, -2 and so on are stored as the unsigned 0, 1, 2, 3.
    #[inline]
    pub fn varint(&mut self, what: &'static str) -> Result<i64, DecodeError> {
        let folded = self.uvarint(what)?;
        Ok((folded >> 1) as i64 ^ -((folded & 1) as i64))
    }

    /// The next LEB128 varint, lowest seven bits first; at most five bytes.
    pub fn varint_u32(&mut self, what: &'static str) -> Result<u32, DecodeError> {
        let at = self.at;
        let mut value = 0u64;
        for shift in (0..35).step_by(7) {
            let byte = self.u8(what)?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                let got = value;
                let fits = u32::try_from(value);
                let want = u64::from(u32::MAX);
                return fits.map_err(|_| DecodeError::Corrupt { what, at, want, got });
            }
        }
        Err(DecodeError::Corrupt { what, at, want: 5, got: 6 })
    }

    fn array<const N: usize>(&mut self, what: &'static str) -> Result<[u8; N], DecodeError> {
        let bytes = self.take(what, N)?;
        Ok(bytes.try_into().expect("take gives as many bytes as asked for"))
    }
}

/// Length in bytes of the next `count` LEB128 varints; `None` where they are cut.
#[inline]
pub fn varints_len(bytes: &[u8], count: u64) -> Option<usize> {
    let (mut left, mut rest) = (count, bytes);
    // A number ends with a byte below 0x80: eight bytes are looked at together.
    while left > 0
        && let Some((word, behind)) = rest.split_first_chunk::<8>()
    {
        let mut ends = !u64::from_le_bytes(*word) & 0x8080_8080_8080_8080;
        // A bit in each byte that ends one: a product adds them up, where counting bits takes
        // twelve steps on processors that need not have an instruction for it.
        let count = (ends >> 7).wrapping_mul(0x0101_0101_0101_0101) >> 56;
        if count >= left {
            // The last of them ends in this word: the ends before it are taken away.
            (1..left).for_each(|_| ends &= ends - 1);
            rest = &rest[ends.trailing_zeros() as usize / 8 + 1..];
            left = 0;
        } else {
            (left, rest) = (left - count, behind);
        }
    }
    while left > 0 {
        let (byte, behind) = rest.split_first()?;
        (left, rest) = (left - u64::from(*byte < 0x80), behind);
    }
    Some(bytes.len() - rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_where_and_how_much_is_missing() {
        let mut reader = Reader::new(&[1, 2, 3], 100);
        reader.u8("first").unwrap();
        let error = reader.u32_le("second").unwrap_err();
        assert_eq!(error, DecodeError::Short { what: "second", at: 101, need: 4, have: 2 });
    }

    #[test]
    fn numbers_of_64_bits_end_with_the_tenth_byte() {
        let largest = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1];
        assert_eq!(Reader::new(&largest, 0).uvarint("n"), Ok(u64::MAX));
        let mut too_large = largest;
        too_large[9] = 2;
        let error = DecodeError::Corrupt { what: "n", at: 7, want: 1, got: 2 };
        assert_eq!(Reader::new(&too_large, 7).uvarint("n"), Err(error));
        assert_eq!(Reader::new(&[0x80, 0], 0).uvarint("n"), Ok(0), "longer than needed");
        for (bytes, value) in [(&[0u8][..], 0), (&[1], -1), (&[2], 1), (&largest, i64::MIN)] {
            assert_eq!(Reader::new(bytes, 0).varint("n"), Ok(value));
        }
    }

    #[test]
    fn a_number_is_the_same_with_bytes_behind_it_and_without() {
        let plain = |bytes: &[u8]| {
            let value =
                bytes.iter().rev().fold(0u64, |value, byte| value << 7 | u64::from(byte & 0x7f));
            (value, bytes.len() as u64)
        };
        for len in 1..=9 {
            for seed in 0..500u64 {
                let digit = |at: usize| (seed * 37 + 1).wrapping_mul(at as u64 + 11) as u8 | 0x80;
                let mut bytes: Vec<u8> = (0..len).map(digit).collect();
                bytes[len - 1] &= 0x7f;
                let want = plain(&bytes);
                for behind in [&[][..], &[0xff; 1], &[0xff; 9], &[0; 9]] {
                    let all = [&bytes, behind].concat();
                    let mut reader = Reader::new(&all, 0);
                    assert_eq!(
                        (reader.uvarint("n"), reader.at()),
                        (Ok(want.0), want.1),
                        "{all:x?}"
                    );
                    assert_eq!(reader.rest(), behind);
                }
            }
        }
    }

    #[test]
    fn numbers_are_passed_over_as_they_are_read() {
        let mut bytes = Vec::new();
        for seed in 0..200u64 {
            let number = super::super::mix(seed, 7) >> (seed % 64);
            let mut left = number;
            while left >= 0x80 {
                bytes.push(left as u8 | 0x80);
                left >>= 7;
            }
            bytes.push(left as u8);
        }
        for count in 0..=200 {
            let (mut plain, mut fast) = (Reader::new(&bytes, 5), Reader::new(&bytes, 5));
            (0..count).for_each(|_| assert!(plain.uvarint("n").is_ok()));
            fast.skip_varints("n", count).unwrap();
            assert_eq!((fast.at(), fast.rest()), (plain.at(), plain.rest()), "{count}");
        }
        assert!(Reader::new(&bytes, 5).skip_varints("n", 201).is_err());
        assert!(Reader::new(&[0x80; 20], 5).skip_varints("n", 1).is_err());
    }

    #[test]
    fn varints_read_back() {
        for (bytes, value) in [(&[5u8][..], 5), (&[0x80, 1], 128), (&[0xff; 4], 0)] {
            let got = Reader::new(bytes, 0).varint_u32("n");
            if value == 0 {
                assert!(got.is_err());
            } else {
                assert_eq!(got, Ok(value));
            }
        }
        let largest = [0xff, 0xff, 0xff, 0xff, 0x0f];
        assert_eq!(Reader::new(&largest, 0).varint_u32("n"), Ok(u32::MAX));
        let too_large = [0xff, 0xff, 0xff, 0xff, 0x1f];
        assert!(Reader::new(&too_large, 0).varint_u32("n").is_err());
    }
}
