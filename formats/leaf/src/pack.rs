//! Numbers of one bit width, back to back: packed, read one by one, and unpacked by eights.
//!
//! Number `i` has the bits from `i * width` on, least significant first. A width is 0 to 57, or 64:
//! so each number lies in the eight bytes from its first byte on.
//!
//! Bytes:   docs/formats/leaf.md, section *columns*

/// Bytes that a reader may touch after the last packed number. Each block of packed numbers ends
/// with as many.
pub(crate) const SLACK: usize = 8;

/// The greatest width but that of whole words.
const WIDTH_MAX: u8 = 57;

/// Whether a width is one that numbers are packed with.
pub(crate) fn is_width(width: u8) -> bool {
    width <= WIDTH_MAX || width == 64
}

/// The width that numbers up to `max` are packed with.
pub(crate) fn width_of(max: u64) -> u8 {
    match 64 - max.leading_zeros() as u8 {
        width if width <= WIDTH_MAX => width,
        _ => 64,
    }
}

/// Number of bytes of packed numbers.
pub(crate) fn packed_len(width: u8, count: usize) -> usize {
    (usize::from(width) * count).div_ceil(8)
}

/// Appends numbers, packed. Each is below `1 << width`.
pub(crate) fn pack(numbers: impl Iterator<Item = u64>, width: u8, out: &mut Vec<u8>) {
    if width == 64 {
        numbers.for_each(|number| out.extend_from_slice(&number.to_le_bytes()));
        return;
    }
    let (mut word, mut filled) = (0u64, 0u32);
    for number in numbers {
        debug_assert!(number < 1 << width, "{number} has more than {width} bits");
        word |= number << filled;
        filled += u32::from(width);
        if filled >= 64 {
            out.extend_from_slice(&word.to_le_bytes());
            filled -= 64;
            // What of the number did not fit: none of it where it ended with the word.
            word = if filled == 0 { 0 } else { number >> (u32::from(width) - filled) };
        }
    }
    out.extend_from_slice(&word.to_le_bytes()[..filled.div_ceil(8) as usize]);
}

/// Packed numbers, read where they lie.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packed<'a> {
    /// The numbers, and at least [`SLACK`] bytes more.
    bytes: &'a [u8],
    width: u8,
    mask: u64,
    count: usize,
}

impl<'a> Packed<'a> {
    /// The first `count` numbers in `bytes`; `None` if they and the slack after them aren't there,
    /// or the width is none.
    pub(crate) fn new(bytes: &'a [u8], width: u8, count: usize) -> Option<Self> {
        let len = packed_len(width, count) + SLACK;
        let mask = if width == 0 { 0 } else { u64::MAX >> (64 - width.min(64)) };
        let bytes = bytes.get(..len)?;
        is_width(width).then_some(Packed { bytes, width, mask, count })
    }

    pub(crate) fn count(&self) -> usize {
        self.count
    }

    pub(crate) fn width(&self) -> u8 {
        self.width
    }

    /// The bytes that a number is read from.
    #[inline(always)]
    pub(crate) fn bytes_of(&self, index: usize) -> std::ops::Range<usize> {
        let bit = index * usize::from(self.width);
        bit / 8..(bit + usize::from(self.width)).div_ceil(8)
    }

    /// One number. Panics past the last.
    #[inline(always)]
    pub(crate) fn get(&self, index: usize) -> u64 {
        debug_assert!(index < self.count);
        let bit = index * usize::from(self.width);
        (word(self.bytes, bit / 8) >> (bit % 8)) & self.mask
    }

    /// The index of the first number that is not below `bound`, in a range of rising numbers; the
    /// range's end if all are.
    #[inline]
    pub(crate) fn lower_bound(&self, mut low: usize, mut high: usize, bound: u64) -> usize {
        while low < high {
            let middle = low.midpoint(high);
            if self.get(middle) < bound {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// Fills `out` with the numbers from `first` on. Panics if there are fewer.
    pub(crate) fn unpack(&self, first: usize, out: &mut [u64]) {
        assert!(first <= self.count && out.len() <= self.count - first, "values are packed");
        // Single numbers until one begins with a byte.
        let single = first.next_multiple_of(8).min(first + out.len()) - first;
        let (start, rest) = out.split_at_mut(single);
        for (place, number) in start.iter_mut().enumerate() {
            *number = self.get(first + place);
        }
        let (eights, end) = rest.as_chunks_mut::<8>();
        let at = (first + single) / 8 * usize::from(self.width);
        unpack_eights(&self.bytes[at.min(self.bytes.len())..], self.width, eights);
        let first = first + single + eights.len() * 8;
        for (place, number) in end.iter_mut().enumerate() {
            *number = self.get(first + place);
        }
    }
}

#[inline(always)]
fn word(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}

/// Eight numbers of `W` bits are `W` bytes, and each of them is shifted by a number known
/// beforehand.
fn eights<const W: usize>(bytes: &[u8], out: &mut [[u64; 8]]) {
    for (place, eight) in out.iter_mut().enumerate() {
        let group = &bytes[place * W..place * W + W + SLACK];
        for (index, number) in eight.iter_mut().enumerate() {
            *number = word(group, index * W / 8) >> (index * W % 8) & (u64::MAX >> (64 - W));
        }
    }
}

macro_rules! by_width {
    ($width:expr, $bytes:expr, $out:expr, $($each:literal)+) => {
        match $width {
            $($each => eights::<$each>($bytes, $out),)+
            _ => $out.as_flattened_mut().fill(0),
        }
    };
}

fn unpack_eights(bytes: &[u8], width: u8, out: &mut [[u64; 8]]) {
    by_width!(width, bytes, out,
        1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30
        31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 64);
}

#[cfg(test)]
mod tests {
    use super::*;
    use manicule_testkit::Rng;

    #[test]
    fn numbers_of_every_width_read_back_one_by_one_and_in_ranges() {
        for width in (0..=64).filter(|width| is_width(*width)) {
            let mut rng = Rng::new(u64::from(width));
            let mask = if width == 0 { 0 } else { u64::MAX >> (64 - width) };
            let numbers: Vec<u64> = (0..200).map(|_| rng.bits() & mask).collect();
            let mut bytes = Vec::new();
            pack(numbers.iter().copied(), width, &mut bytes);
            assert_eq!(bytes.len(), packed_len(width, numbers.len()), "width {width}");
            bytes.extend_from_slice(&[0xff; SLACK]);
            let packed = Packed::new(&bytes, width, numbers.len()).expect("all is there");
            for (index, number) in numbers.iter().enumerate() {
                assert_eq!(packed.get(index), *number, "width {width}, index {index}");
            }
            for _ in 0..50 {
                let first = rng.below(201);
                let end = first + rng.below(201 - first);
                let mut out = vec![7; end - first];
                packed.unpack(first, &mut out);
                assert_eq!(out, numbers[first..end], "width {width}, {first}..{end}");
            }
            assert!(Packed::new(&bytes[1..], width, numbers.len()).is_none());
        }
    }

    #[test]
    fn bounds_are_those_of_a_plain_search() {
        let mut rng = Rng::new(3);
        let mut numbers: Vec<u64> = (0..100).map(|_| rng.below(60) as u64).collect();
        numbers.sort_unstable();
        let mut bytes = Vec::new();
        pack(numbers.iter().copied(), 6, &mut bytes);
        bytes.extend_from_slice(&[0; SLACK]);
        let packed = Packed::new(&bytes, 6, 100).expect("all is there");
        for bound in 0..70 {
            let plain = numbers.partition_point(|number| *number < bound);
            assert_eq!(packed.lower_bound(0, 100, bound), plain);
        }
    }

    #[test]
    fn widths_hold_their_numbers() {
        for (max, width) in
            [(0, 0), (1, 1), (255, 8), (256, 9), ((1 << 57) - 1, 57), (1 << 57, 64), (u64::MAX, 64)]
        {
            assert_eq!(width_of(max), width);
        }
    }
}
