//! A double that follows another one: the bits in which they differ.
//!
//! Bytes:   `0` equal, `10` bits in the window of before, `11` 5 leading zeros, 6 count, bits: a new window,
//!          docs/formats/prometheus.md

use manicule_core::bytes::DecodeError;

use super::bits::{BitReader, BitWriter};

/// Leading zeros take five bits.
const LEADING_MAX: u32 = 31;

/// A prefix code.
#[derive(Clone, Copy, Debug)]
pub(super) struct Code {
    pub(super) bits: u64,
    /// Number of bits.
    pub(super) len: u32,
}

/// Window of the bits of the last difference.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    /// Zeros in front; more than a difference can have when nothing was written yet.
    leading: u32,
    trailing: u32,
    len: u32,
}

impl Window {
    /// No window yet. A reader that has to use it takes 64 bits.
    pub(super) const NONE: Window = Window { leading: u32::MAX, trailing: 0, len: 64 };

    /// Whether the bits of a difference lie in it.
    #[inline]
    fn holds(&self, difference: u64) -> bool {
        difference.leading_zeros().min(LEADING_MAX) >= self.leading
            && difference.trailing_zeros() >= self.trailing
    }

    fn around(difference: u64) -> Self {
        let leading = difference.leading_zeros().min(LEADING_MAX);
        let trailing = difference.trailing_zeros();
        Window { leading, trailing, len: 64 - leading - trailing }
    }

    /// The bits of a difference that lies in it.
    #[inline]
    pub(super) fn read(&self, reader: &mut BitReader<'_>) -> u64 {
        reader.bits(self.len) << self.trailing
    }

    /// | 5 leading | 6 len, 64 as 0 | len bits |
    #[inline]
    pub(super) fn read_new(
        &mut self,
        reader: &mut BitReader<'_>,
        what: &'static str,
    ) -> Result<u64, DecodeError> {
        let head = reader.bits(11);
        let leading = (head >> 6) as u32;
        let len = match head as u32 & 63 {
            0 => 64,
            len => len,
        };
        if leading + len > 64 {
            let (want, got) = (64 - u64::from(leading), len.into());
            return Err(DecodeError::Corrupt { what, at: reader.at(), want, got });
        }
        *self = Window { leading, trailing: 64 - leading - len, len };
        Ok(self.read(reader))
    }

    /// Writes a difference that isn't zero: the code of a window that is used again or of a new
    /// one, then the difference.
    #[inline]
    pub(super) fn write(
        &mut self,
        writer: &mut BitWriter,
        difference: u64,
        reuse: Code,
        new: Code,
    ) {
        if self.holds(difference) {
            writer.bits(reuse.bits, reuse.len);
        } else {
            *self = Window::around(difference);
            writer.bits(new.bits, new.len);
            writer.bits(self.leading.into(), 5);
            writer.bits(self.len.into(), 6);
        }
        writer.bits(difference >> self.trailing, self.len);
    }
}

/// The last double, and where the bits of the last difference lay.
#[derive(Clone, Copy, Debug)]
pub struct XorValue {
    pub(super) bits: u64,
    window: Window,
}

impl XorValue {
    pub(super) fn first(bits: u64) -> Self {
        XorValue { bits, window: Window::NONE }
    }

    #[inline]
    pub(super) fn read(
        &mut self,
        reader: &mut BitReader<'_>,
        what: &'static str,
    ) -> Result<(), DecodeError> {
        let next = reader.peek();
        if next >> 63 == 0 {
            reader.skip(1);
            return Ok(());
        }
        reader.skip(2);
        self.bits ^= if next >> 62 == 0b10 {
            self.window.read(reader)
        } else {
            self.window.read_new(reader, what)?
        };
        Ok(())
    }

    #[inline]
    pub(super) fn write(&mut self, writer: &mut BitWriter, bits: u64) {
        let difference = bits ^ self.bits;
        if difference == 0 {
            return writer.bits(0, 1);
        }
        self.window.write(
            writer,
            difference,
            Code { bits: 0b10, len: 2 },
            Code { bits: 0b11, len: 2 },
        );
        self.bits = bits;
    }
}
