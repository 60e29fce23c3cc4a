//! Values of `decimal` and `varint` as decimals of a scale that was asked for.

use manicule_rows::Type;

use super::kinds::noted;
use crate::answer::{Column, Field, Kind};

/// Greatest number of digits, of which a scale is a part.
const DIGITS_MAX: u8 = 38;

/// A column of decimals of a scale: the number of digits behind the point.
///
/// # Errors
/// A type without decimals, and a scale that none has, in words.
pub(crate) fn decimal_kind(
    name: &str,
    kind: &Type,
    scale: u8,
    about: &'static str,
) -> Result<Field, String> {
    if !matches!(kind.ascending(), Type::Decimal | Type::Varint) {
        return Err(format!("it is {}, neither decimal nor varint", kind.cql()));
    }
    if scale > DIGITS_MAX {
        return Err(format!("{scale} digits behind the point are more than {DIGITS_MAX}"));
    }
    Ok(noted(name, kind, Field::new("", Kind::Decimal(scale), about)))
}

/// Adds a value to a column of decimals.
///
/// # Errors
/// One that has more digits, in words.
pub(crate) fn push_decimal(
    column: &mut Column,
    kind: &Type,
    scale: u8,
    value: Option<&[u8]>,
) -> Result<(), String> {
    let kind = kind.ascending();
    let Some(value) = value.filter(|value| !value.is_empty() && kind.holds(value)) else {
        column.null();
        return Ok(());
    };
    match scaled(kind, value, scale) {
        Some(digits) => {
            column.decimal(digits);
            Ok(())
        }
        None => {
            let mut text = String::new();
            kind.put_literal(Some(value), &mut text);
            Err(format!("{text} has no place in decimal({DIGITS_MAX}, {scale})"))
        }
    }
}

/// The digits of a value in units of 10^-scale; `None` if it has others or too many.
fn scaled(kind: &Type, value: &[u8], scale: u8) -> Option<i128> {
    let (own_scale, digits) = match kind {
        Type::Decimal => {
            let (own_scale, digits) = value.split_first_chunk()?;
            (i32::from_be_bytes(*own_scale), digits)
        }
        _ => (0, value),
    };
    let digits = number(digits)?;
    if digits == 0 {
        return Some(0);
    }
    let shift = i64::from(scale) - i64::from(own_scale);
    let power = 10_i128.checked_pow(u32::try_from(shift.unsigned_abs()).ok()?)?;
    let digits = if shift >= 0 {
        digits.checked_mul(power)?
    } else {
        (digits % power == 0).then_some(digits / power)?
    };
    (digits.unsigned_abs() < 10_u128.pow(DIGITS_MAX.into())).then_some(digits)
}

/// A number of any length, if 128 bits hold it.
fn number(bytes: &[u8]) -> Option<i128> {
    let fill = if bytes.first()? & 0x80 != 0 { 0xff } else { 0 };
    let (over, bytes) = bytes.split_at(bytes.len().saturating_sub(16));
    let mut whole = [fill; 16];
    whole[16 - bytes.len()..].copy_from_slice(bytes);
    let number = i128::from_be_bytes(whole);
    let is_same = over.iter().all(|byte| *byte == fill) && (number < 0) == (fill != 0);
    is_same.then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_scaled_without_loss() {
        for (kind, literal, scale, want) in [
            (Type::Decimal, "1.10", 2, Some(110)),
            (Type::Decimal, "1.10", 1, Some(11)),
            (Type::Decimal, "1.25", 1, None),
            (Type::Decimal, "-0.0001", 4, Some(-1)),
            (Type::Decimal, "3", 3, Some(3000)),
            (Type::Varint, "-7", 1, Some(-70)),
            (Type::Varint, "99999999999999999999999999999999999999", 0, Some(10_i128.pow(38) - 1)),
            (Type::Varint, "100000000000000000000000000000000000000", 0, None),
            (Type::Varint, "123456789012345678901234567890123456789012345", 0, None),
        ] {
            let value = kind.read_literal(literal).unwrap().unwrap();
            assert_eq!(scaled(&kind, &value, scale), want, "{literal} by {scale}");
        }
    }
}
