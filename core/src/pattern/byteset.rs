//! A set of bytes: what may stand at one place of a match.

use std::fmt;

/// A set of bytes, as 256 bits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct ByteSet([u64; 4]);

impl ByteSet {
    /// The set without members.
    pub const EMPTY: ByteSet = ByteSet([0; 4]);

    /// The set of one byte.
    pub const fn one(byte: u8) -> ByteSet {
        let mut words = [0; 4];
        words[(byte >> 6) as usize] = 1 << (byte & 63);
        ByteSet(words)
    }

    /// All bytes from `first` to `last`, both included.
    pub fn range(first: u8, last: u8) -> ByteSet {
        let mut set = ByteSet::EMPTY;
        for (index, word) in set.0.iter_mut().enumerate() {
            let (low, high) = (index as u32 * 64, index as u32 * 64 + 63);
            let from = u32::from(first).max(low);
            let to = u32::from(last).min(high);
            if from <= to {
                *word = (u64::MAX >> (63 - (to - from))) << (from - low);
            }
        }
        set
    }

    /// Adds one byte.
    pub fn insert(&mut self, byte: u8) {
        *self = self.union(ByteSet::one(byte));
    }

    /// The bytes of either set.
    pub const fn union(self, other: ByteSet) -> ByteSet {
        let (a, b) = (self.0, other.0);
        ByteSet([a[0] | b[0], a[1] | b[1], a[2] | b[2], a[3] | b[3]])
    }

    /// Whether the byte is a member.
    pub const fn contains(self, byte: u8) -> bool {
        self.0[(byte >> 6) as usize] >> (byte & 63) & 1 == 1
    }

    /// Whether each member is a member of `other`, too.
    pub const fn is_subset(self, other: ByteSet) -> bool {
        let (a, b) = (self.0, other.0);
        (a[0] & !b[0]) | (a[1] & !b[1]) | (a[2] & !b[2]) | (a[3] & !b[3]) == 0
    }

    /// Number of bytes in the set.
    pub const fn len(self) -> usize {
        (self.0[0].count_ones() + self.0[1].count_ones()) as usize + self.high_count()
    }

    /// Whether it has no bytes.
    pub const fn is_empty(self) -> bool {
        self.0[0] | self.0[1] | self.0[2] | self.0[3] == 0
    }

    /// Number of its ASCII bytes: below 0x80.
    pub const fn ascii_count(self) -> usize {
        (self.0[0].count_ones() + self.0[1].count_ones()) as usize
    }

    /// Number of its bytes from 0x80 on.
    pub const fn high_count(self) -> usize {
        (self.0[2].count_ones() + self.0[3].count_ones()) as usize
    }

    /// The byte, if there is exactly one.
    pub fn single(self) -> Option<u8> {
        if self.len() == 1 { self.iter().next() } else { None }
    }

    /// The members, increasing.
    pub fn iter(self) -> impl Iterator<Item = u8> {
        self.0.into_iter().enumerate().flat_map(|(index, word)| {
            let mut left = word;
            std::iter::from_fn(move || {
                let bit = left.trailing_zeros();
                // The lowest bit goes; an empty word stays empty.
                left &= left.wrapping_sub(1);
                (bit < 64).then_some((index as u32 * 64 + bit) as u8)
            })
        })
    }

    /// The members as ranges of neighbours, increasing, both ends included.
    pub fn ranges(self) -> Vec<(u8, u8)> {
        let mut ranges: Vec<(u8, u8)> = Vec::new();
        for byte in self.iter() {
            match ranges.last_mut() {
                Some((_, last)) if *last + 1 == byte => *last = byte,
                _ => ranges.push((byte, byte)),
            }
        }
        ranges
    }
}

/// As in a regex: `[0-9A-F]`, `[\xC2-\xDF]`.
impl fmt::Display for ByteSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (first, last) in self.ranges() {
            write_class_byte(f, first)?;
            if last > first {
                if last > first + 1 {
                    f.write_str("-")?;
                }
                write_class_byte(f, last)?;
            }
        }
        f.write_str("]")
    }
}

impl fmt::Debug for ByteSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

fn write_class_byte(f: &mut fmt::Formatter<'_>, byte: u8) -> fmt::Result {
    match byte {
        b'\\' | b'-' | b']' | b'[' | b'^' => write!(f, "\\{}", char::from(byte)),
        b'\t' => f.write_str("\\t"),
        b'\n' => f.write_str("\\n"),
        b'\r' => f.write_str("\\r"),
        b' '..=b'~' => write!(f, "{}", char::from(byte)),
        _ => write!(f, "\\x{byte:02X}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(bytes: &[u8], shown: &str) {
        let mut set = ByteSet::EMPTY;
        bytes.iter().for_each(|&byte| set.insert(byte));
        assert_eq!(set.to_string(), shown);
        assert_eq!(set.len(), set.iter().count());
        assert!(set.iter().is_sorted());
    }

    #[test]
    fn empty_shows_empty_brackets() {
        check(b"", "[]");
    }

    #[test]
    fn neighbours_become_ranges() {
        check(b"3120ab_", "[0-3_ab]");
    }

    #[test]
    fn special_bytes_are_escaped() {
        check(b"-]\n\xFF\x00", r"[\x00\n\-\]\xFF]");
    }

    #[test]
    fn a_range_holds_what_its_bytes_say() {
        for (first, last) in [(0, 255), (0, 0), (255, 255), (63, 64), (60, 200), (128, 191)] {
            let set = ByteSet::range(first, last);
            for byte in 0..=255 {
                assert_eq!(set.contains(byte), first <= byte && byte <= last);
            }
            assert_eq!(set.len(), usize::from(last - first) + 1);
        }
        assert!(ByteSet::range(9, 3).is_empty());
    }

    #[test]
    fn single_is_the_only_byte() {
        assert_eq!(ByteSet::one(200).single(), Some(200));
        assert_eq!(ByteSet::range(1, 2).single(), None);
        assert_eq!(ByteSet::EMPTY.single(), None);
    }
}
