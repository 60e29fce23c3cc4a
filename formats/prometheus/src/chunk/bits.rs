//! Bits in and out of a chunk, the highest bit of each byte first, and the numbers that are written
//! in them.
//!
//! Bytes:   docs/formats/prometheus.md

use manicule_core::bytes::DecodeError;

/// Minimum number of bits that [`BitReader::peek`] gives.
const PEEK_LEN: u32 = 57;

/// Reads bits off the front of a slice. Past its end it gives zeros; [`BitReader::check`] says so
/// afterwards, so that a sample costs one comparison and not one for each of its fields.
#[derive(Clone, Copy, Debug)]
pub struct BitReader<'a> {
    bytes: &'a [u8],
    /// The last eight bytes, for reading near the end. A shorter slice stands in the high bytes.
    tail: u64,
    /// The next bit, from the start of `bytes`.
    at: u64,
    /// Offset of `bytes` in their file.
    origin: u64,
}

impl<'a> BitReader<'a> {
    pub(super) fn new(bytes: &'a [u8], origin: u64) -> Self {
        let mut tail = [0; 8];
        let last = &bytes[bytes.len().saturating_sub(8)..];
        tail[..last.len()].copy_from_slice(last);
        BitReader { bytes, tail: u64::from_be_bytes(tail), at: 0, origin }
    }

    /// The next bits, the first one highest: 57 of them at least, zeros after the end.
    #[inline]
    pub(super) fn peek(&self) -> u64 {
        let byte = (self.at / 8) as usize;
        let word = match self.bytes.get(byte..).and_then(|rest| rest.first_chunk()) {
            Some(word) => u64::from_be_bytes(*word),
            None => self.peek_tail(byte),
        };
        word << (self.at % 8)
    }

    #[inline]
    fn peek_tail(&self, byte: usize) -> u64 {
        let skipped = byte - self.bytes.len().saturating_sub(8);
        if skipped < 8 { self.tail << (skipped * 8) } else { 0 }
    }

    #[inline]
    pub(super) fn skip(&mut self, count: u32) {
        self.at += u64::from(count);
    }

    /// The next `count` bits as a number; 1 to 64.
    #[inline]
    pub(super) fn bits(&mut self, count: u32) -> u64 {
        if count <= PEEK_LEN {
            let bits = self.peek() >> (64 - count);
            self.skip(count);
            return bits;
        }
        let high = self.bits(32);
        (high << (count - 32)) | self.bits(count - 32)
    }

    /// The next 64 bits as a number.
    #[inline]
    pub(super) fn word(&mut self) -> u64 {
        self.bits(64)
    }

    /// A number of up to `count` bits that is stored shifted by one: 2^(count−1) is positive, its
    /// negative is not there.
    #[inline]
    pub(super) fn shifted(bits: u64, count: u32) -> i64 {
        let is_negative = bits > 1 << (count - 1);
        (bits as i64).wrapping_sub(i64::from(is_negative) << count)
    }

    /// A LEB128 varint in bytes that begin at any bit; at most ten, the tenth at most 1.
    pub(super) fn uvarint(&mut self, what: &'static str) -> Result<u64, DecodeError> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.bits(8);
            self.check(what)?;
            if shift == 63 && byte > 1 {
                return Err(DecodeError::Corrupt { what, at: self.at(), want: 1, got: byte });
            }
            value |= (byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        unreachable!("the tenth byte ends the number or is refused");
    }

    /// A signed LEB128 varint (zigzag).
    pub(super) fn varint(&mut self, what: &'static str) -> Result<i64, DecodeError> {
        let folded = self.uvarint(what)?;
        Ok((folded >> 1) as i64 ^ -((folded & 1) as i64))
    }

    /// A number with a prefix of ones that says its length.
    #[inline]
    pub(super) fn varbit_uint(&mut self) -> u64 {
        let Some(count) = self.varbit_len() else { return 0 };
        self.bits(count)
    }

    /// A signed number with a prefix of ones that says its length.
    #[inline]
    pub(super) fn varbit_int(&mut self) -> i64 {
        let Some(count) = self.varbit_len() else { return 0 };
        let bits = self.bits(count);
        if count == 64 { bits as i64 } else { Self::shifted(bits, count) }
    }

    /// Number of bits after the prefix.
    #[inline]
    fn varbit_len(&mut self) -> Option<u32> {
        let ones = self.peek().leading_ones().min(8);
        self.skip((ones + 1).min(8));
        (ones > 0).then(|| VARBIT_LENS[ones as usize - 1])
    }

    /// Whether everything read so far was there.
    #[inline]
    pub(super) fn check(&self, what: &'static str) -> Result<(), DecodeError> {
        if self.at <= self.bytes.len() as u64 * 8 {
            return Ok(());
        }
        let (need, have) = (self.at.div_ceil(8), self.bytes.len() as u64);
        Err(DecodeError::Short { what, at: self.origin, need, have })
    }

    /// Number of bits left.
    pub(super) fn left(&self) -> u64 {
        (self.bytes.len() as u64 * 8).saturating_sub(self.at)
    }

    /// The byte that the next bit stands in, in its file.
    pub(super) fn at(&self) -> u64 {
        self.origin + self.at / 8
    }
}

/// Number of bits after one, two and so on up to eight ones.
const VARBIT_LENS: [u32; 8] = [3, 6, 9, 12, 18, 25, 56, 64];

/// A writer of bits. The last byte is filled up with zeros.
#[derive(Clone, Debug, Default)]
pub struct BitWriter {
    bytes: Vec<u8>,
    /// Bits that are not in `bytes` yet, the first one highest.
    pending: u64,
    /// Their number; less than 64.
    pending_len: u32,
}

impl BitWriter {
    /// Begins after some bytes.
    pub(super) fn behind(header: &[u8]) -> Self {
        BitWriter { bytes: header.to_vec(), pending: 0, pending_len: 0 }
    }

    /// Number of bytes; one that has a bit counts.
    pub(super) fn len(&self) -> usize {
        self.bytes.len() + self.pending_len.div_ceil(8) as usize
    }

    /// Bytes written before, to change them. Those of the header are always among them.
    pub(super) fn written(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    /// All bytes.
    pub(super) fn finish(mut self) -> Vec<u8> {
        let last = self.pending.to_be_bytes();
        self.bytes.extend_from_slice(&last[..self.pending_len.div_ceil(8) as usize]);
        self.bytes
    }

    /// The low `count` bits of a number; 1 to 64.
    #[inline]
    pub(super) fn bits(&mut self, bits: u64, count: u32) {
        let bits = bits & (u64::MAX >> (64 - count));
        let free = 64 - self.pending_len;
        if count < free {
            self.pending |= bits << (free - count);
            self.pending_len += count;
            return;
        }
        let over = count - free;
        self.bytes.extend_from_slice(&(self.pending | (bits >> over)).to_be_bytes());
        self.pending = if over == 0 { 0 } else { bits << (64 - over) };
        self.pending_len = over;
    }

    /// A LEB128 varint in bytes that begin at any bit.
    pub(super) fn uvarint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.bits((value & 0x7f) | 0x80, 8);
            value >>= 7;
        }
        self.bits(value, 8);
    }

    /// A signed LEB128 varint (zigzag).
    pub(super) fn varint(&mut self, value: i64) {
        self.uvarint(((value << 1) ^ (value >> 63)) as u64);
    }

    /// A number with a prefix of ones that says its length.
    #[inline]
    pub(super) fn varbit_uint(&mut self, value: u64) {
        self.varbit(value, |count| value >> count == 0, value == 0);
    }

    /// A signed number with a prefix of ones that says its length.
    #[inline]
    pub(super) fn varbit_int(&mut self, value: i64) {
        self.varbit(value as u64, |count| fits_shifted(value, count), value == 0);
    }

    #[inline]
    fn varbit(&mut self, bits: u64, fits: impl Fn(u32) -> bool, is_zero: bool) {
        if is_zero {
            return self.bits(0, 1);
        }
        for (ones, count) in (1..).zip(&VARBIT_LENS[..7]) {
            if fits(*count) {
                self.bits(((1 << ones) - 1) << 1, ones + 1);
                return self.bits(bits, *count);
            }
        }
        self.bits(0xff, 8);
        self.bits(bits, 64);
    }
}

/// Whether [`BitReader::shifted`] gives the number back from `count` bits.
#[inline]
pub(super) fn fits_shifted(value: i64, count: u32) -> bool {
    -((1 << (count - 1)) - 1) <= value && value <= 1 << (count - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bit by bit: what the buffers have to give.
    fn plain(bytes: &[u8]) -> Vec<bool> {
        bytes.iter().flat_map(|byte| (0..8).rev().map(move |bit| (byte >> bit) & 1 == 1)).collect()
    }

    #[test]
    fn any_lengths_read_back_and_stand_as_bit_by_bit() {
        let mut seed = 1u64;
        let mut random = move || {
            seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            seed ^ (seed >> 29)
        };
        for round in 0..200 {
            let fields: Vec<(u64, u32)> =
                (0..round).map(|_| (random(), random() as u32 % 64 + 1)).collect();
            let mut writer = BitWriter::behind(&[9]);
            let mut slow = plain(&[9]);
            for (bits, count) in &fields {
                writer.bits(*bits, *count);
                slow.extend((0..*count).rev().map(|bit| (bits >> bit) & 1 == 1));
            }
            let len = writer.len();
            let bytes = writer.finish();
            assert_eq!((bytes.len(), &plain(&bytes)[..slow.len()]), (len, &slow[..]));
            let mut reader = BitReader::new(&bytes, 0);
            reader.skip(8);
            for (bits, count) in &fields {
                assert_eq!(reader.bits(*count), bits & (u64::MAX >> (64 - count)));
            }
            reader.check("fields").unwrap();
            reader.skip(8);
            assert_eq!(reader.peek(), 0);
            assert!(reader.check("fields").is_err());
        }
    }

    #[test]
    fn numbers_of_every_length_read_back() {
        for shift in 0..64 {
            for value in [1u64 << shift, (1 << shift) - 1, (1 << shift) + 1] {
                let mut writer = BitWriter::default();
                writer.bits(1, 1);
                writer.uvarint(value);
                writer.varbit_uint(value);
                for signed in [value as i64, (value as i64).wrapping_neg()] {
                    writer.varint(signed);
                    writer.varbit_int(signed);
                }
                let bytes = writer.finish();
                let mut reader = BitReader::new(&bytes, 0);
                reader.skip(1);
                assert_eq!((reader.uvarint("n"), reader.varbit_uint()), (Ok(value), value));
                for signed in [value as i64, (value as i64).wrapping_neg()] {
                    assert_eq!((reader.varint("n"), reader.varbit_int()), (Ok(signed), signed));
                }
                reader.check("numbers").unwrap();
            }
        }
    }
}
