//! Encoding 4: floats with start times; one prefix says of time and value what has changed.
//!
//! Bytes:   | 2 count | 1 start times | first: varint time, 64 bits value | second: uvarint distance, code A |
//!          others: `0` nothing new, `10` code B, `110` 13, `1110` 20, `11110` 64 bits of change,
//!          code A, `11111` stale |, a start time after each; code A: `0` equal, `10` in the
//!          window, `110` new window, `111` stale; code B: `0` in the window, `1` new window,
//!          docs/formats/prometheus.md

use manicule_core::bytes::DecodeError;

use super::SAMPLE_COUNT_MAX;
use super::bits::{BitReader, BitWriter};
use super::sample::STALE_BITS;
use super::start_time::StartTimes;
use super::xor_value::{Code, Window};

/// Number of bits of change after two, three and four ones; in two's complement.
const CHANGE_LENS: [u32; 3] = [13, 20, 64];
/// Offset of the byte of the start times.
const START_TIMES_AT: usize = 2;
const VALUE: &str = "value of a sample";

/// The samples of a chunk, decoded one after the other.
#[derive(Clone, Debug)]
pub struct Xor2Samples<'a> {
    reader: BitReader<'a>,
    sample: u32,
    count: u32,
    time: i64,
    distance: u64,
    /// The last value that wasn't a stale marker: values differ from this one.
    base: u64,
    window: Window,
    starts: StartTimes,
}

impl<'a> Xor2Samples<'a> {
    /// | 2 count | 1 start times |
    pub(super) fn open(mut reader: BitReader<'a>) -> Result<Self, DecodeError> {
        let count = reader.bits(16) as u32;
        let starts = StartTimes::open(reader.bits(8) as u8);
        reader.check("header of a chunk")?;
        let (window, base) = (Window::NONE, 0);
        Ok(Xor2Samples { reader, sample: 0, count, time: 0, distance: 0, base, window, starts })
    }

    pub(super) fn left(&self) -> usize {
        (self.count - self.sample) as usize
    }

    /// The next time, start time and value.
    #[inline]
    pub fn next_float(&mut self) -> Option<Result<(i64, i64, f64), DecodeError>> {
        if self.sample == self.count {
            return None;
        }
        let before = self.time;
        let value = self.read_value().and_then(|value| {
            self.starts.read(&mut self.reader, self.sample, self.time, before)?;
            self.reader.check("sample")?;
            Ok(value)
        });
        match value {
            Ok(bits) => {
                self.sample += 1;
                Some(Ok((self.time, self.starts.start, f64::from_bits(bits))))
            }
            Err(error) => {
                self.count = self.sample;
                Some(Err(error))
            }
        }
    }

    fn read_value(&mut self) -> Result<u64, DecodeError> {
        match self.sample {
            0 => {
                self.time = self.reader.varint("time of a sample")?;
                let bits = self.reader.word();
                if bits != STALE_BITS {
                    self.base = bits;
                }
                Ok(bits)
            }
            1 => {
                self.distance = self.reader.uvarint("time of a sample")?;
                self.time = self.time.wrapping_add_unsigned(self.distance);
                self.read_code_a()
            }
            _ => self.read_joint(),
        }
    }

    #[inline]
    fn read_joint(&mut self) -> Result<u64, DecodeError> {
        let ones = self.reader.peek().leading_ones().min(5);
        self.reader.skip((ones + 1).min(5));
        if let 2..=4 = ones {
            let count = CHANGE_LENS[ones as usize - 2];
            let change = (self.reader.bits(count) << (64 - count)) as i64 >> (64 - count);
            self.distance = self.distance.wrapping_add_signed(change);
        }
        self.time = self.time.wrapping_add_unsigned(self.distance);
        match ones {
            0 => Ok(self.base),
            1 => {
                let is_new = self.reader.bits(1) == 1;
                self.read_difference(is_new)
            }
            5 => Ok(STALE_BITS),
            _ => self.read_code_a(),
        }
    }

    fn read_code_a(&mut self) -> Result<u64, DecodeError> {
        let ones = self.reader.peek().leading_ones().min(3);
        self.reader.skip((ones + 1).min(3));
        match ones {
            0 => Ok(self.base),
            3 => Ok(STALE_BITS),
            _ => self.read_difference(ones == 2),
        }
    }

    fn read_difference(&mut self, is_new: bool) -> Result<u64, DecodeError> {
        self.base ^= if is_new {
            self.window.read_new(&mut self.reader, VALUE)?
        } else {
            self.window.read(&mut self.reader)
        };
        Ok(self.base)
    }
}

/// Makes a chunk of floats with start times.
#[derive(Clone, Debug)]
pub struct Xor2Encoder {
    writer: BitWriter,
    count: u32,
    time: i64,
    distance: u64,
    base: u64,
    window: Window,
    starts: StartTimes,
}

impl Default for Xor2Encoder {
    fn default() -> Self {
        Xor2Encoder::new()
    }
}

impl Xor2Encoder {
    /// An empty chunk.
    pub fn new() -> Self {
        Xor2Encoder {
            writer: BitWriter::behind(&[0; 3]),
            count: 0,
            time: 0,
            distance: 0,
            base: 0,
            window: Window::NONE,
            starts: StartTimes::default(),
        }
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

    /// Adds a sample; a start time of 0 is unknown.
    ///
    /// # Panics
    /// If there are [`SAMPLE_COUNT_MAX`] samples.
    pub fn push(&mut self, time: i64, start_time: i64, value: f64) {
        assert!(self.count < SAMPLE_COUNT_MAX, "callers begin another chunk long before");
        let bits = value.to_bits();
        let distance = time.wrapping_sub(self.time) as u64;
        match self.count {
            0 => {
                self.writer.varint(time);
                self.writer.bits(bits, 64);
                if bits != STALE_BITS {
                    self.base = bits;
                }
            }
            1 => {
                self.writer.uvarint(distance);
                self.distance = distance;
                self.write_code_a(bits);
            }
            _ => {
                self.write_joint(distance.wrapping_sub(self.distance) as i64, bits);
                self.distance = distance;
            }
        }
        self.starts.write(&mut self.writer, self.count, time, self.time, start_time);
        self.time = time;
        self.count += 1;
    }

    fn write_joint(&mut self, change: i64, bits: u64) {
        if change != 0 {
            let fits = |count: &u32| (change << (64 - count)) >> (64 - count) == change;
            let place = CHANGE_LENS.iter().position(fits).expect("64 bits hold any change");
            let ones = place as u32 + 2;
            self.writer.bits(((1 << ones) - 1) << 1, ones + 1);
            self.writer.bits(change as u64, CHANGE_LENS[place]);
            return self.write_code_a(bits);
        }
        if bits == STALE_BITS {
            return self.writer.bits(0b11111, 5);
        }
        let difference = bits ^ self.base;
        if difference == 0 {
            return self.writer.bits(0, 1);
        }
        let (reuse, new) = (Code { bits: 0b100, len: 3 }, Code { bits: 0b101, len: 3 });
        self.window.write(&mut self.writer, difference, reuse, new);
        self.base = bits;
    }

    fn write_code_a(&mut self, bits: u64) {
        if bits == STALE_BITS {
            return self.writer.bits(0b111, 3);
        }
        let difference = bits ^ self.base;
        if difference == 0 {
            return self.writer.bits(0, 1);
        }
        let (reuse, new) = (Code { bits: 0b10, len: 2 }, Code { bits: 0b110, len: 3 });
        self.window.write(&mut self.writer, difference, reuse, new);
        self.base = bits;
    }

    /// The data of the chunk.
    pub fn finish(mut self) -> Vec<u8> {
        let header = self.writer.written();
        header[..START_TIMES_AT].copy_from_slice(&(self.count as u16).to_be_bytes());
        header[START_TIMES_AT] = self.starts.header();
        self.writer.finish()
    }
}
