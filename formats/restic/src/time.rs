//! Times of snapshots, nodes, locks and keys: RFC 3339 with nanoseconds, read and written as Go
//! does.
//!
//! Bytes:   docs/formats/restic.md, section Times

use std::fmt;

use manicule_core::civil::Date;
use manicule_core::go::json::{Json, JsonError};

use crate::digits::{pairs, up_to_eight};

/// A point in time: nanoseconds since 1970 in UTC. Ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment {
    /// Whole seconds since 1970, rounded down.
    pub seconds: i64,
    /// The rest of a second, below 1,000,000,000.
    pub nanos: u32,
}

/// A time as it is written: a point in time, and the offset from UTC in which the writer has put it
/// down.
///
/// Two times may name the same [`Moment`] and differ; order and equality of points in time are
/// those of `moment`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Time {
    /// The point in time.
    pub moment: Moment,
    /// Minutes east of UTC, at most 1,500 either way.
    pub offset_minutes: i16,
}

const DAY_SECONDS: i64 = 86_400;

impl Time {
    /// What stands where no time was written: the first of January of year 1, 0:00 UTC.
    pub const ZERO: Time =
        Time { moment: Moment { seconds: -62_135_596_800, nanos: 0 }, offset_minutes: 0 };

    /// A time in UTC: seconds since 1970, and nanoseconds below 1,000,000,000.
    pub fn utc(seconds: i64, nanos: u32) -> Time {
        Time { moment: Moment { seconds, nanos }, offset_minutes: 0 }
    }

    /// Year, month, day, hour, minute and second on the clock of its own zone.
    pub(crate) fn by_its_clock(&self) -> [i64; 6] {
        let seconds = self.moment.seconds.saturating_add(i64::from(self.offset_minutes) * 60);
        let (day, second) = (seconds.div_euclid(DAY_SECONDS), seconds.rem_euclid(DAY_SECONDS));
        let Date { year, month, day } = Date::of_day(day);
        let [hour, minute, second] = [second / 3600, second / 60 % 60, second % 60];
        [year, month, day, hour, minute, second]
    }

    /// Reads a time. Like Go, and unlike RFC 3339, it takes an hour of one digit, a comma before
    /// the decimals, any number of these (beyond nine they are cut), and offsets up to 24:60.
    pub fn parse(text: &[u8]) -> Option<Time> {
        let (time, rest) = Time::read(text)?;
        rest.is_empty().then_some(time)
    }

    /// Reads the time that a text begins with; what follows it comes back.
    #[inline]
    pub(crate) fn read(text: &[u8]) -> Option<(Time, &[u8])> {
        let (fields, rest) = match text.get(SHORT_HOUR_END) {
            Some(b':') => with_short_hour(text)?,
            _ => text.split_first_chunk().map(|(fields, rest)| (*fields, rest))?,
        };
        let local = read_fields(&fields)?;
        let (nanos, rest) = read_decimals(rest);
        let (offset_minutes, rest) = read_offset(rest)?;
        let seconds = local - i64::from(offset_minutes) * 60;
        Some((Time { moment: Moment { seconds, nanos }, offset_minutes }, rest))
    }

    /// Reads a time in JSON into its place. As in Go it is compared as it stands, without resolving
    /// escapes, and `null` leaves what is there.
    pub(crate) fn field(json: &mut Json<'_>, place: &mut Time) -> Result<(), JsonError> {
        let Some(text) = json.string()? else {
            return Ok(());
        };
        let wrong = || {
            let got = String::from_utf8_lossy(&text.raw()[..text.raw().len().min(40)]);
            JsonError::new(text.at(), "a time such as 2006-01-02T15:04:05Z", got)
        };
        *place = Time::parse(text.raw()).ok_or_else(wrong)?;
        Ok(())
    }

    /// The time as Go prints it in texts: `2006-01-02 15:04:05.5 +0100 +0100`, `.. +0000 UTC`.
    pub fn in_words(&self) -> String {
        let mut text = Vec::new();
        self.put(&mut text);
        let text = String::from_utf8_lossy(&text).replacen('T', " ", 1);
        match self.offset_minutes {
            0 => text.replace('Z', " +0000 UTC"),
            _ => {
                let (clock, offset) = text.split_at(text.len() - "+00:00".len());
                let offset = offset.replace(':', "");
                format!("{clock} {offset} {offset}")
            }
        }
    }

    /// Appends the time: decimals without zeros at the end, `Z` for UTC. A year outside of 0 to
    /// 9999 is written as the nearer of these, as restic does for files.
    pub fn put(&self, out: &mut Vec<u8>) {
        let local = self.moment.seconds.saturating_add(i64::from(self.offset_minutes) * 60);
        let [year, month, day] = clamped(Date::of_day(local.div_euclid(DAY_SECONDS)));
        let second = local.rem_euclid(DAY_SECONDS) as u32;
        put_digits(year, 4, out);
        put_parts(b"--", &[month, day], out);
        put_parts(b"T::", &[second / 3600, second / 60 % 60, second % 60], out);
        put_decimals(self.moment.nanos, out);
        let minutes = u32::from(self.offset_minutes.unsigned_abs());
        match self.offset_minutes {
            0 => out.push(b'Z'),
            1.. => put_parts(b"+:", &[minutes / 60, minutes % 60], out),
            _ => put_parts(b"-:", &[minutes / 60, minutes % 60], out),
        }
    }
}

impl Moment {
    /// Appends the moment as restic's texts have it, in UTC: `2006-01-02 15:04:05`.
    pub fn put_clock(&self, out: &mut Vec<u8>) {
        let (from, whole) = (out.len(), Moment { seconds: self.seconds, nanos: 0 });
        Time { moment: whole, offset_minutes: 0 }.put(out);
        out[from + "2006-01-02".len()] = b' ';
        out.pop();
    }

    /// Reads a moment as restic's options have it: `2006-01-02` or `02.01.2006`, then maybe
    /// ` 15:04` or ` 15:04:05`, then maybe an offset such as ` -0700`, or ` UTC`. Without one it is
    /// in UTC. RFC 3339 is read, too.
    pub fn parse_option(text: &str) -> Option<Moment> {
        if let Some(time) = Time::parse(text.as_bytes()) {
            return Some(time.moment);
        }
        let mut words = text.split(' ');
        let date = words.next()?;
        let date = match *date.split('.').collect::<Vec<_>>() {
            [day, month, year] => format!("{year}-{month}-{day}"),
            _ => date.to_owned(),
        };
        let clock = match words.next() {
            None => "00:00:00".to_owned(),
            Some(clock) if clock.len() == "15:04".len() => format!("{clock}:00"),
            Some(clock) => clock.to_owned(),
        };
        let offset = match words.next() {
            None | Some("UTC" | "GMT") => "Z".to_owned(),
            Some(offset) => format!("{}:{}", offset.get(..3)?, offset.get(3..)?),
        };
        let is_whole = words.next().is_none();
        let time = Time::parse(format!("{date}T{clock}{offset}").as_bytes());
        time.filter(|_| is_whole).map(|time| time.moment)
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = Vec::with_capacity("2006-01-02T15:04:05.999999999+00:00".len());
        self.put(&mut text);
        f.write_str(&String::from_utf8_lossy(&text))
    }
}

/// Shape of date and clock.
const FIELDS: &[u8; 19] = b"0000-00-00T00:00:00";

/// Where an hour of one digit would end.
const SHORT_HOUR_END: usize = "0000-00-00T0".len();

/// Date and clock with an hour of one digit, as they are with two.
#[cold]
fn with_short_hour(text: &[u8]) -> Option<([u8; 19], &[u8])> {
    let (short, rest) = text.split_first_chunk::<18>()?;
    let mut fields = *FIELDS;
    fields[..SHORT_HOUR_END - 1].copy_from_slice(&short[..SHORT_HOUR_END - 1]);
    fields[SHORT_HOUR_END..].copy_from_slice(&short[SHORT_HOUR_END - 1..]);
    Some((fields, rest))
}

/// Date and clock as seconds since 1970, whatever the offset is.
#[inline]
fn read_fields(fields: &[u8; 19]) -> Option<i64> {
    let word = |at: usize| *fields[at..].first_chunk::<8>().expect("8 of 19 bytes");
    let (date, is_date) = pairs(word(0), b"0000-00-");
    let (middle, is_middle) = pairs(word(8), b"00T00:00");
    let (clock, is_clock) = pairs(word(11), b"00:00:00");
    let at = |pairs: u64, at: u32| i64::from((pairs >> (8 * at)) as u8);
    let year = at(date, 0) * 100 + at(date, 2);
    let date = Date { year, month: at(date, 5), day: at(middle, 0) };
    let (hour, minute, second) = (at(clock, 0), at(clock, 3), at(clock, 6));
    let is_right = is_date && is_middle && is_clock && hour < 24 && minute < 60 && second < 60;
    if !is_right || !date.exists() {
        return None;
    }
    Some(date.to_day() * DAY_SECONDS + hour * 3600 + minute * 60 + second)
}

/// What the number of one decimal to nine of them is to be multiplied by for nanoseconds.
const SCALES: [u32; 10] =
    [0, 100_000_000, 10_000_000, 1_000_000, 100_000, 10_000, 1_000, 100, 10, 1];

/// Decimals of a second, where a point or comma and a digit are there.
#[inline]
fn read_decimals(text: &[u8]) -> (u32, &[u8]) {
    let [b'.' | b',', digits @ ..] = text else {
        return (0, text);
    };
    let eight = digits.first_chunk().map(|eight| up_to_eight(*eight));
    let (mut nanos, mut len) = eight.unwrap_or((0, 0));
    // One by one at the end of a text, and from the ninth on; those beyond it count for nothing.
    if eight.is_none() || len == 8 {
        while let Some(digit @ b'0'..=b'9') = digits.get(len) {
            nanos = if len < 9 { nanos * 10 + u32::from(digit - b'0') } else { nanos };
            len += 1;
        }
    }
    match len {
        0 => (0, text),
        _ => (nanos * SCALES[len.min(9)], &digits[len..]),
    }
}

/// `Z` or `+hh:mm` or `-hh:mm`, as minutes.
#[inline]
fn read_offset(text: &[u8]) -> Option<(i16, &[u8])> {
    if let [b'Z', rest @ ..] = text {
        return Some((0, rest));
    }
    let (offset, rest) = text.split_first_chunk::<6>()?;
    let [sign, h1, h2, b':', m1, m2] = *offset else {
        return None;
    };
    let (hours, minutes) = (two(h1, h2)?, two(m1, m2)?);
    let offset = i16::try_from(hours * 60 + minutes).ok()?;
    let is_offset = matches!(sign, b'+' | b'-') && hours <= 24 && minutes <= 60;
    is_offset.then_some((if sign == b'-' { -offset } else { offset }, rest))
}

#[inline]
fn two(tens: u8, ones: u8) -> Option<u32> {
    let (tens, ones) = (tens.wrapping_sub(b'0'), ones.wrapping_sub(b'0'));
    (tens <= 9 && ones <= 9).then(|| u32::from(tens) * 10 + u32::from(ones))
}

/// Year, month and day of the same date in the nearest year of four digits; a leap day that year
/// lacks becomes the first of March.
fn clamped(date: Date) -> [u32; 3] {
    let date = Date { year: date.year.clamp(0, 9999), ..date };
    let date = if date.exists() { date } else { Date { month: 3, day: 1, ..date } };
    [date.year, date.month, date.day].map(|part| part as u32)
}

/// Each number in two digits, a sign before it.
fn put_parts(signs: &[u8], parts: &[u32], out: &mut Vec<u8>) {
    for (sign, part) in signs.iter().zip(parts) {
        out.push(*sign);
        put_digits(*part, 2, out);
    }
}

fn put_decimals(nanos: u32, out: &mut Vec<u8>) {
    if nanos > 0 {
        out.push(b'.');
        put_digits(nanos, 9, out);
        let kept = out.iter().rposition(|digit| *digit != b'0').expect("a digit above zero");
        out.truncate(kept + 1);
    }
}

fn put_digits(number: u32, count: usize, out: &mut Vec<u8>) {
    let (from, mut rest) = (out.len(), number);
    out.resize(from + count, b'0');
    for digit in out[from..].iter_mut().rev() {
        *digit = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, seconds: i64, nanos: u32, offset_minutes: i16, written: &str) {
        let time = Time { moment: Moment { seconds, nanos }, offset_minutes };
        assert_eq!(Time::parse(text.as_bytes()), Some(time), "{text}");
        assert_eq!(time.to_string(), written);
    }

    #[test]
    fn times_are_read_and_written_as_go_does() {
        for (text, seconds, nanos, offset) in [
            ("1970-01-01T00:00:00Z", 0, 0, 0),
            ("1969-12-31T23:59:59Z", -1, 0, 0),
            ("2020-09-13T12:26:40.12Z", 1_600_000_000, 120_000_000, 0),
            ("2023-11-14T22:13:23.000000021Z", 1_700_000_003, 21, 0),
            ("2000-02-29T23:59:59.999999999Z", 951_868_799, 999_999_999, 0),
            ("2020-02-22T20:58:54.199240159+01:00", 1_582_401_534, 199_240_159, 60),
            ("2021-02-28T04:42:37.97+05:30", 1_614_467_557, 970_000_000, 330),
            ("1969-12-31T18:00:00-06:00", 0, 0, -360),
            ("2200-01-01T00:00:00Z", 7_258_118_400, 0, 0),
            ("0000-01-01T00:00:00Z", -62_167_219_200, 0, 0),
            ("9999-12-31T23:59:59Z", 253_402_300_799, 0, 0),
            ("0001-01-01T00:00:00Z", Time::ZERO.moment.seconds, 0, 0),
        ] {
            check(text, seconds, nanos, offset, text);
        }
    }

    #[test]
    fn spellings_that_go_reads_and_does_not_write() {
        for (text, seconds, nanos, offset, written) in [
            ("1970-01-01T00:00:00+00:00", 0, 0, 0, "1970-01-01T00:00:00Z"),
            ("1970-01-01T00:00:00-00:00", 0, 0, 0, "1970-01-01T00:00:00Z"),
            ("1970-01-01T5:00:00Z", 18_000, 0, 0, "1970-01-01T05:00:00Z"),
            ("1970-01-01T00:00:00,5Z", 0, 500_000_000, 0, "1970-01-01T00:00:00.5Z"),
            ("1970-01-01T00:00:00.500Z", 0, 500_000_000, 0, "1970-01-01T00:00:00.5Z"),
            (
                "1970-01-01T00:00:00.1234567899Z",
                0,
                123_456_789,
                0,
                "1970-01-01T00:00:00.123456789Z",
            ),
            ("1970-01-02T00:00:00+24:00", 0, 0, 1440, "1970-01-02T00:00:00+24:00"),
            ("1970-01-01T02:00:00+01:60", 0, 0, 120, "1970-01-01T02:00:00+02:00"),
        ] {
            check(text, seconds, nanos, offset, written);
        }
    }

    #[test]
    fn what_go_refuses_is_refused() {
        let long = format!("1970-01-01T00:00:00.{}", "1".repeat(1000));
        for text in [
            "",
            "null",
            "1970-01-01",
            "1970-01-01T00:00:00",
            "1970-01-01 00:00:00Z",
            "1970-01-01t00:00:00z",
            "1970-01-01T00:00:00Zx",
            "1970-01-01T00:00:00.Z",
            "1970-01-01T00:00Z",
            "1970-1-01T00:00:00Z",
            "1970-00-01T00:00:00Z",
            "1970-13-01T00:00:00Z",
            "1970-01-00T00:00:00Z",
            "1970-04-31T00:00:00Z",
            "1900-02-29T00:00:00Z",
            "1970-01-01T24:00:00Z",
            "1970-01-01T00:60:00Z",
            "1970-01-01T00:00:60Z",
            "1970-01-01T0:0:00Z",
            "1970-01-01T00:00:00+25:00",
            "1970-01-01T00:00:00+00:61",
            "1970-01-01T00:00:00+0000",
            "1970-01-01T00:00:00*01:00",
            "+970-01-01T00:00:00Z",
            "12970-01-01T00:00:00Z",
            &long,
        ] {
            assert_eq!(Time::parse(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn years_beyond_four_digits_are_clamped() {
        for (seconds, written) in [
            (253_402_300_800, "9999-01-01T00:00:00Z"),
            // The leap day of the year 10000.
            (253_407_398_400, "9999-03-01T00:00:00Z"),
            (-62_167_219_201, "0000-12-31T23:59:59Z"),
            (i64::MAX, "9999-12-04T15:30:07Z"),
            (i64::MIN, "0000-01-27T08:29:52Z"),
        ] {
            let time = Time { moment: Moment { seconds, nanos: 0 }, offset_minutes: 0 };
            assert_eq!(time.to_string(), written);
        }
    }

    #[test]
    fn each_day_of_four_centuries_comes_back() {
        for day in -150_000..150_000 {
            let time = Time::utc(day * DAY_SECONDS, 0);
            assert_eq!(Time::parse(time.to_string().as_bytes()), Some(time));
        }
    }

    #[test]
    fn moments_of_options_are_read_and_shown() {
        for (text, want) in [
            ("2020-09-13", "2020-09-13 00:00:00"),
            ("13.09.2020", "2020-09-13 00:00:00"),
            ("2020-09-13 12:26", "2020-09-13 12:26:00"),
            ("13.09.2020 12:26:40", "2020-09-13 12:26:40"),
            ("2020-09-13 12:26:40 +0200", "2020-09-13 10:26:40"),
            ("2020-09-13 12:26:40 UTC", "2020-09-13 12:26:40"),
            ("2020-09-13T12:26:40.9-01:00", "2020-09-13 13:26:40"),
        ] {
            let mut shown = Vec::new();
            Moment::parse_option(text).expect(text).put_clock(&mut shown);
            assert_eq!(String::from_utf8(shown).unwrap(), want);
        }
        for text in [
            "",
            "yesterday",
            "2020-9-13",
            "2020-09-13 12",
            "2020-09-13 12:26:40 CET",
            "2020-09-13 12:26:40 UTC x",
        ] {
            assert_eq!(Moment::parse_option(text), None, "{text}");
        }
    }

    #[test]
    fn points_in_time_are_ordered_whatever_their_offset() {
        let moment = |text: &str| Time::parse(text.as_bytes()).unwrap().moment;
        assert_eq!(moment("2020-01-01T01:00:00+01:00"), moment("2020-01-01T00:00:00Z"));
        assert!(moment("2020-01-01T00:30:00+01:00") < moment("2020-01-01T00:00:00Z"));
        assert!(moment("1969-12-31T23:59:59.5Z") < moment("1969-12-31T23:59:59.50000001Z"));
    }
}
