//! Texts of conditions as values of columns: dates, times of a day, UUIDs; these as texts.

use manicule_core::hex;

use super::field::UUID_LEN;
use crate::times::milliseconds;

/// Milliseconds and nanoseconds of a day.
const DAY_MILLIS: i64 = 86_400_000;
const DAY_NANOS: i64 = DAY_MILLIS * 1_000_000;

/// Days since 1970 of a date such as `2026-01-31`.
pub(super) fn days(text: &str) -> Option<i64> {
    let is_date =
        text.len() == 10 && text.bytes().all(|byte| byte == b'-' || byte.is_ascii_digit());
    let millis = milliseconds(text).filter(|_| is_date)?;
    Some(millis.div_euclid(DAY_MILLIS))
}

/// Nanoseconds of the day of a time such as `08:30:00.5`.
pub(super) fn nanos_of_day(text: &str) -> Option<i64> {
    let (clock, fraction) = text.split_once('.').unwrap_or((text, ""));
    let mut parts = clock.split(':').map(|part| {
        let is_number = part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_digit());
        part.parse::<i64>().ok().filter(|_| is_number)
    });
    let (hour, minute, second) = (parts.next()??, parts.next()??, parts.next()??);
    let is_fraction = fraction.len() <= 9 && fraction.bytes().all(|byte| byte.is_ascii_digit());
    if parts.next().is_some() || minute > 59 || second > 59 || !is_fraction {
        return None;
    }
    let nanos: i64 = format!("{fraction:0<9}").parse().ok()?;
    let nanos = ((hour * 60 + minute) * 60 + second) * 1_000_000_000 + nanos;
    (nanos < DAY_NANOS).then_some(nanos)
}

/// A UUID of 36 characters.
pub(super) fn uuid(text: &str) -> Option<[u8; UUID_LEN]> {
    let bytes = text.as_bytes();
    let is_dash = |at: usize| matches!(at, 8 | 13 | 18 | 23);
    if bytes.len() != 36 || (0..36).any(|at| is_dash(at) != (bytes[at] == b'-')) {
        return None;
    }
    let mut digits = bytes.iter().filter(|byte| **byte != b'-');
    let mut digit = || char::from(*digits.next()?).to_digit(16);
    let mut uuid = [0; UUID_LEN];
    for byte in &mut uuid {
        *byte = (digit()? << 4 | digit()?) as u8;
    }
    Some(uuid)
}

/// A UUID as 36 characters.
pub(super) fn uuid_text(uuid: &[u8; UUID_LEN]) -> String {
    let mut text = String::with_capacity(36);
    for (at, byte) in uuid.iter().enumerate() {
        text.push_str(if matches!(at, 4 | 6 | 8 | 10) { "-" } else { "" });
        hex::put(&[*byte], &mut text);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_times_of_a_day() {
        assert_eq!([days("1970-01-02"), days("1969-12-31")], [Some(1), Some(-1)]);
        assert_eq!([days("2026-02-30"), days("1"), days("1970-01-01T00:00")], [None; 3]);
        assert_eq!(nanos_of_day("23:59:59.999999999"), Some(DAY_NANOS - 1));
        assert_eq!(nanos_of_day("00:00:01"), Some(1_000_000_000));
        assert_eq!(["24:00:00", "1:00:00", "00:00", "00:00:00.x"].map(nanos_of_day), [None; 4]);
    }

    #[test]
    fn uuids_come_back() {
        let text = "123e4567-e89b-12d3-a456-426614174000";
        assert_eq!(uuid(text).map(|uuid| uuid_text(&uuid)).as_deref(), Some(text));
        assert_eq!(uuid("123E4567-E89B-12D3-A456-426614174000"), uuid(text));
        assert_eq!(uuid("123e4567e89b12d3a456426614174000----"), None);
    }
}
