//! Concatenated texts with their offsets, and bitmaps.

/// Concatenated byte strings.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Texts {
    /// Where each ends; the first begins at 0.
    pub(super) ends: Vec<i32>,
    pub(super) bytes: Vec<u8>,
}

impl Texts {
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn get(&self, at: usize) -> &[u8] {
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        &self.bytes[start..self.ends[at] as usize]
    }

    /// Adds one. A batch ends long before 2 GiB: see [`super::rows`].
    pub(super) fn push(&mut self, text: &[u8]) {
        self.bytes.extend_from_slice(text);
        self.end();
    }

    /// Ends a text whose bytes were added.
    pub(super) fn end(&mut self) {
        let end = i32::try_from(self.bytes.len());
        self.ends.push(end.expect("a batch of texts is less than 2 GiB"));
    }

    pub(super) fn truncate(&mut self, len: usize) {
        self.ends.truncate(len);
        self.bytes.truncate(self.ends.last().map_or(0, |end| *end as usize));
    }
}

/// Bits, eight to a byte, the lowest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Bits {
    pub(super) bytes: Vec<u8>,
    pub(super) len: usize,
}

impl Bits {
    /// So many ones.
    pub(super) fn ones(len: usize) -> Bits {
        let mut bytes = vec![0xff; len.div_ceil(8)];
        if let Some(last) = bytes.last_mut() {
            // Behind the last bit are zeros.
            *last >>= (8 - len % 8) % 8;
        }
        Bits { bytes, len }
    }

    pub(super) fn get(&self, at: usize) -> bool {
        self.bytes[at / 8] & 1 << (at % 8) != 0
    }

    pub(super) fn push(&mut self, bit: bool) {
        let (byte, mask) = (self.len / 8, 1 << (self.len % 8));
        if byte == self.bytes.len() {
            self.bytes.push(0);
        }
        if bit {
            self.bytes[byte] |= mask;
        } else {
            self.bytes[byte] &= !mask;
        }
        self.len += 1;
    }

    pub(super) fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
        self.bytes.truncate(self.len.div_ceil(8));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_set_again_after_a_cut() {
        let mut bits = Bits::ones(3);
        bits.push(false);
        bits.push(true);
        bits.truncate(3);
        bits.push(true);
        bits.push(false);
        let all: Vec<bool> = (0..bits.len).map(|at| bits.get(at)).collect();
        assert_eq!(all, [true, true, true, true, false]);
    }

    #[test]
    fn texts_are_cut_to_their_end() {
        let mut texts = Texts::default();
        ["a", "", "bcd"].iter().for_each(|text| texts.push(text.as_bytes()));
        texts.truncate(2);
        texts.push(b"e");
        assert_eq!((texts.get(0), texts.get(1), texts.get(2)), (&b"a"[..], &b""[..], &b"e"[..]));
    }
}
