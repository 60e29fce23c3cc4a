//! Decimal digits of JSON, eight at once.
//!
//! Lengths vary from number to number, so that a loop over single digits ends in a branch that is
//! guessed wrong.

const ONES: u64 = 0x0101_0101_0101_0101;

/// The number that the digits at the start make, and how many they are, at most eight.
#[inline]
pub(crate) fn up_to_eight(bytes: [u8; 8]) -> (u32, usize) {
    let values = u64::from_le_bytes(bytes) ^ (ONES * 0x30);
    // The highest bit of the first byte that is no digit, and maybe of some after it.
    let others = (values.wrapping_add(ONES * 0x76) | values) & (ONES << 7);
    let len = others.trailing_zeros() as usize / 8;
    if len == 0 {
        return (0, 0);
    }
    // The last digit becomes the highest byte; zeros before the first one count for nothing.
    let values = values << (64 - 8 * len);
    let pairs = (values.wrapping_mul(10).wrapping_add(values >> 8)) & 0x00ff_00ff_00ff_00ff;
    let fours = pairs.wrapping_mul(100).wrapping_add(pairs >> 16) & 0x0000_ffff_0000_ffff;
    let eight = fours.wrapping_mul(10_000).wrapping_add(fours >> 32) & 0xffff_ffff;
    (eight as u32, len)
}

/// For each byte the number of two digits that begins there, where `shape` has `0` twice; and
/// whether the bytes have that shape: digits where it has `0`, and what it has everywhere else.
#[inline]
pub(crate) fn pairs(bytes: [u8; 8], shape: &[u8; 8]) -> (u64, bool) {
    let values = u64::from_le_bytes(bytes) ^ u64::from_le_bytes(*shape);
    // What brings the highest bit of a byte up from 10 on, or from 1 on.
    let lifts = shape.map(|byte| if byte == b'0' { 0x76 } else { 0x7f });
    let wrong = (values.wrapping_add(u64::from_le_bytes(lifts)) | values) & (ONES << 7);
    (values.wrapping_mul(10).wrapping_add(values >> 8), wrong == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_make_the_number_that_they_show() {
        for number in
            [0_u32, 7, 10, 99, 100, 1_234, 99_999, 123_456, 9_999_999, 12_345_678, 99_999_999]
        {
            let text = number.to_string();
            for after in 0..=255_u8 {
                let mut bytes = [after; 8];
                bytes[..text.len()].copy_from_slice(text.as_bytes());
                let (got, len) = up_to_eight(bytes);
                if after.is_ascii_digit() && text.len() < 8 {
                    assert_eq!(len, 8)
                } else {
                    assert_eq!((got, len), (number, text.len()), "{text} and {after:#04x}")
                }
            }
        }
    }

    #[test]
    fn every_byte_at_every_place_ends_the_digits_or_is_one() {
        for at in 0..8 {
            for byte in 0..=255_u8 {
                for fill in [byte, b'5', 0xff, b'/'] {
                    let mut bytes = [b'1'; 8];
                    bytes[at..].fill(fill);
                    bytes[at] = byte;
                    let want_len = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
                    let want =
                        bytes[..want_len].iter().fold(0, |n, d| n * 10 + u32::from(d - b'0'));
                    assert_eq!(up_to_eight(bytes), (want, want_len), "{bytes:?}");
                }
            }
        }
    }

    #[test]
    fn pairs_have_the_shape_or_are_refused() {
        let shape = b"00T00:00";
        let (numbers, is_right) = pairs(*b"14T22:13", shape);
        assert!(is_right);
        let at = |at: u32| (numbers >> (8 * at)) as u8;
        assert_eq!((at(0), at(3), at(6)), (14, 22, 13));
        for first in 0..8 {
            for byte in 0..=255_u8 {
                for second in 0..8 {
                    let mut bytes = *b"99T99:99";
                    bytes[second] = if byte % 2 == 0 { b"99T99:99"[second] } else { 0xff };
                    bytes[first] = byte;
                    let is_one = |(byte, shape): (&u8, &u8)| match shape {
                        b'0' => byte.is_ascii_digit(),
                        other => byte == other,
                    };
                    let want = bytes.iter().zip(shape).all(is_one);
                    assert_eq!(pairs(bytes, shape).1, want, "{bytes:?}");
                }
            }
        }
    }
}
