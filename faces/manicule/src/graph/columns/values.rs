//! Lexical forms of XSD as values that Arrow has. None for a value that its type can't hold, or a
//! form that is wrong.

use std::str::FromStr;

use time::{Date, Month};

/// Maximum number of digits of a decimal of 128 bits.
pub(super) const DIGITS_MAX: usize = 38;

/// A boolean.
pub(super) fn boolean(text: &str) -> Option<bool> {
    match text {
        "true" | "1" => Some(true),
        "false" | "0" => Some(false),
        _ => None,
    }
}

/// An integer.
pub(super) fn integer(text: &str) -> Option<i64> {
    text.parse().ok()
}

/// A float or a double.
pub(super) fn float<F: FromStr>(text: &str) -> Option<F> {
    let is_part = |byte| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
    let is_named = matches!(text, "INF" | "+INF" | "-INF" | "NaN");
    // Those names the library knows too, and others besides.
    if is_named || text.bytes().all(is_part) { text.parse().ok() } else { None }
}

/// Digits before the point of a decimal, without zeros in front, and after it.
pub(super) fn decimal_digits(text: &str) -> Option<(usize, usize)> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let is_number = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
    let has_digits = !whole.is_empty() || !fraction.is_empty();
    (has_digits && is_number(whole) && is_number(fraction))
        .then(|| (whole.trim_start_matches('0').len(), fraction.len()))
}

/// A decimal in units of 10^-scale, which is at least its number of digits after the point.
pub(super) fn decimal(text: &str, scale: usize) -> Option<i128> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let zeros = scale.checked_sub(fraction.len())?;
    let digits: String = [whole, fraction, &"0".repeat(zeros)].concat();
    digits.parse().ok()
}

/// A date without a time zone, in days since 1970.
pub(super) fn date(text: &str) -> Option<i32> {
    let bytes = text.as_bytes();
    if bytes.len() != 10 || bytes[4] != b'-' || bytes[7] != b'-' {
        return None;
    }
    let (year, month, day) = (number(&text[..4])?, number(&text[5..7])?, number(&text[8..])?);
    let month = Month::try_from(month as u8).ok()?;
    let date = Date::from_calendar_date(year as i32, month, day as u8).ok()?;
    let epoch = Date::from_calendar_date(1970, Month::January, 1).ok()?;
    Some((date - epoch).whole_days() as i32)
}

/// A time in microseconds since 1970, and whether it has a time zone; one without is taken as of
/// UTC.
pub(super) fn date_time(text: &str) -> Option<(i64, bool)> {
    if !text.is_ascii() {
        return None;
    }
    let (day, time) = text.split_once('T')?;
    let day = i64::from(date(day)?);
    if time.len() < 8 {
        return None;
    }
    let (clock, rest) = time.split_at(8);
    let bytes = clock.as_bytes();
    if bytes[2] != b':' || bytes[5] != b':' {
        return None;
    }
    let (hour, minute) = (number(&clock[..2])?, number(&clock[3..5])?);
    let second = number(&clock[6..])?;
    let fraction_len = match rest.strip_prefix('.') {
        Some(fraction) => 1 + fraction.bytes().take_while(u8::is_ascii_digit).count(),
        None => 0,
    };
    let (fraction, zone) = rest.split_at(fraction_len);
    let micros = match fraction.len() {
        0 => 0,
        2..=7 => {
            let digits = &fraction[1..];
            number(digits)? * 10_i64.pow(6 - digits.len() as u32)
        }
        _ => return None,
    };
    let offset_min = match zone {
        "" | "Z" => 0,
        _ => zone_min(zone)?,
    };
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let seconds = ((day * 24 + hour) * 60 + minute - offset_min) * 60 + second;
    Some((seconds * 1_000_000 + micros, !zone.is_empty()))
}

/// Minutes of a time zone such as `+02:00`.
fn zone_min(zone: &str) -> Option<i64> {
    let sign = match zone.as_bytes().first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let (hours, minutes) = zone[1..].split_once(':')?;
    if hours.len() != 2 || minutes.len() != 2 {
        return None;
    }
    let (hours, minutes) = (number(hours)?, number(minutes)?);
    (hours <= 14 && minutes <= 59).then_some(sign * (hours * 60 + minutes))
}

/// A number of digits alone.
fn number(digits: &str) -> Option<i64> {
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_xsd() {
        assert_eq!([integer("+07"), integer("-3"), integer("1.0")], [Some(7), Some(-3), None]);
        assert_eq!(integer("9223372036854775808"), None);
        assert_eq!(
            [float("1e3"), float("-INF"), float("inf")],
            [Some(1000.0), Some(f64::NEG_INFINITY), None]
        );
        assert!(float("NaN").is_some_and(f64::is_nan));
        assert_eq!([boolean("1"), boolean("TRUE")], [Some(true), None]);
    }

    #[test]
    fn decimals_have_a_scale() {
        for (text, digits, hundredths) in [
            ("4.5", Some((1, 1)), Some(450)),
            ("-004.05", Some((1, 2)), Some(-405)),
            (".5", Some((0, 1)), Some(50)),
            ("+7.", Some((1, 0)), Some(700)),
        ] {
            assert_eq!((decimal_digits(text), decimal(text, 2)), (digits, hundredths), "{text}");
        }
        assert!(
            ["", ".", "-", "1e3", "a", "1.2.3", "--1"]
                .iter()
                .all(|text| decimal_digits(text).is_none())
        );
    }

    #[test]
    fn dates_and_times_count_from_1970() {
        assert_eq!(date("1970-01-02"), Some(1));
        assert_eq!(date("1969-12-31"), Some(-1));
        assert!(
            ["2024-02-30", "2024-1-01", "2024-01-01Z", "+024-01-01"]
                .iter()
                .all(|text| date(text).is_none())
        );
        for (text, want) in [
            ("1970-01-01T00:00:00Z", Some((0, true))),
            ("1970-01-01T00:00:01.5", Some((1_500_000, false))),
            ("1970-01-01T02:00:00+02:00", Some((0, true))),
            ("1970-01-01T00:00:00-00:01", Some((60_000_000, true))),
            ("1970-01-01T00:00:00.1234567Z", None),
            ("1970-01-01T24:00:00", None),
            ("1970-01-01T00:00:00+2", None),
            ("1970-01-01T00:00:00.Z", None),
            ("1970-01-01", None),
        ] {
            assert_eq!(date_time(text), want, "{text}");
        }
    }
}
