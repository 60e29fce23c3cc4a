//! Times as people write them: seconds since 1970, or RFC 3339.
//!
//! Callers: faces/cli

use jiff::Timestamp;

/// Milliseconds since 1970 of a time such as `1700000000`, `1700000000.5` or `2023-11-14T22:13:20Z`; `None` if it is no
/// time.
pub fn milliseconds(text: &str) -> Option<i64> {
    if let Ok(seconds) = text.parse::<f64>() {
        let milliseconds = (seconds * 1000.0).round();
        // Beyond that a double doesn't tell milliseconds apart.
        return (milliseconds.abs() < 9e15).then_some(milliseconds as i64);
    }
    text.parse::<Timestamp>().ok().map(|time| time.as_millisecond())
}

#[cfg(test)]
mod tests {
    use super::milliseconds;

    #[test]
    fn seconds_and_rfc_3339() {
        for (text, want) in [
            ("1700000000", Some(1_700_000_000_000)),
            ("1700000000.1234", Some(1_700_000_000_123)),
            ("-1", Some(-1000)),
            ("2023-11-14T22:13:20Z", Some(1_700_000_000_000)),
            ("2023-11-15T00:13:20.5+02:00", Some(1_700_000_000_500)),
            ("1e300", None),
            ("nan", None),
            ("yesterday", None),
            ("", None),
        ] {
            assert_eq!(milliseconds(text), want, "{text}");
        }
    }
}
