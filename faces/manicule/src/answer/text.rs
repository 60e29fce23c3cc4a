//! Values as text: numbers and times as people read them, texts as they are, all else as JSON.

use std::fmt::{self, Write as _};
use std::ops::Range;

use manicule_core::hex;

use super::column::{Column, Values, range};
use super::field::Kind;
use super::literals::uuid_text;
use crate::times::rfc_3339;

/// Writes a value that is no text and is there.
pub(super) fn put_plain(column: &Column, at: usize, out: &mut String) {
    match (&column.values, &column.kind) {
        (Values::Bits(bits), _) => out.push_str(if bits.get(at) { "true" } else { "false" }),
        (Values::Ints(ints), Kind::Millis) => put_time(ints[at], 1_000_000, out),
        (Values::Ints(ints), Kind::Micros) => put_time(ints[at], 1000, out),
        (Values::Ints(ints), Kind::LocalMicros) => put_local_time(ints[at], out),
        (Values::Ints(ints), Kind::Date) => put_date(ints[at], out),
        (Values::Ints(ints), Kind::Time) => put_time_of_day(ints[at], out),
        (Values::Ints(ints), _) => put(format_args!("{}", ints[at]), out),
        (Values::Singles(floats), _) => {
            let mut digits = zmij::Buffer::new();
            put_float(floats[at].into(), || digits.format_finite(floats[at]), out);
        }
        (Values::Floats(floats), _) => {
            let mut digits = zmij::Buffer::new();
            put_float(floats[at], || digits.format_finite(floats[at]), out);
        }
        (Values::Decimals(decimals), _) => put_decimal(decimals[at], column.scale().into(), out),
        (Values::Uuids(uuids), _) => out.push_str(&uuid_text(&uuids[at])),
        (Values::Texts(texts), Kind::Bytes) => hex::put(texts.get(at), out),
        _ => put_json(column, at, out),
    }
}

/// A String takes everything.
fn put(text: fmt::Arguments<'_>, out: &mut String) {
    let _ = out.write_fmt(text);
}

/// A number as CSV has it: the shortest digits that read back.
fn put_float<'d>(float: f64, digits: impl FnOnce() -> &'d str, out: &mut String) {
    if float.is_nan() {
        out.push_str("NaN");
    } else if float.is_infinite() {
        out.push_str(if float < 0.0 { "-Infinity" } else { "Infinity" });
    } else {
        out.push_str(digits());
    }
}

/// A decimal with its point.
fn put_decimal(digits: i128, scale: usize, out: &mut String) {
    let text = format!("{:0>1$}", digits.unsigned_abs(), scale + 1);
    let (whole, fraction) = text.split_at(text.len() - scale);
    out.push_str(if digits < 0 { "-" } else { "" });
    out.push_str(whole);
    out.push_str(if scale > 0 { "." } else { "" });
    out.push_str(fraction);
}

/// A day; outside of the calendar its number.
fn put_date(days: i64, out: &mut String) {
    match rfc_3339(i128::from(days) * 86_400_000_000_000) {
        Some(text) => out.push_str(&text[..10]),
        None => put(format_args!("{days}"), out),
    }
}

/// A time of a day with the digits of its nanoseconds that are needed.
fn put_time_of_day(nanos: i64, out: &mut String) {
    let seconds = nanos.div_euclid(1_000_000_000);
    let (hour, minute) = (seconds / 3600, seconds / 60 % 60);
    put(format_args!("{hour:02}:{minute:02}:{:02}", seconds % 60), out);
    let fraction = format!(".{:09}", nanos.rem_euclid(1_000_000_000));
    out.push_str(fraction.trim_end_matches('0').trim_end_matches('.'));
}

/// A time in RFC 3339; outside of the calendar its number.
fn put_time(time: i64, ns: i128, out: &mut String) {
    match rfc_3339(i128::from(time) * ns) {
        Some(text) => out.push_str(&text),
        None => put(format_args!("{time}"), out),
    }
}

/// A time in microseconds as in RFC 3339, without a zone.
fn put_local_time(time: i64, out: &mut String) {
    put_time(time, 1000, out);
    if out.ends_with('Z') {
        out.pop();
    }
}

/// Writes a value as JSON: times, UUIDs and decimals as texts, bytes as texts of hexadecimal
/// digits, doubles that JSON has no numbers for as texts; a map as an object, keys that are no
/// texts by theirs.
pub(super) fn put_json(column: &Column, at: usize, out: &mut String) {
    if !column.is_present(at) {
        return out.push_str("null");
    }
    if let Some(text) = column.own_text(at) {
        return put_quoted(text, out);
    }
    match (&column.values, &column.kind) {
        (Values::Lists(ends, items), _) => put_items(items, range(ends, at), out),
        (Values::FixedLists(items, count), _) => {
            put_items(items, at * count..(at + 1) * count, out);
        }
        (Values::Maps(ends, pair), _) => {
            let [keys, values] = &**pair;
            out.push('{');
            for (place, pair) in range(ends, at).enumerate() {
                out.push_str(if place > 0 { "," } else { "" });
                put_key(keys, pair, out);
                out.push(':');
                put_json(values, pair, out);
            }
            out.push('}');
        }
        (Values::Parts(parts), Kind::Struct(fields)) => {
            out.push('{');
            for (place, (part, field)) in parts.iter().zip(&**fields).enumerate() {
                out.push_str(if place > 0 { "," } else { "" });
                put_quoted(&field.name, out);
                out.push(':');
                put_json(part, at, out);
            }
            out.push('}');
        }
        (Values::Singles(floats), _) if floats[at].is_finite() => put_plain(column, at, out),
        (Values::Floats(floats), _) if floats[at].is_finite() => put_plain(column, at, out),
        (
            Values::Singles(_)
            | Values::Floats(_)
            | Values::Decimals(_)
            | Values::Uuids(_)
            | Values::Texts(_),
            _,
        )
        | (
            Values::Ints(_),
            Kind::Date | Kind::Time | Kind::Millis | Kind::Micros | Kind::LocalMicros,
        ) => {
            out.push('"');
            put_plain(column, at, out);
            out.push('"');
        }
        _ => put_plain(column, at, out),
    }
}

fn put_items(items: &Column, range: Range<usize>, out: &mut String) {
    out.push('[');
    for (place, item) in range.enumerate() {
        out.push_str(if place > 0 { "," } else { "" });
        put_json(items, item, out);
    }
    out.push(']');
}

/// A key of a map as a text: nothing where it lacks.
fn put_key(keys: &Column, at: usize, out: &mut String) {
    let mut text = String::new();
    match keys.own_text(at) {
        _ if !keys.is_present(at) => {}
        Some(own) => text.push_str(own),
        None => put_plain(keys, at, &mut text),
    }
    put_quoted(&text, out);
}

/// Writes a text in quotes, as JSON has it.
pub(super) fn put_quoted(text: &str, out: &mut String) {
    let quoted = serde_json::to_string(text).expect("a text is JSON");
    out.push_str(&quoted);
}
