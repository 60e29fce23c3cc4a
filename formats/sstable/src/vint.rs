//! Numbers and byte strings of variable length.
//!
//! Bytes:   vint: as many leading 1 bits in the first byte as bytes follow (0 to 8), then the number's bits, big-endian;
//!          LEB128: seven bits a byte, lowest first, docs/formats/sstable.md, Primitives

use manicule_core::bytes::{DecodeError, Reader};

/// Longest vint in bytes.
pub const VINT_LEN_MAX: usize = 9;

/// Length in bytes of the vint that begins with this byte: 1 to 9.
#[inline]
pub fn vint_len(first: u8) -> usize {
    first.leading_ones() as usize + 1
}

/// The vint at the front of `bytes` and its length; `None` if it is cut. Forms longer than needed
/// are accepted.
#[inline]
pub fn split_vint(bytes: &[u8]) -> Option<(u64, usize)> {
    let first = *bytes.first()?;
    if first < 0x80 {
        return Some((first.into(), 1));
    }
    let len = vint_len(first);
    // One load: the ones in front and the zero after them are as many bits as there are bytes.
    if let (Some(word), 2..=8) = (bytes.first_chunk::<8>(), len) {
        let word = u64::from_be_bytes(*word);
        return Some((word << len >> len >> (64 - 8 * len), len));
    }
    split_long_vint(bytes, len)
}

/// A vint of nine bytes, or one near the end.
#[inline(never)]
fn split_long_vint(bytes: &[u8], len: usize) -> Option<(u64, usize)> {
    let (first, rest) = bytes.get(..len)?.split_first()?;
    // Of a first byte of all ones nothing is the number's.
    let high = if len > 8 { 0 } else { u64::from(*first) & (0xff >> len) };
    Some((rest.iter().fold(high, |value, byte| value << 8 | u64::from(*byte)), len))
}

/// The signed number that an unsigned one stands for: 0, -1, 1, -2 and so on are stored as 0, 1, 2,
/// 3.
#[inline]
pub fn unfold(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

/// Appends a vint in its shortest form.
pub fn put_vint(value: u64, out: &mut Vec<u8>) {
    let bits = 64 - (value | 1).leading_zeros() as usize;
    let len = bits.div_ceil(7).min(VINT_LEN_MAX);
    if len == VINT_LEN_MAX {
        out.push(0xff);
        out.extend_from_slice(&value.to_be_bytes());
        return;
    }
    let start = out.len();
    out.extend_from_slice(&value.to_be_bytes()[8 - len..]);
    out[start] |= !(0xff_u8 >> (len - 1));
}

/// What SSTables have beyond the numbers of core's reader.
pub trait ReadVint<'a> {
    /// The next vint.
    fn vint(&mut self, what: &'static str) -> Result<u64, DecodeError>;

    /// The next vint as a signed number.
    fn svint(&mut self, what: &'static str) -> Result<i64, DecodeError>;

    /// The next vint, which is a length of bytes that follow it, and no more than there are.
    fn length(&mut self, what: &'static str) -> Result<usize, DecodeError>;

    /// The next byte string with its length as a vint in front.
    fn vbytes(&mut self, what: &'static str) -> Result<&'a [u8], DecodeError>;

    /// The next byte string with its length as 16 bits in front.
    fn short_bytes(&mut self, what: &'static str) -> Result<&'a [u8], DecodeError>;

    /// The next two bytes as a big-endian number.
    fn u16_be(&mut self, what: &'static str) -> Result<u16, DecodeError>;

    /// The next byte, which is 0 or 1.
    fn flag(&mut self, what: &'static str) -> Result<bool, DecodeError>;
}

impl<'a> ReadVint<'a> for Reader<'a> {
    #[inline]
    fn vint(&mut self, what: &'static str) -> Result<u64, DecodeError> {
        let Some((value, len)) = split_vint(self.rest()) else {
            let need = self.rest().first().map_or(1, |first| vint_len(*first)) as u64;
            let (at, have) = (self.at(), self.rest().len() as u64);
            return Err(DecodeError::Short { what, at, need, have });
        };
        *self = Reader::new(&self.rest()[len..], self.at() + len as u64);
        Ok(value)
    }

    #[inline]
    fn svint(&mut self, what: &'static str) -> Result<i64, DecodeError> {
        Ok(unfold(self.vint(what)?))
    }

    fn length(&mut self, what: &'static str) -> Result<usize, DecodeError> {
        let need = self.vint(what)?;
        let have = self.rest().len();
        match usize::try_from(need) {
            Ok(len) if len <= have => Ok(len),
            _ => Err(DecodeError::Short { what, at: self.at(), need, have: have as u64 }),
        }
    }

    fn vbytes(&mut self, what: &'static str) -> Result<&'a [u8], DecodeError> {
        let len = self.length(what)?;
        self.take(what, len)
    }

    fn short_bytes(&mut self, what: &'static str) -> Result<&'a [u8], DecodeError> {
        let len = self.u16_be(what)?;
        self.take(what, len.into())
    }

    fn u16_be(&mut self, what: &'static str) -> Result<u16, DecodeError> {
        let bytes = self.take(what, 2)?;
        Ok(u16::from_be_bytes([bytes[0], bytes[1]]))
    }

    fn flag(&mut self, what: &'static str) -> Result<bool, DecodeError> {
        let at = self.at();
        match self.u8(what)? {
            0 => Ok(false),
            1 => Ok(true),
            got => Err(DecodeError::Corrupt { what, at, want: 1, got: got.into() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_as_long_as_the_format_says() {
        let rows: [(u64, &[u8]); 9] = [
            (0, &[0]),
            (127, &[0x7f]),
            (128, &[0x80, 0x80]),
            (0x3fff, &[0xbf, 0xff]),
            (0x4000, &[0xc0, 0x40, 0]),
            ((1 << 49) - 1, &[0xfd, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]),
            ((1 << 56) - 1, &[0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]),
            (1 << 56, &[0xff, 1, 0, 0, 0, 0, 0, 0, 0]),
            (u64::MAX, &[0xff; 9]),
        ];
        for (value, bytes) in rows {
            let mut out = Vec::new();
            put_vint(value, &mut out);
            assert_eq!(out, bytes, "{value}");
            assert_eq!(split_vint(&[bytes, &[7, 7]].concat()), Some((value, bytes.len())));
            for cut in 0..bytes.len() {
                assert_eq!(split_vint(&bytes[..cut]), None, "{value} cut after {cut} bytes");
            }
        }
        assert_eq!(split_vint(&[0x80, 5]), Some((5, 2)), "longer than needed");
        assert_eq!(split_vint(&[0xff, 0, 0, 0, 0, 0, 0, 0, 5]), Some((5, 9)));
    }

    #[test]
    fn a_number_is_the_same_with_bytes_after_it_and_without() {
        for first in 0..=255u8 {
            let len = vint_len(first);
            for seed in 0..200u64 {
                let random = manicule_core::bytes::mix(seed, first.into()).to_be_bytes();
                let bytes = [&[first], &random[..]].concat();
                let plain = split_long_vint(&bytes[..len], len);
                for end in len..=bytes.len() {
                    assert_eq!(split_vint(&bytes[..end]), plain, "{bytes:x?} up to {end}");
                }
                assert_eq!(split_vint(&bytes[..len - 1]), None);
            }
        }
    }

    #[test]
    fn every_number_reads_back() {
        let edges = (0..64).flat_map(|bit| [(1u64 << bit) - 1, 1 << bit, (1 << bit) + 1]);
        for value in edges.chain([u64::MAX]) {
            let mut out = Vec::new();
            put_vint(value, &mut out);
            let mut reader = Reader::new(&out, 3);
            assert_eq!(reader.vint("n"), Ok(value));
            assert_eq!(reader.at(), 3 + out.len() as u64);
            assert_eq!(manicule_core::bytes::folded(unfold(value)), value);
        }
    }

    #[test]
    fn lengths_past_the_end_are_refused_where_they_stand() {
        let error = Reader::new(&[0xc0], 9).vint("n").unwrap_err();
        assert_eq!(error, DecodeError::Short { what: "n", at: 9, need: 3, have: 1 });
        let error = Reader::new(&[3, 1, 2], 9).vbytes("n").unwrap_err();
        assert_eq!(error, DecodeError::Short { what: "n", at: 10, need: 3, have: 2 });
        let error = Reader::new(&[0xff; 20], 9).vbytes("n").unwrap_err();
        assert_eq!(error, DecodeError::Short { what: "n", at: 18, need: u64::MAX, have: 11 });
        assert_eq!(Reader::new(&[0, 2, 1, 2, 3], 0).short_bytes("n"), Ok(&[1, 2][..]));
        assert!(Reader::new(&[2], 0).flag("n").is_err());
    }
}
