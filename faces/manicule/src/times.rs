//! Times as people write them: seconds since 1970, RFC 3339, or a date.
//!
//! Callers: faces/cli

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

/// Milliseconds since 1970 of a time such as `1700000000`, `1700000000.5` or `2023-11-14T22:13:20Z`; `None` if it is no
/// time. A date is its first moment, and what names no zone is UTC: `2023-11-14`, `2023-11-14T22:13`.
pub fn milliseconds(text: &str) -> Option<i64> {
    if let Ok(seconds) = text.parse::<f64>() {
        let milliseconds = (seconds * 1000.0).round();
        // Beyond that a double doesn't distinguish milliseconds.
        return (milliseconds.abs() < 9e15).then_some(milliseconds as i64);
    }
    if let Ok(time) = text.parse::<Timestamp>() {
        return Some(time.as_millisecond());
    }
    let is_date = text.bytes().all(|byte| byte.is_ascii_digit() || b"-T:. ".contains(&byte));
    let time = text.parse::<DateTime>().ok().filter(|_| is_date)?;
    Some(time.to_zoned(TimeZone::UTC).ok()?.timestamp().as_millisecond())
}

#[cfg(test)]
mod tests {
    use super::milliseconds;

    #[test]
    fn seconds_and_rfc_3339_and_dates() {
        for (text, want) in [
            ("1700000000", Some(1_700_000_000_000)),
            ("1700000000.1234", Some(1_700_000_000_123)),
            ("-1", Some(-1000)),
            ("2023-11-14T22:13:20Z", Some(1_700_000_000_000)),
            ("2023-11-15T00:13:20.5+02:00", Some(1_700_000_000_500)),
            ("2023-11-14", Some(1_699_920_000_000)),
            ("2023-11-14T22:13", Some(1_699_999_980_000)),
            ("2023-11-14 22:13:20.5", Some(1_700_000_000_500)),
            ("2023-02-30", None),
            ("2023-11", None),
            ("2023-11-14T22:13[Europe/Berlin]", None),
            ("1e300", None),
            ("nan", None),
            ("yesterday", None),
            ("", None),
        ] {
            assert_eq!(milliseconds(text), want, "{text}");
        }
    }
}
