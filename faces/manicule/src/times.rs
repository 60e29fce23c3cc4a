//! Times as people write them: seconds since 1970, RFC 3339, or a date.

use time::format_description::well_known::{Iso8601, Rfc3339};
use time::{Date, OffsetDateTime, PrimitiveDateTime, Time};

/// Milliseconds since 1970 of a time such as `1700000000`, `1700000000.5` or
/// `2023-11-14T22:13:20Z`; `None` if it is not a time. A date is its first moment, and a time
/// without a zone is UTC: `2023-11-14`, `2023-11-14T22:13`.
pub fn milliseconds(text: &str) -> Option<i64> {
    if let Ok(seconds) = text.parse::<f64>() {
        let milliseconds = (seconds * 1000.0).round();
        // Beyond that a double doesn't distinguish milliseconds.
        return (milliseconds.abs() < 9e15).then_some(milliseconds as i64);
    }
    let text = as_iso_8601(text);
    let date_time = || PrimitiveDateTime::parse(&text, &Iso8601::DEFAULT);
    let date = || Date::parse(&text, &Iso8601::DEFAULT);
    let time = OffsetDateTime::parse(&text, &Iso8601::DEFAULT)
        .or_else(|_| date_time().map(PrimitiveDateTime::assume_utc))
        .or_else(|_| date().map(|date| date.with_time(Time::MIDNIGHT).assume_utc()))
        .ok()?;
    i64::try_from(time.unix_timestamp_nanos().div_euclid(1_000_000)).ok()
}

/// RFC 3339 allows a space between date and time and small letters; ISO 8601, by which the library
/// reads, doesn't.
fn as_iso_8601(text: &str) -> String {
    let mut text = text.to_ascii_uppercase();
    if text.as_bytes().get(10) == Some(&b' ') {
        text.replace_range(10..11, "T");
    }
    text
}

/// A time in milliseconds since 1970 in RFC 3339 and UTC; the number itself outside of the
/// calendar.
pub fn utc(ms: i64) -> String {
    rfc_3339(i128::from(ms) * 1_000_000).unwrap_or_else(|| ms.to_string())
}

/// A time in nanoseconds since 1970 in RFC 3339 and UTC; `None` before the year 0 and after 9999.
pub(crate) fn rfc_3339(ns: i128) -> Option<String> {
    OffsetDateTime::from_unix_timestamp_nanos(ns).ok()?.format(&Rfc3339).ok()
}

/// Milliseconds since 1970 of a time in RFC 3339; `None` if it is none.
pub fn of_rfc_3339(text: &str) -> Option<i64> {
    micros_of_rfc_3339(text).map(|micros| micros.div_euclid(1000))
}

/// Microseconds since 1970 of a time in RFC 3339; `None` if it is none.
pub(crate) fn micros_of_rfc_3339(text: &str) -> Option<i64> {
    let time = OffsetDateTime::parse(text, &Rfc3339).ok()?;
    i64::try_from(time.unix_timestamp_nanos().div_euclid(1000)).ok()
}

/// Whether a text is a time as RFC 3339 writes it.
pub(crate) fn is_rfc_3339(text: &str) -> bool {
    OffsetDateTime::parse(text, &Rfc3339).is_ok()
}

#[cfg(test)]
mod tests {
    use super::{milliseconds, utc};

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
            ("2023-11-14t22:13:20z", Some(1_700_000_000_000)),
            ("2023-11-14 22:13Z", Some(1_699_999_980_000)),
            ("2023-11-14T25:13:20Z", None),
            ("2023-11-14ä22:13:20Z", None),
            ("1969-12-31T23:59:59.9999Z", Some(-1)),
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

    #[test]
    fn times_are_shown_in_utc() {
        for (ms, want) in [
            (1_700_000_000_000, "2023-11-14T22:13:20Z"),
            (1_700_000_000_120, "2023-11-14T22:13:20.12Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
            (253_402_300_800_000, "253402300800000"),
            (i64::MIN, "-9223372036854775808"),
        ] {
            assert_eq!(utc(ms), want);
        }
    }
}
