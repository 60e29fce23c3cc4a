//! Decimals of any length: an integer and the number of its digits that are after the point.

use std::cmp::Ordering;

use num_bigint::{BigInt, Sign};

/// Maximum number of digits of a number that is computed with; longer ones have no value.
pub(super) const DIGITS_MAX: usize = 10_000;
/// Digits after the point of a quotient that doesn't end, rounded half up: as many as Jena gives.
const QUOTIENT_DIGITS: u32 = 24;

/// A decimal without zeros at its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::sparql) struct Decimal {
    digits: BigInt,
    /// Number of digits after the point.
    scale: u32,
}

/// 10 to a power.
pub(super) fn ten_to(power: u32) -> BigInt {
    BigInt::from(10).pow(power)
}

impl Decimal {
    pub(super) fn new(digits: BigInt, scale: u32) -> Decimal {
        Decimal { digits, scale }.without_zeros()
    }

    /// A decimal written `[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)`; none of other texts, and of too many
    /// digits.
    pub(super) fn parse(text: &str) -> Option<Decimal> {
        let (is_negative, rest) = match text.as_bytes().first()? {
            b'-' => (true, &text[1..]),
            b'+' => (false, &text[1..]),
            _ => (false, text),
        };
        let (whole, part) = rest.split_once('.').unwrap_or((rest, ""));
        let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if whole.len() + part.len() == 0 || !is_digits(whole) || !is_digits(part) {
            return None;
        }
        let (whole, part) = (whole.trim_start_matches('0'), part.trim_end_matches('0'));
        if whole.len() + part.len() > DIGITS_MAX {
            return None;
        }
        let digits = BigInt::parse_bytes(format!("0{whole}{part}").as_bytes(), 10)?;
        let digits = if is_negative { -digits } else { digits };
        Some(Decimal { digits, scale: part.len() as u32 })
    }

    fn without_zeros(mut self) -> Decimal {
        if self.digits.sign() == Sign::NoSign {
            self.scale = 0;
        }
        let ten = BigInt::from(10);
        while self.scale > 0 && &self.digits % &ten == BigInt::ZERO {
            self.digits /= &ten;
            self.scale -= 1;
        }
        self
    }

    /// The digits of both with as many after the point.
    fn aligned(&self, other: &Decimal) -> (BigInt, BigInt, u32) {
        let scale = self.scale.max(other.scale);
        let of = |one: &Decimal| &one.digits * ten_to(scale - one.scale);
        (of(self), of(other), scale)
    }

    pub(super) fn plus(&self, other: &Decimal) -> Decimal {
        let (one, other, scale) = self.aligned(other);
        Decimal::new(one + other, scale)
    }

    pub(super) fn times(&self, other: &Decimal) -> Decimal {
        Decimal::new(&self.digits * &other.digits, self.scale + other.scale)
    }

    /// The quotient, exact where its digits end; none by zero.
    pub(super) fn over(&self, other: &Decimal) -> Option<Decimal> {
        let (one, other, _) = self.aligned(other);
        if other == BigInt::ZERO {
            return None;
        }
        let scale = digits_of_quotient(&one, &other).unwrap_or(QUOTIENT_DIGITS);
        let digits = rounded_quotient(&(one * ten_to(scale)), &other);
        Some(Decimal::new(digits, scale))
    }

    pub(super) fn negated(&self) -> Decimal {
        Decimal { digits: -&self.digits, scale: self.scale }
    }

    pub(super) fn is_negative(&self) -> bool {
        self.digits.sign() == Sign::Minus
    }

    pub(super) fn is_zero(&self) -> bool {
        self.digits == BigInt::ZERO
    }

    /// The greatest integer that isn't greater.
    pub(super) fn floor(&self) -> BigInt {
        let whole = self.truncated();
        let is_below = self.is_negative() && self.scale > 0;
        if is_below { whole - 1 } else { whole }
    }

    /// The integer without what is after the point.
    pub(super) fn truncated(&self) -> BigInt {
        &self.digits / ten_to(self.scale)
    }

    /// The number of digits, those after the point included.
    pub(super) fn digit_count(&self) -> usize {
        // A digit is 3.3 bits.
        (self.digits.bits() as usize * 3 / 10).max(self.scale as usize)
    }
}

/// Digits after the point that hold a quotient whole; none if no number of them does.
fn digits_of_quotient(one: &BigInt, other: &BigInt) -> Option<u32> {
    let twos = other.trailing_zeros().unwrap_or(0);
    let (five, mut rest, mut fives) = (BigInt::from(5), other >> twos, 0);
    while &rest % &five == BigInt::ZERO {
        rest /= &five;
        fives += 1;
    }
    // What is left of the divisor has to be a divisor of the dividend.
    (one % rest == BigInt::ZERO).then_some(twos.max(fives) as u32)
}

/// A quotient as an integer: the nearest one, the farther from zero of two that are as near.
fn rounded_quotient(one: &BigInt, other: &BigInt) -> BigInt {
    let (quotient, rest) = (one / other, one % other);
    if rest.magnitude() * 2u32 < *other.magnitude() {
        return quotient;
    }
    if rest.sign() == other.sign() { quotient + 1 } else { quotient - 1 }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Decimal) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Decimal) -> Ordering {
        let (one, other, _) = self.aligned(other);
        one.cmp(&other)
    }
}

impl std::fmt::Display for Decimal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let scale = self.scale as usize;
        let digits = format!("{:0>width$}", self.digits.magnitude(), width = scale + 1);
        let (whole, part) = digits.split_at(digits.len() - scale);
        let sign = if self.is_negative() { "-" } else { "" };
        let point = if part.is_empty() { "" } else { "." };
        write!(f, "{sign}{whole}{point}{part}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Decimal {
        Decimal::parse(text).expect(text)
    }

    #[test]
    fn texts_are_read_and_written() {
        for (text, want) in [
            ("0", "0"),
            ("-0.0", "0"),
            ("007.500", "7.5"),
            ("+.25", "0.25"),
            ("5.", "5"),
            ("-0.000000000000000000000000001", "-0.000000000000000000000000001"),
            ("123456789012345678901234.5", "123456789012345678901234.5"),
        ] {
            assert_eq!(of(text).to_string(), want);
        }
        for text in ["", ".", "-", "1e5", "1_000", " 1", "1.2.3", "--1", "INF"] {
            assert_eq!(Decimal::parse(text), None, "{text:?}");
        }
        assert_eq!(Decimal::parse(&"9".repeat(DIGITS_MAX + 1)), None);
        assert!(Decimal::parse(&format!("{}1", "0".repeat(DIGITS_MAX))).is_some());
    }

    #[test]
    fn what_is_computed_is_exact_up_to_quotients() {
        for (got, want) in [
            (of("0.1").plus(&of("-0.1")), "0"),
            (of("123456789012345678901234.5").plus(&of("0.5")), "123456789012345678901235"),
            (of("1162.50232689679035213546").times(&of("3")), "3487.50698069037105640638"),
            (of("1").over(&of("3")).expect("one"), "0.333333333333333333333333"),
            (of("-2").over(&of("3")).expect("one"), "-0.666666666666666666666667"),
            (of("2").over(&of("-3")).expect("one"), "-0.666666666666666666666667"),
            (of("-6").over(&of("-4")).expect("one"), "1.5"),
            (
                of("0.000000000000000000000000000021").over(&of("-12")).expect("one"),
                "-0.00000000000000000000000000000175",
            ),
            (
                of("3").over(&of("0.0000000000000000000000006")).expect("one"),
                "5000000000000000000000000",
            ),
            (
                of("12345678901234567890123").over(&of("7")).expect("one"),
                "1763668414462081127160.428571428571428571428571",
            ),
        ] {
            assert_eq!(got.to_string(), want);
        }
        assert_eq!(of("1").over(&of("0")), None);
        assert!(of("-1.5") < of("-1.25") && of("10") > of("9.999") && of("1.0") == of("1"));
        assert_eq!(
            (of("-1.5").floor(), of("1.5").floor(), of("-2").floor()),
            (BigInt::from(-2), BigInt::from(1), BigInt::from(-2))
        );
    }
}
