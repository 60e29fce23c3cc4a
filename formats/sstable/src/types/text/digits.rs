//! Numbers in Java's digits: doubles, floats, decimals.

use super::super::number::{Decimal, digits, is_negative, split_decimal};

/// Appends a double as Java prints it: `1.0`, `1.0E10`, `4.9E-324`, `NaN`, `-Infinity`.
pub(super) fn put_double(value: f64, out: &mut String) {
    if put_special(value.is_nan(), value.is_infinite(), value.is_sign_negative(), out) {
        return;
    }
    let two = format!("{value:.1e}");
    let is_two = two.parse() == Ok(value);
    put_java(&format!("{value:e}"), Some(two).filter(|_| is_two), out);
}

/// Appends a float as Java prints it.
pub(super) fn put_float(value: f32, out: &mut String) {
    if put_special(value.is_nan(), value.is_infinite(), value.is_sign_negative(), out) {
        return;
    }
    let two = format!("{value:.1e}");
    let is_two = two.parse() == Ok(value);
    put_java(&format!("{value:e}"), Some(two).filter(|_| is_two), out);
}

fn put_special(is_nan: bool, is_infinite: bool, is_negative: bool, out: &mut String) -> bool {
    match (is_nan, is_infinite, is_negative) {
        (true, ..) => out.push_str("NaN"),
        (_, true, false) => out.push_str("Infinity"),
        (_, true, true) => out.push_str("-Infinity"),
        _ => return false,
    }
    true
}

/// `shortest`: the fewest digits that mean the number, as `-1.5e-3`. `two`: the nearest of two
/// digits, if they mean it too:
/// Java takes at least two.
fn put_java(shortest: &str, two: Option<String>, out: &mut String) {
    let (mantissa, exponent) = shortest.split_once('e').unwrap_or((shortest, "0"));
    let mut exponent: i32 = exponent.parse().unwrap_or(0);
    let mut digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    if let (1, Some(two)) = (digits.len(), &two) {
        let (mantissa, other) = two.split_once('e').unwrap_or((two.as_str(), "0"));
        digits = mantissa.chars().filter(char::is_ascii_digit).collect();
        exponent = other.parse().unwrap_or(0);
    }
    if mantissa.starts_with('-') {
        out.push('-');
    }
    let digits = match digits.trim_end_matches('0') {
        "" => "0",
        rest => rest,
    };
    if (-3..7).contains(&exponent) {
        put_fixed(digits, exponent, out);
        return;
    }
    let (first, rest) = digits.split_at(1);
    let rest = if rest.is_empty() { "0" } else { rest };
    out.push_str(&format!("{first}.{rest}E{exponent}"));
}

/// Digits with a point after the first `exponent + 1` of them, and at least one after it.
fn put_fixed(digits: &str, exponent: i32, out: &mut String) {
    let Ok(exponent) = usize::try_from(exponent) else {
        out.push_str("0.");
        out.extend(std::iter::repeat_n('0', exponent.unsigned_abs() as usize - 1));
        return out.push_str(digits);
    };
    let whole_len = exponent + 1;
    let (whole, rest) = digits.split_at(digits.len().min(whole_len));
    out.push_str(whole);
    out.extend(std::iter::repeat_n('0', whole_len - whole.len()));
    out.push('.');
    out.push_str(if rest.is_empty() { "0" } else { rest });
}

/// Appends a varint.
pub(super) fn put_varint(bytes: &[u8], out: &mut String) {
    if is_negative(bytes) {
        out.push('-');
    }
    out.push_str(&digits(bytes));
}

/// Appends a decimal as Java prints it: `-3.05`, `1E+400`. Nothing of one that is cut.
pub(super) fn put_decimal(bytes: &[u8], out: &mut String) {
    let Some(Decimal { scale, unscaled }) = split_decimal(bytes) else { return };
    if is_negative(unscaled) {
        out.push('-');
    }
    let digits = digits(unscaled);
    let exponent = digits.len() as i64 - 1 - i64::from(scale);
    if scale == 0 {
        out.push_str(&digits);
    } else if scale > 0 && exponent >= -6 {
        put_scaled(&digits, scale as usize, out);
    } else {
        let (first, rest) = digits.split_at(1);
        out.push_str(first);
        if !rest.is_empty() {
            out.push('.');
            out.push_str(rest);
        }
        if exponent != 0 {
            out.push_str(&format!("E{exponent:+}"));
        }
    }
}

/// Digits of which the last `scale` lie after the point.
fn put_scaled(digits: &str, scale: usize, out: &mut String) {
    let whole_len = digits.len().saturating_sub(scale);
    let (whole, rest) = digits.split_at(whole_len);
    out.push_str(if whole.is_empty() { "0" } else { whole });
    out.push('.');
    out.extend(std::iter::repeat_n('0', scale - rest.len()));
    out.push_str(rest);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_have_the_digits_of_java() {
        let check = |value: f64, want: &str| {
            let mut out = String::new();
            put_double(value, &mut out);
            assert_eq!(out, want);
        };
        for (value, want) in [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (1.0, "1.0"),
            (-2.25, "-2.25"),
            (100.0, "100.0"),
            (0.001, "0.001"),
            (0.0001, "1.0E-4"),
            (0.00123, "0.00123"),
            (9_999_999.0, "9999999.0"),
            (1e7, "1.0E7"),
            (12_345_678.5, "1.23456785E7"),
            (1e10, "1.0E10"),
            (1e23, "1.0E23"),
            (f64::MAX, "1.7976931348623157E308"),
            (5e-324, "4.9E-324"),
            (0.1, "0.1"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-Infinity"),
        ] {
            check(value, want);
        }
    }

    #[test]
    fn floats_have_their_own_shortest_digits() {
        let check = |value: f32, want: &str| {
            let mut out = String::new();
            put_float(value, &mut out);
            assert_eq!(out, want);
        };
        for (value, want) in [
            (0.1_f32, "0.1"),
            (1e-45, "1.4E-45"),
            (f32::MAX, "3.4028235E38"),
            (-0.0, "-0.0"),
            (3.5, "3.5"),
            (f32::INFINITY, "Infinity"),
        ] {
            check(value, want);
        }
    }

    #[test]
    fn decimals_keep_their_scale() {
        let check = |scale: i32, unscaled: &[u8], want: &str| {
            let mut out = String::new();
            put_decimal(&[&scale.to_be_bytes(), unscaled].concat(), &mut out);
            assert_eq!(out, want);
        };
        check(0, &[0xff], "-1");
        check(1, &[10], "1.0");
        check(2, &[100], "1.00");
        check(3, &[0xff], "-0.001");
        check(6, &[1], "0.000001");
        check(7, &[1], "1E-7");
        check(7, &[12], "0.0000012");
        check(8, &[12], "1.2E-7");
        check(-1, &[1], "1E+1");
        check(-5, &[0], "0E+5");
        check(1, &[0], "0.0");
        check(400, &[1], "1E-400");
        check(-400, &[0xff], "-1E+400");
        check(i32::MIN, &[12], "1.2E+2147483649");
        check(0, &[], "0");
        check(5, &[0xfe, 0xfe], "-0.00258");
    }
}
