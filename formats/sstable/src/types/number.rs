//! Numbers without a bound: varint and the digits of decimal.
//!
//! Bytes:   two's complement, big-endian, perhaps longer than needed, docs/formats/sstable.md, Values

use std::cmp::Ordering;

/// Number in two's complement without the bytes that only repeat its sign. No bytes are 0.
pub(super) fn trimmed(bytes: &[u8]) -> &[u8] {
    let mut rest = bytes;
    while let [first, second, ..] = rest
        && matches!((first, second), (0, 0..=0x7f) | (0xff, 0x80..))
    {
        rest = &rest[1..];
    }
    rest
}

/// Whether a number in two's complement is below 0.
pub(super) fn is_negative(bytes: &[u8]) -> bool {
    bytes.first().is_some_and(|first| *first >= 0x80)
}

/// Whether a number in two's complement is 0.
pub(super) fn is_zero(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| *byte == 0)
}

/// Order of two numbers in two's complement.
pub(super) fn compare_numbers(left: &[u8], right: &[u8]) -> Ordering {
    let (left, right) = (trimmed(left), trimmed(right));
    match (is_negative(left), is_negative(right)) {
        (false, true) => Ordering::Greater,
        (true, false) => Ordering::Less,
        // Of the same length and sign two's complement compares as the bytes do.
        (false, false) => left.len().cmp(&right.len()).then_with(|| left.cmp(right)),
        (true, true) => right.len().cmp(&left.len()).then_with(|| left.cmp(right)),
    }
}

/// Decimal digits of a number's magnitude, without zeros in front: "0" for 0.
///
/// Cost: quadratic in the length, 1 ms for 4,000 bytes.
pub(super) fn digits(bytes: &[u8]) -> String {
    let mut limbs = magnitude(trimmed(bytes));
    let mut groups = Vec::new();
    while let Some(&top) = limbs.last() {
        if top == 0 {
            limbs.pop();
            continue;
        }
        groups.push(divide(&mut limbs));
    }
    let mut text = groups.pop().unwrap_or(0).to_string();
    for group in groups.iter().rev() {
        text.push_str(&format!("{group:019}"));
    }
    text
}

/// Digits taken off at once: the largest power of ten that a limb holds.
const GROUP: u64 = 10_000_000_000_000_000_000;

/// The magnitude in words, lowest first.
fn magnitude(bytes: &[u8]) -> Vec<u64> {
    let fill = if is_negative(bytes) { 0xff } else { 0 };
    let mut limbs: Vec<u64> = bytes
        .rchunks(8)
        .map(|chunk| {
            let mut word = [fill; 8];
            word[8 - chunk.len()..].copy_from_slice(chunk);
            u64::from_be_bytes(word)
        })
        .collect();
    if fill != 0 {
        let mut carry = true;
        for limb in &mut limbs {
            (*limb, carry) = (!*limb).overflowing_add(u64::from(carry));
        }
        if carry {
            limbs.push(1);
        }
    }
    limbs
}

/// Divides by [`GROUP`]; gives the remainder.
fn divide(limbs: &mut [u64]) -> u64 {
    let mut rest = 0_u64;
    for limb in limbs.iter_mut().rev() {
        let wide = u128::from(rest) << 64 | u128::from(*limb);
        *limb = (wide / u128::from(GROUP)) as u64;
        rest = (wide % u128::from(GROUP)) as u64;
    }
    rest
}

/// The shortest two's complement of a number of decimal digits. `None` if there is another
/// character, or no digit.
pub(super) fn from_digits(digits: &str, is_negative: bool) -> Option<Vec<u8>> {
    if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let mut limbs: Vec<u64> = Vec::new();
    for chunk in groups_of_19(digits) {
        let scale = 10_u64.pow(chunk.len() as u32);
        let mut carry: u64 = chunk.parse().ok()?;
        for limb in &mut limbs {
            let wide = u128::from(*limb) * u128::from(scale) + u128::from(carry);
            (*limb, carry) = (wide as u64, (wide >> 64) as u64);
        }
        if carry > 0 {
            limbs.push(carry);
        }
    }
    let mut bytes = vec![0];
    bytes.extend(limbs.iter().rev().flat_map(|limb| limb.to_be_bytes()));
    if is_negative {
        let mut carry = true;
        for byte in bytes.iter_mut().rev() {
            (*byte, carry) = (!*byte).overflowing_add(u8::from(carry));
        }
    }
    Some(trimmed(&bytes).to_vec())
}

/// The digits cut from the front, 19 at a time.
fn groups_of_19(digits: &str) -> impl Iterator<Item = &str> {
    (0..digits.len()).step_by(19).map(|start| &digits[start..digits.len().min(start + 19)])
}

/// A decimal.
#[derive(Clone, Copy)]
pub(super) struct Decimal<'d> {
    /// The number is divided by ten to its power.
    pub(super) scale: i32,
    pub(super) unscaled: &'d [u8],
}

/// Scale and number of a decimal. `None` if the bytes are cut.
pub(super) fn split_decimal(bytes: &[u8]) -> Option<Decimal<'_>> {
    let (scale, unscaled) = bytes.split_first_chunk::<4>()?;
    Some(Decimal { scale: i32::from_be_bytes(*scale), unscaled })
}

/// Order of two decimals by their values; those that are cut by their bytes, before the others.
pub(super) fn compare_decimals(left: &[u8], right: &[u8]) -> Ordering {
    let (Some(one), Some(other)) = (split_decimal(left), split_decimal(right)) else {
        let is_whole = |bytes| split_decimal(bytes).is_some();
        return is_whole(left).cmp(&is_whole(right)).then_with(|| left.cmp(right));
    };
    let (left, right) = (one.unscaled, other.unscaled);
    let sign = |bytes: &[u8]| match () {
        () if is_zero(bytes) => 0,
        () if is_negative(bytes) => -1,
        () => 1,
    };
    let signs = (sign(left), sign(right));
    if signs.0 != signs.1 || signs.0 == 0 || one.scale == other.scale {
        return signs.0.cmp(&signs.1).then_with(|| {
            if signs.0 == 0 { Ordering::Equal } else { compare_numbers(left, right) }
        });
    }
    let order = compare_magnitudes(one, other);
    if signs.0 < 0 { order.reverse() } else { order }
}

/// Order by what is left without the signs; neither is 0.
fn compare_magnitudes(left: Decimal<'_>, right: Decimal<'_>) -> Ordering {
    // A first guess from the number of bits: digits are only made where it is close.
    let guess = |Decimal { scale, unscaled }: Decimal<'_>| {
        (trimmed(unscaled).len() as f64) * 8.0 * std::f64::consts::LOG10_2 - f64::from(scale)
    };
    let distance = guess(left) - guess(right);
    if distance.abs() > 4.0 {
        return if distance > 0.0 { Ordering::Greater } else { Ordering::Less };
    }
    let (left_digits, right_digits) = (digits(left.unscaled), digits(right.unscaled));
    // Place of the first digit before the point.
    let place = |digits: &str, scale: i32| digits.len() as i64 - i64::from(scale);
    let places = (place(&left_digits, left.scale), place(&right_digits, right.scale));
    let bare = |digits: &str| digits.trim_end_matches('0').to_owned();
    places.0.cmp(&places.1).then_with(|| bare(&left_digits).cmp(&bare(&right_digits)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_their_digits_both_ways() {
        let check = |text: &str, hex: &[u8]| {
            let (magnitude, is_less) = match text.strip_prefix('-') {
                Some(rest) => (rest, true),
                None => (text, false),
            };
            assert_eq!((digits(hex).as_str(), is_negative(hex)), (magnitude, is_less), "{text}");
            assert_eq!(from_digits(magnitude, is_less).as_deref(), Some(hex), "{text}");
        };
        check("0", &[0]);
        check("-1", &[0xff]);
        check("127", &[0x7f]);
        check("128", &[0, 0x80]);
        check("-128", &[0x80]);
        check("-129", &[0xff, 0x7f]);
        check("18446744073709551616", &[1, 0, 0, 0, 0, 0, 0, 0, 0]);
        check("-18446744073709551616", &[0xff, 0, 0, 0, 0, 0, 0, 0, 0]);
        check("9223372036854775808", &[0, 0x80, 0, 0, 0, 0, 0, 0, 0]);
        check("-9223372036854775808", &[0x80, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!((digits(&[]).as_str(), digits(&[0, 0, 0]).as_str()), ("0", "0"));
        assert_eq!(from_digits("0000", true), Some(vec![0]));
        assert_eq!((from_digits("", false), from_digits("1x", false)), (None, None));
    }

    #[test]
    fn long_numbers_read_back() {
        for len in [1, 18, 19, 20, 37, 38, 39, 400] {
            let text: String = (0..len).map(|at| char::from(b'1' + (at * 7 % 9) as u8)).collect();
            for is_less in [false, true] {
                let bytes = from_digits(&text, is_less).expect("digits");
                assert_eq!((digits(&bytes), is_negative(&bytes)), (text.clone(), is_less));
            }
        }
    }

    #[test]
    fn decimals_are_ordered_as_small_ones_are_by_their_values() {
        let mut all = Vec::new();
        for unscaled in -130_i64..130 {
            for scale in -2..4 {
                let number = from_digits(&unscaled.unsigned_abs().to_string(), unscaled < 0);
                let bytes = [&i32::to_be_bytes(scale)[..], &number.expect("digits")].concat();
                all.push((unscaled * 10_i64.pow((4 - scale) as u32), bytes));
            }
        }
        for (value, bytes) in all.iter().step_by(7) {
            for (other, others) in &all {
                assert_eq!(
                    compare_decimals(bytes, others),
                    value.cmp(other),
                    "{bytes:?} {others:?}"
                );
            }
        }
    }
}
