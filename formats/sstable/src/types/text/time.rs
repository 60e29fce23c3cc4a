//! Times as texts: days, instants, times of day, durations.

use manicule_core::civil::Date;

use crate::vint::{split_vint, unfold};

const DAY_SECONDS: i64 = 86_400;
const HOUR_NANOS: u64 = 3_600_000_000_000;
/// Nanoseconds of a day, which a time of day is below.
pub(super) const DAY_NANOS: u64 = 24 * HOUR_NANOS;

/// Date of a day since 1970-01-01 in the Julian calendar, which was used until 1582.
fn julian_date(day: i64) -> Date {
    // Days since 0000-03-01 of this calendar, in years that begin in March.
    let days = day + 719_470;
    let year = (4 * days + 3).div_euclid(1_461);
    // The same day of a year whose February is that of the leap year 2000.
    let like = Date::of_day(MARCH_OF_1999 + days - (1_461 * year).div_euclid(4));
    Date { year: year + like.year - 1999, ..like }
}

/// The day 1999-03-01.
const MARCH_OF_1999: i64 = 10_651;

/// Appends a day as `2020-01-31`, years before 0 with a sign.
pub(super) fn put_day(days: i64, out: &mut String) {
    let Date { year, month, day } = Date::of_day(days);
    let sign = if year < 0 { "-" } else { "" };
    out.push_str(&format!("{sign}{:04}-{month:02}-{day:02}", year.unsigned_abs()));
}

/// How much of a timestamp is shown, and with what between day and time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StampForm {
    /// `2017-07-14 02:40Z`, in the calendar of its time: of Java's older classes.
    Minutes,
    /// `2017-07-14 02:40:00.000Z`; the same.
    OldMillis,
    /// `2017-07-14 02:40:00.000Z`.
    Millis,
    /// `2017-07-14T02:40:00.000Z`.
    Joined,
    /// As [`StampForm::Millis`], but for years before 1, which have a number of their own: 0 and
    /// below. It can be read again.
    Exact,
}

/// The first day of today's calendar, 1582-10-15.
const FIRST_GREGORIAN: i64 = -141_427;

/// Appends a timestamp in milliseconds since 1970 as Java does: by the older classes, or by those
/// that have used the calendar of today for all times.
pub(super) fn put_timestamp(millis: i64, form: StampForm, out: &mut String) {
    let (days, of_day) =
        (millis.div_euclid(DAY_SECONDS * 1000), millis.rem_euclid(DAY_SECONDS * 1000));
    let is_old = matches!(form, StampForm::Minutes | StampForm::OldMillis);
    let is_julian = is_old && days < FIRST_GREGORIAN;
    let date = if is_julian { julian_date(days) } else { Date::of_day(days) };
    let Date { year, month, day } = date;
    // Java's years before 1 are numbered in their era, which isn't said.
    let year = if year > 0 || form == StampForm::Exact { year } else { 1 - year };
    if is_old {
        out.push_str(&format!("{year:04}"))
    } else {
        put_year(year, out)
    }
    let between = if form == StampForm::Joined { 'T' } else { ' ' };
    let (hour, minute) = (of_day / 3_600_000, of_day / 60_000 % 60);
    out.push_str(&format!("-{month:02}-{day:02}{between}{hour:02}:{minute:02}"));
    if form != StampForm::Minutes {
        out.push_str(&format!(":{:02}.{:03}", of_day / 1000 % 60, of_day % 1000));
    }
    out.push('Z');
}

/// Four digits, with a sign before those of other years.
fn put_year(year: i64, out: &mut String) {
    match year {
        0..=9999 => {
            put_two((year / 100) as u32, out);
            put_two((year % 100) as u32, out);
        }
        10_000.. => out.push_str(&format!("+{year}")),
        _ => out.push_str(&format!("-{:04}", year.unsigned_abs())),
    }
}

/// Appends an instant of whole seconds and nanoseconds: with 0, 3, 6 or 9 digits of a second,
/// whichever are needed.
pub fn put_instant(seconds: i64, nanos: u32, out: &mut String) {
    let (days, of_day) = (seconds.div_euclid(DAY_SECONDS), seconds.rem_euclid(DAY_SECONDS));
    let Date { year, month, day } = Date::of_day(days);
    put_year(year, out);
    let parts = [month, day, of_day / 3600, of_day / 60 % 60, of_day % 60];
    for (before, part) in ['-', '-', 'T', ':', ':'].into_iter().zip(parts) {
        out.push(before);
        put_two(part as u32, out);
    }
    put_fraction(nanos, out);
    out.push('Z');
}

/// Three digits for each unit that it needs.
fn put_fraction(nanos: u32, out: &mut String) {
    if nanos == 0 {
        return;
    }
    out.push('.');
    let groups = [nanos / 1_000_000, nanos / 1000 % 1000, nanos % 1000];
    let zeros = groups.iter().rev().take_while(|&&group| group == 0).count();
    for group in &groups[..groups.len() - zeros] {
        out.push(char::from(b'0' + (group / 100) as u8));
        put_two(group % 100, out);
    }
}

fn put_two(number: u32, out: &mut String) {
    let digit = |digit: u32| char::from(b'0' + digit as u8);
    out.push(digit(number / 10));
    out.push(digit(number % 10));
}

/// Appends an instant of microseconds since 1970 as sstabledump does: the seconds cut towards zero,
/// their fraction counted upwards, so that -5 is `1970-01-01T00:00:00.999995Z`; and by nanoseconds
/// of 64 bits, which end in the year 2262: the fractions of all times after it are those of the
/// last.
pub fn put_instant_micros(micros: i64, out: &mut String) {
    let nanos = micros.saturating_mul(1000).rem_euclid(1_000_000_000) as u32;
    put_instant(micros / 1_000_000, nanos, out);
}

/// Appends a time of day with nine digits of a second.
pub(super) fn put_time(nanos: u64, out: &mut String) {
    let seconds = nanos / 1_000_000_000;
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    out.push_str(&format!("{hour:02}:{minute:02}:{second:02}.{:09}", nanos % 1_000_000_000));
}

/// Months, days and nanoseconds of a duration; `None` of bytes that aren't one.
pub(super) fn split_duration(bytes: &[u8]) -> Option<[i64; 3]> {
    let (parts, rest) = duration_in_front(bytes)?;
    rest.is_empty().then_some(parts)
}

/// The same of the first bytes, and those behind them.
pub(super) fn duration_in_front(bytes: &[u8]) -> Option<([i64; 3], &[u8])> {
    let (mut parts, mut rest) = ([0; 3], bytes);
    for part in &mut parts {
        let (value, len) = split_vint(rest)?;
        *part = unfold(value);
        rest = &rest[len..];
    }
    Some((parts, rest))
}

/// Appends a duration: `1y2mo3d4h5m6s7ms8us9ns`.
pub(super) fn put_duration([months, days, nanos]: [i64; 3], out: &mut String) {
    if months < 0 || days < 0 || nanos < 0 {
        out.push('-');
    }
    put_units(months.unsigned_abs(), &[(12, "y"), (1, "mo")], out);
    put_units(days.unsigned_abs(), &[(1, "d")], out);
    let units = [
        (HOUR_NANOS, "h"),
        (HOUR_NANOS / 60, "m"),
        (1_000_000_000, "s"),
        (1_000_000, "ms"),
        (1000, "us"),
        (1, "ns"),
    ];
    put_units(nanos.unsigned_abs(), &units, out);
}

fn put_units(mut amount: u64, units: &[(u64, &str)], out: &mut String) {
    for (size, unit) in units {
        if amount >= *size {
            out.push_str(&format!("{}{unit}", amount / size));
            amount %= size;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(put: impl Fn(&mut String)) -> String {
        let mut out = String::new();
        put(&mut out);
        out
    }

    #[test]
    fn days_are_written_as_dates() {
        for (days, want) in [
            (0, "1970-01-01"),
            (-1, "1969-12-31"),
            (11_016, "2000-02-29"),
            (i64::from(i32::MIN), "-5877641-06-23"),
            (i64::from(i32::MAX), "5881580-07-11"),
            (-719_528, "0000-01-01"),
        ] {
            assert_eq!(text(|out| put_day(days, out)), want);
        }
    }

    #[test]
    fn julian_dates_are_those_that_are_walked() {
        const DAYS: [i64; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
        let (mut year, mut month, mut day) = (-401, 1, 1);
        for number in -865_995..FIRST_GREGORIAN {
            assert_eq!(julian_date(number), Date { year, month, day }, "{number}");
            let is_leap = month == 2 && year % 4 == 0;
            day += 1;
            if day > DAYS[month as usize - 1] + i64::from(is_leap) {
                (month, day) = (month + 1, 1);
            }
            if month > 12 {
                (year, month) = (year + 1, 1);
            }
        }
        assert_eq!((year, month, day), (1582, 10, 5));
    }

    #[test]
    fn timestamps_are_those_of_javas_calendar() {
        let check = |millis: i64, old: &str, new: &str| {
            assert_eq!(text(|out| put_timestamp(millis, StampForm::OldMillis, out)), old);
            let new = if new.is_empty() { old } else { new };
            assert_eq!(text(|out| put_timestamp(millis, StampForm::Millis, out)), new);
        };
        check(0, "1970-01-01 00:00:00.000Z", "");
        check(-1, "1969-12-31 23:59:59.999Z", "");
        check(1_500_000_000_000, "2017-07-14 02:40:00.000Z", "");
        check(i64::MAX, "292278994-08-17 07:12:55.807Z", "+292278994-08-17 07:12:55.807Z");
        check(i64::MIN, "292269055-12-02 16:47:04.192Z", "+292275056-05-16 16:47:04.192Z");
        check(FIRST_GREGORIAN * 86_400_000, "1582-10-15 00:00:00.000Z", "");
        let before = FIRST_GREGORIAN * 86_400_000 - 1;
        check(before, "1582-10-04 23:59:59.999Z", "1582-10-14 23:59:59.999Z");
        check(-62_135_596_800_001, "0001-01-02 23:59:59.999Z", "0001-12-31 23:59:59.999Z");
        let exact = |millis| text(|out| put_timestamp(millis, StampForm::Exact, out));
        assert_eq!(exact(-62_135_596_800_001), "0000-12-31 23:59:59.999Z");
        assert_eq!(exact(-62_167_219_200_001), "-0001-12-31 23:59:59.999Z");
        assert_eq!(exact(-62_135_596_800_000), "0001-01-01 00:00:00.000Z");
        assert_eq!(exact(i64::MIN), "-292275055-05-16 16:47:04.192Z");
        let minutes = text(|out| put_timestamp(-1, StampForm::Minutes, out));
        let joined = text(|out| put_timestamp(-1, StampForm::Joined, out));
        assert_eq!((&minutes[..], &joined[..]), ("1969-12-31 23:59Z", "1969-12-31T23:59:59.999Z"));
    }

    #[test]
    fn instants_have_the_digits_that_they_need() {
        for (micros, want) in [
            (0, "1970-01-01T00:00:00Z"),
            (1_600_000_000_000_000, "2020-09-13T12:26:40Z"),
            (1_600_000_000_003_000, "2020-09-13T12:26:40.003Z"),
            (1, "1970-01-01T00:00:00.000001Z"),
            (-5, "1970-01-01T00:00:00.999995Z"),
            (i64::MAX, "+294247-01-10T04:00:54.854775807Z"),
            (-62_198_755_200_000_000, "-0001-01-01T00:00:00.145224192Z"),
        ] {
            assert_eq!(text(|out| put_instant_micros(micros, out)), want);
        }
        assert_eq!(text(|out| put_instant(-1, 5, out)), "1969-12-31T23:59:59.000000005Z");
    }

    #[test]
    fn durations_and_times_of_day_have_units() {
        let check = |parts, want: &str| assert_eq!(text(|out| put_duration(parts, out)), want);
        check([1, 2, 3 * HOUR_NANOS as i64], "1mo2d3h");
        check([25, 0, 61_001_002_003], "2y1mo1m1s1ms2us3ns");
        check([-1, -2, 0], "-1mo2d");
        check([0, 0, 0], "");
        check([i64::MIN, 0, i64::MIN], "-768614336404564650y8mo2562047h47m16s854ms775us808ns");
        assert_eq!(split_duration(&[2, 4, 0xc0, 0, 1]), Some([1, 2, -1]));
        assert_eq!((split_duration(&[2, 4]), split_duration(&[0, 0, 0, 0])), (None, None));
        assert_eq!(text(|out| put_time(86_399_999_999_999, out)), "23:59:59.999999999");
    }
}
