//! Dates, and dates with times: years 0001 to 9999, with no, one or another zone.
//!
//! With an offset a payload is the instant, then the offset: it compares by instants.

use manicule_core::civil::Date;
use manicule_format_leaf::Tag;

use super::kinds::{Fraction, Kind, Zone};
use super::lexical::Lexical;
use super::tags;

const DAY_MINUTES: i64 = 24 * 60;
const DAY_SECONDS: i64 = DAY_MINUTES * 60;
const DAY_MS: i64 = DAY_SECONDS * 1000;
/// Days from 0001-01-01 to 1970-01-01.
const EPOCH_DAYS: i64 = 719_162;
/// Days of the years 1 to 9999.
const DAYS_MAX: i64 = 3_652_059;
/// The greatest offset of a zone, 14:00, in minutes.
const OFFSET_MAX: i64 = 14 * 60;
const OFFSET_BITS: u32 = 11;
const QUARTER_BITS: u32 = 7;
const QUARTER_MINUTES: i64 = 15;

/// The number that `width` digits at the front of a text are; the text after them.
fn number(text: &[u8], width: usize) -> Option<(i64, &[u8])> {
    let (head, rest) = text.split_at_checked(width)?;
    if !head.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some((head.iter().fold(0, |value, digit| value * 10 + i64::from(digit - b'0')), rest))
}

fn after(text: &[u8], wanted: u8) -> Option<&[u8]> {
    text.split_first().filter(|(first, _)| **first == wanted).map(|(_, rest)| rest)
}

/// Year, month and day of a number of days since 0001-01-01.
fn date_of(days: i64) -> Date {
    Date::of_day(days - EPOCH_DAYS)
}

/// The days of `YYYY-MM-DD`; the text after it.
fn days(text: &[u8]) -> Option<(i64, &[u8])> {
    let (year, rest) = number(text, 4)?;
    let (month, rest) = number(after(rest, b'-')?, 2)?;
    let (day, rest) = number(after(rest, b'-')?, 2)?;
    let date = Date { year, month, day };
    (year > 0 && date.exists()).then(|| (date.to_day() + EPOCH_DAYS, rest))
}

/// The zone that ends a text, with its offset in minutes.
fn zone(text: &[u8]) -> Option<(Zone, i64)> {
    let is_negative = match text {
        b"" => return Some((Zone::None, 0)),
        b"Z" => return Some((Zone::Utc, 0)),
        [b'+', ..] => false,
        [b'-', ..] => true,
        _ => return None,
    };
    let (hours, rest) = number(&text[1..], 2)?;
    let (minutes, rest) = number(after(rest, b':')?, 2)?;
    let offset = hours * 60 + minutes;
    // +00:00 is another way to write Z.
    let is_offset = rest.is_empty() && minutes < 60 && (1..=OFFSET_MAX).contains(&offset);
    is_offset.then(|| (Zone::Offset, if is_negative { -offset } else { offset }))
}

/// An instant plus so much isn't negative, however far its zone lies in the east.
fn with_offset(local_units: i64, unit_of_minute: i64, offset: i64) -> i64 {
    local_units + (DAY_MINUTES - offset) * unit_of_minute
}

/// The tag and the payload of a date.
pub(super) fn date(text: &[u8]) -> Option<(Tag, u64)> {
    let (days, rest) = days(text)?;
    let (zone, offset) = zone(rest)?;
    Some(match zone {
        Zone::None => (tags::DATE, days as u64),
        Zone::Utc => (tags::DATE_UTC, days as u64),
        Zone::Offset => {
            let minutes = with_offset(days * DAY_MINUTES, 1, offset);
            (tags::DATE_OFFSET, (minutes << OFFSET_BITS | (offset + OFFSET_MAX)) as u64)
        }
    })
}

/// The tag and the payload of a date with a time.
pub(super) fn date_time(text: &[u8]) -> Option<(Tag, u64)> {
    let (days, rest) = days(text)?;
    let (hours, rest) = number(after(rest, b'T')?, 2)?;
    let (minutes, rest) = number(after(rest, b':')?, 2)?;
    let (seconds, rest) = number(after(rest, b':')?, 2)?;
    if hours > 23 || minutes > 59 || seconds > 59 {
        return None;
    }
    let at = days * DAY_SECONDS + hours * 3600 + minutes * 60 + seconds;
    match after(rest, b'.') {
        None => {
            let (zone, offset) = zone(rest)?;
            Some(match zone {
                Zone::None => (tags::DATE_TIME, at as u64),
                Zone::Utc => (tags::DATE_TIME_UTC, at as u64),
                Zone::Offset => {
                    let at = with_offset(at, 60, offset);
                    (tags::DATE_TIME_OFFSET, (at << OFFSET_BITS | (offset + OFFSET_MAX)) as u64)
                }
            })
        }
        Some(fraction) => {
            let (ms, rest) = number(fraction, 3)?;
            let at = at * 1000 + ms;
            match zone(rest)? {
                (Zone::None, _) => Some((tags::DATE_TIME_MS, at as u64)),
                (Zone::Utc, _) => Some((tags::DATE_TIME_MS_UTC, at as u64)),
                (Zone::Offset, offset) => {
                    let at = with_offset(at, 60_000, offset);
                    let quarters = (offset + OFFSET_MAX) / QUARTER_MINUTES;
                    let payload = (at << QUARTER_BITS | quarters) as u64;
                    (offset % QUARTER_MINUTES == 0).then_some((tags::DATE_TIME_MS_OFFSET, payload))
                }
            }
        }
    }
}

/// The local time in units, and the offset in minutes, of a payload with an offset.
fn local(payload: u64, bits: u32, quantum: i64, unit_of_minute: i64) -> Option<(i64, i64)> {
    let offset = (payload & ((1 << bits) - 1)) as i64 * quantum - OFFSET_MAX;
    if offset == 0 || offset > OFFSET_MAX {
        return None;
    }
    Some(((payload >> bits) as i64 - (DAY_MINUTES - offset) * unit_of_minute, offset))
}

/// The days since 0001-01-01 of a date's payload, and the offset in minutes.
fn local_days(payload: u64, zone: Zone) -> Option<(i64, i64)> {
    let (minutes, offset) = match zone {
        Zone::Offset => local(payload, OFFSET_BITS, 1, 1)?,
        _ => (i64::try_from(payload).ok()?.checked_mul(DAY_MINUTES)?, 0),
    };
    (minutes % DAY_MINUTES == 0).then_some((minutes / DAY_MINUTES, offset))
}

pub(super) fn put_date(payload: u64, zone: Zone, out: &mut Lexical) -> Option<()> {
    let (days, offset) = local_days(payload, zone)?;
    put_day(days, out)?;
    put_zone(zone, offset, out);
    Some(())
}

/// Fields of a date or of a date with a time, as they are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fields {
    /// Year, month and day.
    pub date: [i64; 3],
    /// Hours, minutes and whole seconds of a date with a time.
    pub time: Option<[i64; 3]>,
}

/// The fields of a payload; none if its kind isn't that of a date.
pub(super) fn fields(payload: u64, kind: Kind) -> Option<Fields> {
    let (days, time) = match kind {
        Kind::Date(zone) => (local_days(payload, zone)?.0, None),
        Kind::DateTime(fraction, zone) => {
            let (ms, _) = local_ms(payload, fraction, zone)?;
            let seconds = ms.rem_euclid(DAY_MS) / 1000;
            (ms.div_euclid(DAY_MS), Some([seconds / 3600, seconds / 60 % 60, seconds % 60]))
        }
        _ => return None,
    };
    let Date { year, month, day } = date_of(days);
    (0..DAYS_MAX).contains(&days).then_some(Fields { date: [year, month, day], time })
}

/// The local time of a payload in milliseconds since 0001-01-01, and the offset in minutes.
fn local_ms(payload: u64, fraction: Fraction, zone: Zone) -> Option<(i64, i64)> {
    Some(match (fraction, zone) {
        (Fraction::None, Zone::Offset) => {
            let (seconds, offset) = local(payload, OFFSET_BITS, 1, 60)?;
            (seconds.checked_mul(1000)?, offset)
        }
        (Fraction::None, _) => ((payload as i64).checked_mul(1000)?, 0),
        (Fraction::Three, Zone::Offset) => local(payload, QUARTER_BITS, QUARTER_MINUTES, 60_000)?,
        (Fraction::Three, _) => (payload as i64, 0),
    })
}

pub(super) fn put_date_time(
    payload: u64,
    fraction: Fraction,
    zone: Zone,
    out: &mut Lexical,
) -> Option<()> {
    let (local_ms, offset) = local_ms(payload, fraction, zone)?;
    put_day(local_ms.div_euclid(DAY_MS), out)?;
    let (seconds, ms) = (local_ms.rem_euclid(DAY_MS) / 1000, local_ms.rem_euclid(1000));
    out.put(b"T");
    out.put_number((seconds / 3600) as u64, 2);
    out.put(b":");
    out.put_number((seconds / 60 % 60) as u64, 2);
    out.put(b":");
    out.put_number((seconds % 60) as u64, 2);
    if fraction == Fraction::Three {
        out.put(b".");
        out.put_number(ms as u64, 3);
    }
    put_zone(zone, offset, out);
    Some(())
}

fn put_day(days: i64, out: &mut Lexical) -> Option<()> {
    if !(0..DAYS_MAX).contains(&days) {
        return None;
    }
    let Date { year, month, day } = date_of(days);
    out.put_number(year as u64, 4);
    out.put(b"-");
    out.put_number(month as u64, 2);
    out.put(b"-");
    out.put_number(day as u64, 2);
    Some(())
}

fn put_zone(zone: Zone, offset: i64, out: &mut Lexical) {
    match zone {
        Zone::None => {}
        Zone::Utc => out.put(b"Z"),
        Zone::Offset => {
            out.put(if offset < 0 { b"-" } else { b"+" });
            out.put_number(offset.unsigned_abs() / 60, 2);
            out.put(b":");
            out.put_number(offset.unsigned_abs() % 60, 2);
        }
    }
}

/// The instant of a payload in milliseconds, UTC taken for a time without a zone, counted from the
/// day before 0001-01-01.
pub(super) fn instant_ms(payload: u64, kind: Kind) -> Option<i64> {
    use Kind::{Date, DateTime};
    let at = payload as i64;
    Some(match kind {
        Date(Zone::Offset) => (at >> OFFSET_BITS) * 60_000,
        Date(_) => (at + 1) * DAY_MS,
        DateTime(Fraction::None, Zone::Offset) => (at >> OFFSET_BITS) * 1000,
        DateTime(Fraction::None, _) => at * 1000 + DAY_MS,
        DateTime(Fraction::Three, Zone::Offset) => at >> QUARTER_BITS,
        DateTime(Fraction::Three, _) => at + DAY_MS,
        _ => return None,
    })
}
