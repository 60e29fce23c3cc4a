//! Integers and decimals.

use manicule_format_leaf::{Id, Tag};

use super::kinds::IntegerType;
use super::lexical::Lexical;
use super::tags;

/// What is added to a number so that payloads aren't negative.
const BIAS: i64 = 1 << 55;

/// The number of digits that may be inlined: 2^55 has 17.
const DIGITS_MAX: usize = 17;

/// The value of digits, which are not too many.
fn digits(text: &[u8]) -> Option<i64> {
    if text.is_empty() || text.len() > DIGITS_MAX || !text.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some(text.iter().fold(0, |value, digit| value * 10 + i64::from(digit - b'0')))
}

/// The sign, and what comes after it: `0` or digits that don't begin with it.
fn signed(text: &[u8]) -> (bool, &[u8]) {
    match text.split_first() {
        Some((b'-', rest)) => (true, rest),
        _ => (false, text),
    }
}

/// The payload of an integer written `0` or `-?[1-9][0-9]*`, if its datatype has that value.
pub(super) fn integer(text: &[u8], of: &IntegerType) -> Option<u64> {
    let (is_negative, rest) = signed(text);
    let value = digits(rest)?;
    let is_canonical = if rest[0] == b'0' { rest.len() == 1 && !is_negative } else { true };
    let value = if is_negative { -value } else { value };
    (is_canonical && (of.min..=of.max).contains(&value)).then(|| biased(value))
}

/// The tag and the payload of a decimal written `-?(0|[1-9][0-9]*)(\.[0-9]{1,7})?`, but not -0.
pub(super) fn decimal(text: &[u8]) -> Option<(Tag, u64)> {
    let (is_negative, rest) = signed(text);
    let point = rest.iter().position(|byte| *byte == b'.');
    let (whole, fraction) = match point {
        Some(at) => (&rest[..at], &rest[at + 1..]),
        None => (rest, &b""[..]),
    };
    let is_canonical = (whole.len() == 1 || whole.first() != Some(&b'0'))
        && (point.is_none()
            || (1..=usize::from(tags::DECIMAL_DIGITS_MAX)).contains(&fraction.len()))
        && whole.len() + fraction.len() <= DIGITS_MAX;
    if !is_canonical {
        return None;
    }
    let high = digits(whole)? * 10i64.pow(fraction.len() as u32);
    let value = high + if fraction.is_empty() { 0 } else { digits(fraction)? };
    let value = if is_negative { -value } else { value };
    if (value == 0 && is_negative) || !(-BIAS..BIAS).contains(&value) {
        return None;
    }
    Some((Tag(tags::DECIMAL.0 + fraction.len() as u8), biased(value)))
}

fn biased(value: i64) -> u64 {
    (value + BIAS) as u64
}

/// The payload of an integer, if it is inlined.
pub(super) fn payload_of(value: i64) -> Option<u64> {
    (-BIAS..BIAS).contains(&value).then(|| biased(value))
}

/// The number that a payload stands for.
pub(super) fn unbiased(payload: u64) -> i64 {
    debug_assert!(payload <= Id::PAYLOAD_MAX);
    payload as i64 - BIAS
}

pub(super) fn put_integer(payload: u64, of: &IntegerType, out: &mut Lexical) -> Option<()> {
    let value = unbiased(payload);
    if !(of.min..=of.max).contains(&value) {
        return None;
    }
    put_sign(value, out);
    out.put_number(value.unsigned_abs(), 1);
    Some(())
}

pub(super) fn put_decimal(payload: u64, fraction_digits: u8, out: &mut Lexical) {
    let value = unbiased(payload);
    let unit = 10u64.pow(fraction_digits.into());
    put_sign(value, out);
    out.put_number(value.unsigned_abs() / unit, 1);
    if fraction_digits > 0 {
        out.put(b".");
        out.put_number(value.unsigned_abs() % unit, fraction_digits.into());
    }
}

fn put_sign(value: i64, out: &mut Lexical) {
    if value < 0 {
        out.put(b"-");
    }
}
