//! Buffer of the lexical form of an inlined literal: the longest one has 40 bytes.

use std::fmt;

const LEN_MAX: usize = 40;

/// A lexical form in ASCII.
#[derive(Clone, Copy)]
pub struct Lexical {
    bytes: [u8; LEN_MAX],
    len: u8,
}

impl Default for Lexical {
    fn default() -> Self {
        Lexical { bytes: [0; LEN_MAX], len: 0 }
    }
}

impl Lexical {
    /// The text.
    pub fn as_str(&self) -> &str {
        str::from_utf8(&self.bytes[..usize::from(self.len)]).expect("only ASCII is put in")
    }

    pub(super) fn put(&mut self, text: &[u8]) {
        let at = usize::from(self.len);
        self.bytes[at..at + text.len()].copy_from_slice(text);
        self.len += text.len() as u8;
    }

    /// The decimal digits of a number, with zeros before them up to `width`.
    pub(super) fn put_number(&mut self, mut value: u64, width: usize) {
        let mut digits = [b'0'; 20];
        let mut first = digits.len();
        while value > 0 {
            first -= 1;
            digits[first] = b'0' + (value % 10) as u8;
            value /= 10;
        }
        self.put(&digits[first.min(digits.len() - width)..]);
    }
}

impl fmt::Write for Lexical {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if usize::from(self.len) + text.len() <= LEN_MAX {
            self.put(text.as_bytes())
        } else {
            return Err(fmt::Error);
        }
        Ok(())
    }
}

impl fmt::Debug for Lexical {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_str().fmt(f)
    }
}
