//! Doubles and floats, written as the canonical form of XML Schema 1.0 is: `1.5E0`, `-2.0E-7`, the
//! shortest digits that read back.
//!
//! -0 is text, since it is equal to 0; so are INF and NaN.

use std::fmt::Write;

use super::lexical::Lexical;

/// How many low bits of a double must be zero, so that the others fit a payload.
const DROPPED_BITS: u32 = 8;

/// The payload of a double.
pub(super) fn double(text: &str) -> Option<u64> {
    may_be_canonical(text).then_some(())?;
    let value: f64 = text.parse().ok()?;
    let bits = value.to_bits();
    if !value.is_finite() || bits == 1 << 63 || bits.trailing_zeros() < DROPPED_BITS {
        return None;
    }
    let rising = if bits >> 63 == 1 { !bits } else { bits | 1 << 63 };
    let payload = rising >> DROPPED_BITS;
    is_printed(text, |out| put_double(payload, out)).then_some(payload)
}

/// The payload of a float.
pub(super) fn float(text: &str) -> Option<u64> {
    may_be_canonical(text).then_some(())?;
    let value: f32 = text.parse().ok()?;
    let bits = value.to_bits();
    if !value.is_finite() || bits == 1 << 31 {
        return None;
    }
    let rising = if bits >> 31 == 1 { !bits } else { bits | 1 << 31 };
    is_printed(text, |out| put_float(rising.into(), out)).then(|| rising.into())
}

/// A cheap look before numbers are parsed and printed.
fn may_be_canonical(text: &str) -> bool {
    text.len() <= 26 && text.contains('E') && text.contains('.')
}

fn is_printed(text: &str, put: impl FnOnce(&mut Lexical) -> Option<()>) -> bool {
    let mut printed = Lexical::default();
    put(&mut printed).is_some() && printed.as_str() == text
}

/// The double that a payload stands for.
pub(super) fn double_of(payload: u64) -> f64 {
    let rising = payload << DROPPED_BITS;
    let is_negative = rising >> 63 == 0;
    // Of a negative number all bits were flipped, also those that were dropped.
    f64::from_bits(if is_negative { !(rising | 0xff) } else { rising ^ 1 << 63 })
}

/// The float that a payload stands for.
pub(super) fn float_of(payload: u64) -> Option<f32> {
    let rising = u32::try_from(payload).ok()?;
    Some(f32::from_bits(if rising >> 31 == 0 { !rising } else { rising ^ 1 << 31 }))
}

pub(super) fn put_double(payload: u64, out: &mut Lexical) -> Option<()> {
    let value = double_of(payload);
    put_digits(value.is_finite() && value.to_bits() != 1 << 63, format_args!("{value:E}"), out)
}

pub(super) fn put_float(payload: u64, out: &mut Lexical) -> Option<()> {
    let value = float_of(payload)?;
    put_digits(value.is_finite() && value.to_bits() != 1 << 31, format_args!("{value:E}"), out)
}

/// Rust's shortest digits in scientific notation, which have a point only where it is needed.
fn put_digits(is_number: bool, digits: std::fmt::Arguments<'_>, out: &mut Lexical) -> Option<()> {
    let mut plain = Lexical::default();
    plain.write_fmt(digits).ok()?;
    let (mantissa, exponent) = plain.as_str().split_once('E')?;
    out.put(mantissa.as_bytes());
    if !mantissa.contains('.') {
        out.put(b".0");
    }
    out.put(b"E");
    out.put(exponent.as_bytes());
    is_number.then_some(())
}
