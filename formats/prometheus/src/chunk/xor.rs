//! Encoding 1: floats, of times the change of their distance, of values the bits that differ.
//!
//! Bytes:   | 2 count | first: varint time, 64 bits value | second: uvarint distance, value |
//!          others: `0`, `10` 14, `110` 17, `1110` 20, `1111` 64 bits of change, value |,
//!          docs/formats/prometheus.md

use manicule_core::bytes::DecodeError;

use super::SAMPLE_COUNT_MAX;
use super::bits::{BitReader, BitWriter, fits_shifted};
use super::xor_value::XorValue;

/// Number of bits of change after one, two and three ones.
const CHANGE_LENS: [u32; 3] = [14, 17, 20];

/// The samples of a chunk, decoded one after the other.
#[derive(Clone, Debug)]
pub struct XorSamples<'a> {
    reader: BitReader<'a>,
    /// Number of samples read.
    sample: u32,
    count: u32,
    time: i64,
    distance: u64,
    value: XorValue,
}

impl<'a> XorSamples<'a> {
    /// | 2 count |
    pub(super) fn open(mut reader: BitReader<'a>) -> Result<Self, DecodeError> {
        let count = reader.bits(16) as u32;
        reader.check("sample count of a chunk")?;
        let value = XorValue::first(0);
        Ok(XorSamples { reader, sample: 0, count, time: 0, distance: 0, value })
    }

    pub(super) fn left(&self) -> usize {
        (self.count - self.sample) as usize
    }

    /// The next time and value.
    #[inline(always)]
    pub fn next_float(&mut self) -> Option<Result<(i64, f64), DecodeError>> {
        if self.sample == self.count {
            return None;
        }
        let read = if self.sample >= 2 { self.read() } else { self.read_first() };
        if let Err(error) = read {
            self.count = self.sample;
            return Some(Err(error));
        }
        self.sample += 1;
        Some(Ok((self.time, f64::from_bits(self.value.bits))))
    }

    /// The first two stand in bytes.
    fn read_first(&mut self) -> Result<(), DecodeError> {
        if self.sample == 0 {
            self.time = self.reader.varint("time of a sample")?;
            self.value = XorValue::first(self.reader.word());
        } else {
            self.distance = self.reader.uvarint("time of a sample")?;
            self.time = self.time.wrapping_add_unsigned(self.distance);
            self.value.read(&mut self.reader, "value of a sample")?;
        }
        self.reader.check("sample")
    }

    #[inline]
    fn read(&mut self) -> Result<(), DecodeError> {
        let next = self.reader.peek();
        if next >> 63 == 0 {
            self.reader.skip(1);
        } else {
            self.distance = self.distance.wrapping_add_signed(self.read_change(next));
        }
        self.time = self.time.wrapping_add_unsigned(self.distance);
        self.value.read(&mut self.reader, "value of a sample")?;
        self.reader.check("sample")
    }

    fn read_change(&mut self, next: u64) -> i64 {
        let ones = next.leading_ones().min(4);
        if ones == 4 {
            self.reader.skip(4);
            return self.reader.word() as i64;
        }
        let count = CHANGE_LENS[ones as usize - 1];
        self.reader.skip(ones + 1);
        BitReader::shifted(self.reader.bits(count), count)
    }
}

/// Makes a chunk of floats.
#[derive(Clone, Debug)]
pub struct XorEncoder {
    writer: BitWriter,
    count: u32,
    time: i64,
    distance: u64,
    value: XorValue,
}

impl Default for XorEncoder {
    fn default() -> Self {
        XorEncoder::new()
    }
}

impl XorEncoder {
    /// An empty chunk.
    pub fn new() -> Self {
        let (writer, value) = (BitWriter::behind(&[0; 2]), XorValue::first(0));
        XorEncoder { writer, count: 0, time: 0, distance: 0, value }
    }

    /// Number of samples in the chunk.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Length of the data so far, in bytes.
    #[expect(clippy::len_without_is_empty, reason = "the header is always there")]
    pub fn len(&self) -> usize {
        self.writer.len()
    }

    /// Adds a sample.
    ///
    /// # Panics
    /// If there are [`SAMPLE_COUNT_MAX`] samples.
    #[inline]
    pub fn push(&mut self, time: i64, value: f64) {
        assert!(self.count < SAMPLE_COUNT_MAX, "callers begin another chunk long before");
        let distance = time.wrapping_sub(self.time) as u64;
        match self.count {
            0 => {
                self.writer.varint(time);
                self.writer.bits(value.to_bits(), 64);
                self.value = XorValue::first(value.to_bits());
            }
            1 => {
                self.writer.uvarint(distance);
                self.distance = distance;
                self.value.write(&mut self.writer, value.to_bits());
            }
            _ => {
                self.write_change(distance.wrapping_sub(self.distance) as i64);
                self.distance = distance;
                self.value.write(&mut self.writer, value.to_bits());
            }
        }
        self.time = time;
        self.count += 1;
    }

    #[inline]
    fn write_change(&mut self, change: i64) {
        if change == 0 {
            return self.writer.bits(0, 1);
        }
        for (ones, count) in (1..).zip(CHANGE_LENS) {
            if fits_shifted(change, count) {
                self.writer.bits(((1 << ones) - 1) << 1, ones + 1);
                return self.writer.bits(change as u64, count);
            }
        }
        self.writer.bits(0b1111, 4);
        self.writer.bits(change as u64, 64);
    }

    /// The data of the chunk.
    pub fn finish(mut self) -> Vec<u8> {
        self.writer.written()[..2].copy_from_slice(&(self.count as u16).to_be_bytes());
        self.writer.finish()
    }
}
