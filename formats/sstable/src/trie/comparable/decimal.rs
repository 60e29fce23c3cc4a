//! Decimals in byte-comparable form: sign and exponent, then digits of a hundred.
//!
//! Bytes:   | sign, length of the exponent | exponent | digits of a hundred | 00 |, docs/formats/sstable.md,
//!          "Byte-comparable keys"

/// What the first byte counts the exponent's length from: for negatives, and above for positives.
const NEGATIVE: u8 = 0x40;
const POSITIVE: u8 = 0xc0;

/// Zero, and what digits are counted from.
const ZERO: u8 = 0x80;

/// Appends a decimal: four bytes of scale, and a number in two's complement. Shorter bytes are
/// zero.
///
/// Cost: grows with the square of the length; a number of 64 KiB takes some 0.1 s.
pub(super) fn put_decimal(value: &[u8], out: &mut Vec<u8>) {
    let Some((scale, number)) = value.split_first_chunk::<4>() else {
        out.push(ZERO);
        return;
    };
    let (is_negative, digits) = decimal_digits(number);
    if digits.is_empty() {
        out.push(ZERO);
        return;
    }
    // The number is 0.DIGITS times ten to this, and 0.HUNDREDS times a hundred to its half.
    let exponent = digits.len() as i64 - i64::from(i32::from_be_bytes(*scale));
    let hundreds = in_hundreds(&digits, exponent.rem_euclid(2) != 0);
    let exponent = (exponent + 1).div_euclid(2);
    put_exponent(is_negative, if is_negative { -exponent } else { exponent }, out);
    if !is_negative {
        out.extend(hundreds.iter().map(|digit| ZERO + digit))
    } else {
        put_negative(&hundreds, out)
    }
    out.push(0);
}

fn put_exponent(is_negative: bool, exponent: i64, out: &mut Vec<u8>) {
    let len = 8 - exponent.unsigned_abs().leading_zeros() as usize / 8;
    let base = if is_negative { NEGATIVE } else { POSITIVE };
    out.push(if exponent < 0 { base - len as u8 } else { base + len as u8 });
    out.extend_from_slice(&exponent.to_be_bytes()[8 - len..]);
}

/// Digits of a negative number: the first is rounded down, so that those after it add to it.
fn put_negative(hundreds: &[u8], out: &mut Vec<u8>) {
    let last = hundreds.len() - 1;
    for (at, digit) in hundreds.iter().enumerate() {
        let borrowed = u8::from(at != last);
        let whole = if at == 0 { 0 } else { 100 };
        out.push(ZERO + whole - digit - borrowed);
    }
}

/// Digits of ten, two in one; `shifts`: the first stands alone. Zeros at the end are left out.
fn in_hundreds(digits: &[u8], shifts: bool) -> Vec<u8> {
    let (alone, pairs) = digits.split_at(usize::from(shifts));
    let mut hundreds = alone.to_vec();
    hundreds.extend(pairs.chunks(2).map(|pair| pair[0] * 10 + pair.get(1).unwrap_or(&0)));
    let len = hundreds.iter().rposition(|digit| *digit != 0).map_or(0, |last| last + 1);
    hundreds.truncate(len);
    hundreds
}

/// Sign and decimal digits of a number in two's complement; no digits for zero.
fn decimal_digits(number: &[u8]) -> (bool, Vec<u8>) {
    /// Greatest power of ten that leaves room for 32 bits more in a product of 128.
    const LIMB: u128 = 1_000_000_000_000_000_000;
    let is_negative = number.first().is_some_and(|first| first & 0x80 != 0);
    let mut limbs: Vec<u64> = Vec::new();
    // Of a negative number the complement, which is one less than its magnitude.
    let mut carry = u128::from(is_negative);
    for byte in number.iter().map(|byte| if is_negative { !byte } else { *byte }) {
        multiply(&mut limbs, 256, byte.into(), LIMB);
    }
    for limb in &mut limbs {
        let sum = u128::from(*limb) + carry;
        (*limb, carry) = ((sum % LIMB) as u64, sum / LIMB);
    }
    if carry != 0 {
        limbs.push(carry as u64);
    }
    let mut digits: Vec<u8> = Vec::new();
    for limb in limbs.iter().rev() {
        digits.extend(format!("{limb:018}").bytes().map(|digit| digit - b'0'));
    }
    let zeros = digits.iter().take_while(|digit| **digit == 0).count();
    digits.drain(..zeros);
    (is_negative, digits)
}

/// `limbs` times `factor` plus `carry`.
fn multiply(limbs: &mut Vec<u64>, factor: u128, mut carry: u128, limb_end: u128) {
    for limb in limbs.iter_mut() {
        let product = u128::from(*limb) * factor + carry;
        (*limb, carry) = ((product % limb_end) as u64, product / limb_end);
    }
    if carry != 0 {
        limbs.push(carry as u64);
    }
}
