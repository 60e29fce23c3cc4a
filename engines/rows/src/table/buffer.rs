//! A buffer whose memory stays initialised: reads go over it again and again, and nothing is zeroed
//! before each.

use std::ops::Deref;

/// Bytes at the front of memory that may be longer.
#[derive(Debug, Default)]
pub(super) struct Buffer {
    memory: Vec<u8>,
    len: usize,
}

impl Buffer {
    pub(super) fn clear(&mut self) {
        self.len = 0;
    }

    /// Leaves no more than the first `len` bytes.
    pub(super) fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    /// Drops the first `count` bytes.
    pub(super) fn drop_front(&mut self, count: usize) {
        self.memory.copy_within(count..self.len, 0);
        self.len -= count;
    }

    /// Appends `count` bytes for the caller to fill: until then they are zeros or what lay there
    /// before.
    pub(super) fn grow(&mut self, count: usize) -> &mut [u8] {
        let before = self.len;
        self.len += count;
        if self.memory.len() < self.len {
            self.memory.resize(self.len, 0);
        }
        &mut self.memory[before..self.len]
    }
}

impl Deref for Buffer {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        &self.memory[..self.len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_has_the_bytes_that_a_vector_has() {
        let (mut buffer, mut plain, mut seed) = (Buffer::default(), Vec::new(), 7_u32);
        for _ in 0..2000 {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let (number, len) = ((seed >> 16) as usize % 90, plain.len());
            match seed >> 29 {
                0 => {
                    buffer.truncate(number);
                    plain.truncate(number);
                }
                1 | 2 => {
                    buffer.drop_front(number.min(len));
                    plain.drain(..number.min(len));
                }
                3 if number == 0 => {
                    buffer.clear();
                    plain.clear();
                }
                _ => {
                    buffer.grow(number).fill(number as u8);
                    plain.resize(len + number, number as u8);
                }
            }
            assert_eq!(buffer[..], plain[..], "seed {seed}");
        }
    }
}
