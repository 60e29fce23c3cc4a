//! Literals of CQL without parts into values.

use manicule_core::bytes::folded;
use manicule_core::civil::Date;
use manicule_core::hex;

use super::inet::read_inet;
use super::time::DAY_NANOS;
use crate::types::Type;
use crate::types::number::from_digits;
use crate::vint::put_vint;

/// The bytes of a blob: `0x00ff`.
pub(super) fn read_blob(text: &str) -> Option<Vec<u8>> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"))?;
    hex::decode(digits)
}

/// The bytes of a value; `None` if the text isn't one of the type. Any type also has blobs.
pub(super) fn read_simple(kind: &Type, text: &str) -> Option<Vec<u8>> {
    if let Some(bytes) = read_blob(text) {
        return Some(bytes);
    }
    Some(match kind {
        Type::Int => text.parse::<i32>().ok()?.to_be_bytes().to_vec(),
        Type::Bigint | Type::Counter => text.parse::<i64>().ok()?.to_be_bytes().to_vec(),
        Type::Smallint => text.parse::<i16>().ok()?.to_be_bytes().to_vec(),
        Type::Tinyint => text.parse::<i8>().ok()?.to_be_bytes().to_vec(),
        Type::Boolean if text.eq_ignore_ascii_case("true") => vec![1],
        Type::Boolean if text.eq_ignore_ascii_case("false") => vec![0],
        Type::Float => text.parse::<f32>().ok()?.to_be_bytes().to_vec(),
        Type::Double => text.parse::<f64>().ok()?.to_be_bytes().to_vec(),
        Type::Varint => read_varint(text)?,
        Type::Decimal => read_decimal(text)?,
        Type::Uuid | Type::Timeuuid | Type::LexicalUuid => read_uuid(text)?,
        Type::Inet => read_inet(text)?,
        Type::Timestamp | Type::LegacyTimestamp => read_timestamp(text)?.to_be_bytes().to_vec(),
        Type::Date => read_date(text)?.to_be_bytes().to_vec(),
        Type::Time => read_time(text)?.to_be_bytes().to_vec(),
        Type::Duration => read_duration(text)?,
        _ => return None,
    })
}

fn read_varint(text: &str) -> Option<Vec<u8>> {
    let digits = text.strip_prefix('-');
    from_digits(digits.unwrap_or(text), digits.is_some())
}

/// Digits with a point and an exponent, of which either may be missing.
fn read_decimal(text: &str) -> Option<Vec<u8>> {
    let (mantissa, exponent) = match text.find(['e', 'E']) {
        Some(at) => (&text[..at], text[at + 1..].parse::<i64>().ok()?),
        None => (text, 0),
    };
    let (digits, is_negative) = match mantissa.strip_prefix('-') {
        Some(digits) => (digits, true),
        None => (mantissa, false),
    };
    let (whole, rest) = digits.split_once('.').unwrap_or((digits, ""));
    let scale = i32::try_from((rest.len() as i64).checked_sub(exponent)?).ok()?;
    let unscaled = from_digits(&format!("{whole}{rest}"), is_negative)?;
    Some([&scale.to_be_bytes()[..], &unscaled].concat())
}

fn read_uuid(text: &str) -> Option<Vec<u8>> {
    let lens = text.split('-').map(str::len);
    if !lens.eq([8, 4, 4, 4, 12]) {
        return None;
    }
    hex::decode(text.replace('-', ""))
}

/// Milliseconds, or a day and perhaps a time and a zone: `2017-07-14 02:40:00.000+0100`. Without a
/// zone it is UTC.
fn read_timestamp(text: &str) -> Option<i64> {
    if let Ok(millis) = text.parse() {
        return Some(millis);
    }
    let (text, zone_minutes) = split_zone(text)?;
    let (day, time) = match text.split_once(['T', ' ']) {
        Some((day, time)) => (day, time.trim_start()),
        None => (text, "00:00"),
    };
    let millis = i128::from(read_time_of_day(time, 3)? / 1_000_000);
    // The first day there is begins before the first millisecond.
    let minutes = i128::from(read_day(day)?) * 24 * 60 - i128::from(zone_minutes);
    i64::try_from(minutes * 60_000 + millis).ok()
}

/// The zone at the end, in minutes east of UTC: `Z`, `+01`, `+0130`, `-01:30`.
fn split_zone(text: &str) -> Option<(&str, i64)> {
    if let Some(rest) = text.strip_suffix(['Z', 'z']) {
        return Some((rest.trim_end(), 0));
    }
    // A sign after the time's colon is the zone's; one before it the day's.
    let colon = text.find(':').unwrap_or(text.len());
    let Some(at) = text[colon..].find(['+', '-']) else { return Some((text, 0)) };
    let (rest, zone) = text.split_at(colon + at);
    let digits = zone[1..].replace(':', "");
    if !matches!(digits.len(), 2 | 4) || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let hours: i64 = digits[..2].parse().ok()?;
    let minutes: i64 = digits
        .get(2..4)
        .filter(|rest| !rest.is_empty())
        .map_or(Some(0), |rest| rest.parse().ok())?;
    let sign = if zone.starts_with('-') { -1 } else { 1 };
    Some((rest.trim_end(), sign * (hours * 60 + minutes)))
}

/// The last year that a timestamp of 64 bits is in.
const YEAR_MAX: i64 = 292_278_994;

/// Days from 1970 to a day `yyyy-mm-dd`, perhaps with a sign in front.
fn read_day(text: &str) -> Option<i64> {
    let (text, sign) = match text.strip_prefix('-') {
        Some(text) => (text, -1),
        None => (text.strip_prefix('+').unwrap_or(text), 1),
    };
    let number = |part: &str| {
        let is_number = part.bytes().all(|digit| digit.is_ascii_digit());
        part.parse::<u32>().ok().filter(|_| is_number).map(i64::from)
    };
    let mut parts = text.split('-').map(number);
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    if parts.next().is_some() || year > YEAR_MAX {
        return None;
    }
    let date = Date { year: sign * year, month, day };
    date.exists().then(|| date.to_day())
}

/// The number of a day, 2^31 for 1970-01-01, or its text.
fn read_date(text: &str) -> Option<u32> {
    match text.parse() {
        Ok(number) => Some(number),
        Err(_) => u32::try_from(read_day(text)?.checked_add(1 << 31)?).ok(),
    }
}

/// Nanoseconds of the day, or `hh:mm:ss.nnnnnnnnn`.
fn read_time(text: &str) -> Option<u64> {
    let nanos = match text.parse() {
        Ok(nanos) => nanos,
        Err(_) => read_time_of_day(text, 9)?,
    };
    (nanos < DAY_NANOS).then_some(nanos)
}

/// `hh:mm[:ss[.f]]` with at most `digits_max` digits of a second, in nanoseconds.
fn read_time_of_day(text: &str, digits_max: usize) -> Option<u64> {
    let (clock, fraction) = text.split_once('.').unwrap_or((text, ""));
    let number = |part: &str| match part.len() {
        1 | 2 if part.bytes().all(|digit| digit.is_ascii_digit()) => part.parse::<u64>().ok(),
        _ => None,
    };
    let parts: Option<Vec<u64>> = clock.split(':').map(number).collect();
    let (hour, minute, second) = match parts?[..] {
        [hour, minute] if fraction.is_empty() => (hour, minute, 0),
        [hour, minute, second] => (hour, minute, second),
        _ => return None,
    };
    if hour > 23 || minute > 59 || second > 59 || fraction.len() > digits_max {
        return None;
    }
    let nanos = match fraction {
        "" => 0,
        digits if digits.bytes().all(|digit| digit.is_ascii_digit()) => {
            digits.parse::<u64>().ok()? * 10_u64.pow(9 - digits.len() as u32)
        }
        _ => return None,
    };
    Some(((hour * 60 + minute) * 60 + second) * 1_000_000_000 + nanos)
}

/// Units of a duration: name, which of its three numbers, how much of it.
const UNITS: [(&str, usize, i64); 11] = [
    ("y", 0, 12),
    ("mo", 0, 1),
    ("w", 1, 7),
    ("d", 1, 1),
    ("h", 2, 3_600_000_000_000),
    ("m", 2, 60_000_000_000),
    ("s", 2, 1_000_000_000),
    ("ms", 2, 1_000_000),
    ("us", 2, 1000),
    ("µs", 2, 1000),
    ("ns", 2, 1),
];

/// `1y2mo3w4d5h6m7s8ms9us10ns`, perhaps with a sign in front.
fn read_duration(text: &str) -> Option<Vec<u8>> {
    let (mut rest, sign) = match text.strip_prefix('-') {
        Some(rest) => (rest, -1),
        None => (text, 1),
    };
    if rest.is_empty() {
        return None;
    }
    let mut parts = [0_i64; 3];
    while !rest.is_empty() {
        let digits_len = rest.find(|c: char| !c.is_ascii_digit())?;
        let amount: i64 = rest[..digits_len].parse().ok()?;
        rest = &rest[digits_len..];
        let unit_len = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
        let unit = rest[..unit_len].to_lowercase();
        let (_, part, size) = UNITS.iter().find(|(name, ..)| *name == unit)?;
        parts[*part] = parts[*part].checked_add(amount.checked_mul(sign * size)?)?;
        rest = &rest[unit_len..];
    }
    let mut out = Vec::new();
    parts.iter().for_each(|part| put_vint(folded(*part), &mut out));
    Some(out)
}
