//! What is computed of numbers, by the rules of XPath: both are made the wider of their datatypes.

use std::cmp::Ordering;

use num_bigint::BigInt;

use super::decimal::{DIGITS_MAX, Decimal};
use super::value::Number;

/// Two numbers of one datatype.
enum Pair {
    Integers(Decimal, Decimal),
    Decimals(Decimal, Decimal),
    Floats(f32, f32),
    Doubles(f64, f64),
}

fn pair(one: &Number, other: &Number) -> Pair {
    use Number as N;
    match (one, other) {
        (N::Double(_), _) | (_, N::Double(_)) => Pair::Doubles(one.double(), other.double()),
        (N::Float(_), _) | (_, N::Float(_)) => Pair::Floats(one.float(), other.float()),
        (N::Integer(one), N::Integer(other)) => Pair::Integers(one.clone(), other.clone()),
        (N::Integer(one) | N::Decimal(one), N::Integer(other) | N::Decimal(other)) => {
            Pair::Decimals(one.clone(), other.clone())
        }
    }
}

/// A number, unless it has more digits than are computed with.
fn bounded(number: Number) -> Option<Number> {
    match &number {
        Number::Integer(value) | Number::Decimal(value) if value.digit_count() > DIGITS_MAX => None,
        _ => Some(number),
    }
}

impl Number {
    pub(in crate::sparql) fn plus(&self, other: &Number) -> Option<Number> {
        bounded(match pair(self, other) {
            Pair::Integers(one, other) => Number::Integer(one.plus(&other)),
            Pair::Decimals(one, other) => Number::Decimal(one.plus(&other)),
            Pair::Floats(one, other) => Number::Float(one + other),
            Pair::Doubles(one, other) => Number::Double(one + other),
        })
    }

    pub(super) fn minus(&self, other: &Number) -> Option<Number> {
        self.plus(&other.negated())
    }

    pub(super) fn times(&self, other: &Number) -> Option<Number> {
        bounded(match pair(self, other) {
            Pair::Integers(one, other) => Number::Integer(one.times(&other)),
            Pair::Decimals(one, other) => Number::Decimal(one.times(&other)),
            Pair::Floats(one, other) => Number::Float(one * other),
            Pair::Doubles(one, other) => Number::Double(one * other),
        })
    }

    /// The quotient, of integers a decimal; none of an exact number by zero.
    pub(super) fn over(&self, other: &Number) -> Option<Number> {
        bounded(match pair(self, other) {
            Pair::Integers(one, other) | Pair::Decimals(one, other) => {
                Number::Decimal(one.over(&other)?)
            }
            Pair::Floats(one, other) => Number::Float(one / other),
            Pair::Doubles(one, other) => Number::Double(one / other),
        })
    }

    pub(super) fn negated(&self) -> Number {
        match self {
            Number::Integer(value) => Number::Integer(value.negated()),
            Number::Decimal(value) => Number::Decimal(value.negated()),
            Number::Float(value) => Number::Float(-value),
            Number::Double(value) => Number::Double(-value),
        }
    }

    pub(super) fn abs(&self) -> Number {
        match self {
            Number::Integer(value) | Number::Decimal(value) if value.is_negative() => {
                self.negated()
            }
            Number::Float(value) => Number::Float(value.abs()),
            Number::Double(value) => Number::Double(value.abs()),
            _ => self.clone(),
        }
    }

    pub(super) fn floor(&self) -> Number {
        self.rounded(Decimal::floor, f32::floor, f64::floor)
    }

    pub(super) fn ceil(&self) -> Number {
        self.rounded(|value| -value.negated().floor(), f32::ceil, f64::ceil)
    }

    /// The nearest integer, the greater of two.
    pub(super) fn round(&self) -> Number {
        let half = Decimal::new(BigInt::from(5), 1);
        self.rounded(
            |value| value.plus(&half).floor(),
            // The sum of a number and a half may be rounded itself.
            |value| value.floor() + f32::from(u8::from(value - value.floor() >= 0.5)),
            |value| value.floor() + f64::from(u8::from(value - value.floor() >= 0.5)),
        )
    }

    fn rounded(
        &self,
        exact: impl Fn(&Decimal) -> BigInt,
        float: impl Fn(f32) -> f32,
        double: impl Fn(f64) -> f64,
    ) -> Number {
        match self {
            Number::Integer(_) => self.clone(),
            Number::Decimal(value) => Number::Decimal(Decimal::new(exact(value), 0)),
            Number::Float(value) => Number::Float(float(*value)),
            Number::Double(value) => Number::Double(double(*value)),
        }
    }

    /// The order of two; none beside a NaN.
    pub(super) fn order(&self, other: &Number) -> Option<Ordering> {
        match pair(self, other) {
            Pair::Integers(one, other) | Pair::Decimals(one, other) => Some(one.cmp(&other)),
            Pair::Floats(one, other) => one.partial_cmp(&other),
            Pair::Doubles(one, other) => one.partial_cmp(&other),
        }
    }

    /// The effective boolean value.
    pub(super) fn truth(&self) -> bool {
        match self {
            Number::Integer(value) | Number::Decimal(value) => !value.is_zero(),
            Number::Float(value) => *value != 0.0 && !value.is_nan(),
            Number::Double(value) => *value != 0.0 && !value.is_nan(),
        }
    }

    /// As an integer, without what is after the point; none of what is infinite. A double of
    /// 64 bits is the integer that it is, a greater one that of its shortest digits.
    pub(super) fn to_integer(&self) -> Option<Number> {
        /// 2 to the 63rd power: the first double that 64 bits don't hold.
        const AFTER: f64 = 9_223_372_036_854_775_808.0;
        match self {
            Number::Float(_) | Number::Double(_) if (-AFTER..AFTER).contains(&self.double()) => {
                Some(Number::from(self.double() as i64))
            }
            _ => {
                let Number::Decimal(value) = self.to_decimal()? else { return None };
                bounded(Number::Integer(Decimal::new(value.truncated(), 0)))
            }
        }
    }

    /// As a decimal; none of what is infinite.
    pub(super) fn to_decimal(&self) -> Option<Number> {
        Some(Number::Decimal(match self {
            Number::Integer(value) | Number::Decimal(value) => value.clone(),
            Number::Float(_) | Number::Double(_) => Number::decimal_of(self.double())?,
        }))
    }
}
