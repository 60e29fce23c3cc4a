//! The order of values of inlined literals, across tags too where their values compare.

use std::cmp::Ordering;

use manicule_format_leaf::Id;

use super::double::{double_of, float_of};
use super::kinds::{Kind, Zone, kind};
use super::number::unbiased;
use super::time::instant_ms;

/// The order of two inlined literals by their values: numbers of any datatype, booleans, and dates
/// or times that both have a zone or both have none. None for all other pairs: they do not compare,
/// or not by ids.
pub fn compare_inlined(left: Id, right: Id) -> Option<Ordering> {
    let (left_kind, right_kind) = (kind(left.tag())?, kind(right.tag())?);
    let (a, b) = (left.payload(), right.payload());
    match (left_kind, right_kind) {
        (Kind::Boolean, Kind::Boolean) => Some(a.cmp(&b)),
        (Kind::Date(one), Kind::Date(other))
        | (Kind::DateTime(_, one), Kind::DateTime(_, other)) => {
            if (one == Zone::None) != (other == Zone::None) {
                return None;
            }
            Some(instant_ms(a, left_kind)?.cmp(&instant_ms(b, right_kind)?))
        }
        _ => match (exact(a, left_kind), exact(b, right_kind)) {
            (Some(one), Some(other)) => Some(one.cmp(&other)),
            _ if is_float(left_kind) && is_float(right_kind) && left_kind == right_kind => {
                Some(a.cmp(&b))
            }
            _ => promoted(a, left_kind, right_kind)?
                .partial_cmp(&promoted(b, right_kind, left_kind)?),
        },
    }
}

fn is_float(kind: Kind) -> bool {
    matches!(kind, Kind::Double | Kind::Float)
}

/// What [`exact_value`] multiplies values with.
pub const EXACT_SCALE: i128 = 10_000_000;

/// The value of an inlined integer or decimal, times [`EXACT_SCALE`], and whether it is a decimal;
/// none of all other ids.
pub fn exact_value(id: Id) -> Option<(i128, bool)> {
    let kind = kind(id.tag())?;
    Some((exact(id.payload(), kind)?, matches!(kind, Kind::Decimal(_))))
}

/// The value of an integer or a decimal, times [`EXACT_SCALE`].
fn exact(payload: u64, kind: Kind) -> Option<i128> {
    let value = i128::from(unbiased(payload));
    match kind {
        Kind::Integer(_) => Some(value * EXACT_SCALE),
        Kind::Decimal(digits) => Some(value * 10i128.pow(7 - u32::from(digits))),
        _ => None,
    }
}

/// The value of a number as the wider of two types: float, unless one of them is double.
fn promoted(payload: u64, kind: Kind, other: Kind) -> Option<f64> {
    let value = match kind {
        Kind::Double => return Some(double_of(payload)),
        Kind::Float => return Some(float_of(payload)?.into()),
        Kind::Integer(_) => unbiased(payload) as f64,
        Kind::Decimal(digits) => unbiased(payload) as f64 / 10f64.powi(digits.into()),
        _ => return None,
    };
    Some(if other == Kind::Float { f64::from(value as f32) } else { value })
}
