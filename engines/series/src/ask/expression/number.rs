//! Numbers and durations as Go and Prometheus read them.

/// Units of a duration in milliseconds, in the order in which they may occur.
const UNITS: [(&str, i64); 7] = [
    ("y", 365 * 86_400_000),
    ("w", 7 * 86_400_000),
    ("d", 86_400_000),
    ("h", 3_600_000),
    ("m", 60_000),
    ("s", 1000),
    ("ms", 1),
];

/// Maximum duration in milliseconds: Go counts nanoseconds.
const DURATION_MAX: i64 = i64::MAX / 1_000_000;

/// A duration such as `1h30m` in milliseconds; `0` needs no unit.
pub fn parse_duration(text: &str) -> Option<i64> {
    if text == "0" {
        return Some(0);
    }
    let (mut rest, mut sum, mut first) = (text, 0i64, 0);
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let number: i64 = rest[..digits].parse().ok()?;
        rest = &rest[digits..];
        let len = rest.find(|char: char| char.is_ascii_digit()).unwrap_or(rest.len());
        let place = UNITS.iter().position(|(unit, _)| *unit == &rest[..len])?;
        if place < first {
            return None;
        }
        (first, rest) = (place + 1, &rest[len..]);
        sum = sum.checked_add(number.checked_mul(UNITS[place].1)?)?;
    }
    (!text.is_empty() && sum <= DURATION_MAX).then_some(sum)
}

/// A number that the lexer took for one: decimal with a fraction or exponent, hexadecimal, octal
/// with a zero in front, `Inf`, `NaN`.
pub(super) fn parse_number(text: &str) -> Option<f64> {
    match text.to_ascii_lowercase().as_str() {
        "inf" => return Some(f64::INFINITY),
        "nan" => return Some(f64::NAN),
        _ => {}
    }
    if let Some(digits) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        return i64::from_str_radix(digits, 16).ok().map(|whole| whole as f64);
    }
    let whole = text.replace('_', "");
    let is_octal = |digit: u8| (b'0'..=b'7').contains(&digit);
    if whole.len() > 1 && whole.starts_with('0') && whole.bytes().all(is_octal) {
        return i64::from_str_radix(&whole, 8).ok().map(|whole| whole as f64);
    }
    if text.contains('_') && !whole.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    whole.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_units_in_order() {
        for (text, want) in [
            ("5m", Some(300_000)),
            ("1h30m", Some(5_400_000)),
            ("1y2w3d4h5m6s7ms", Some(31_536_000_000 + 1_209_600_000 + 259_200_000 + 14_706_007)),
            ("0", Some(0)),
            ("0s", Some(0)),
            ("", None),
            ("5", None),
            ("m", None),
            ("5m1h", None),
            ("5m5m", None),
            ("5µs", None),
            ("300y", None),
            ("99999999999999999999s", None),
        ] {
            assert_eq!(parse_duration(text), want, "{text}");
        }
    }

    #[test]
    fn numbers_are_those_of_go() {
        for (text, want) in [
            ("1", Some(1.0)),
            (".5", Some(0.5)),
            ("1e3", Some(1000.0)),
            ("0x1F", Some(31.0)),
            ("010", Some(8.0)),
            ("08", Some(8.0)),
            ("1_000", Some(1000.0)),
            ("1_0.5", None),
            ("Inf", Some(f64::INFINITY)),
            ("1.2.3", None),
        ] {
            assert_eq!(parse_number(text), want, "{text}");
        }
        assert!(parse_number("nAn").is_some_and(f64::is_nan));
    }
}
