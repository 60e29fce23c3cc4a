//! Values as text: numbers and times as people read them, texts as they are, all else as JSON.

use std::fmt::Write as _;

use super::column::{Column, Values, range};
use super::field::Kind;
use crate::times::rfc_3339;

/// Writes a value that is no text and is there.
pub(super) fn put_plain(column: &Column, at: usize, out: &mut String) {
    // A String takes everything.
    let _ = match (&column.values, column.kind) {
        (Values::Bits(bits), _) => write!(out, "{}", bits.get(at)),
        (Values::Ints(ints), Kind::Millis) => {
            put_time(ints[at], 1_000_000, out);
            Ok(())
        }
        (Values::Ints(ints), Kind::Micros) => {
            put_time(ints[at], 1000, out);
            Ok(())
        }
        (Values::Ints(ints), _) => write!(out, "{}", ints[at]),
        (Values::Floats(floats), _) => {
            put_float(floats[at], out);
            Ok(())
        }
        (Values::Texts(texts), Kind::Bytes) => {
            texts.get(at).iter().try_for_each(|byte| write!(out, "{byte:02x}"))
        }
        _ => {
            put_json(column, at, out);
            Ok(())
        }
    };
}

/// A double as CSV has it: the shortest digits that read back.
fn put_float(float: f64, out: &mut String) {
    let _ = match float {
        _ if float.is_nan() => write!(out, "NaN"),
        _ if float.is_infinite() => write!(out, "{}Infinity", if float < 0.0 { "-" } else { "" }),
        _ => {
            let mut digits = zmij::Buffer::new();
            write!(out, "{}", digits.format_finite(float))
        }
    };
}

/// A time in RFC 3339; outside of the calendar its number.
fn put_time(time: i64, ns: i128, out: &mut String) {
    match rfc_3339(i128::from(time) * ns) {
        Some(text) => out.push_str(&text),
        None => {
            let _ = write!(out, "{time}");
        }
    }
}

/// Writes a value as JSON: times as texts, bytes as texts of hexadecimal digits, doubles that JSON
/// has no numbers for as texts.
pub(super) fn put_json(column: &Column, at: usize, out: &mut String) {
    if !column.is_present(at) {
        return out.push_str("null");
    }
    if let Some(text) = column.own_text(at) {
        return put_quoted(text, out);
    }
    match (&column.values, column.kind) {
        (Values::Lists(ends, items), _) => {
            out.push('[');
            for (place, item) in range(ends, at).enumerate() {
                out.push_str(if place > 0 { "," } else { "" });
                put_json(items, item, out);
            }
            out.push(']');
        }
        (Values::Maps(ends, keys, values), _) => {
            out.push('{');
            for (place, pair) in range(ends, at).enumerate() {
                out.push_str(if place > 0 { "," } else { "" });
                let [key, value] =
                    [keys, values].map(|it| str::from_utf8(it.get(pair)).unwrap_or_default());
                put_quoted(key, out);
                out.push(':');
                put_quoted(value, out);
            }
            out.push('}');
        }
        (Values::Parts(parts), Kind::Struct(fields)) => {
            out.push('{');
            for (place, (part, field)) in parts.iter().zip(fields).enumerate() {
                out.push_str(if place > 0 { "," } else { "" });
                put_quoted(&field.name, out);
                out.push(':');
                put_json(part, at, out);
            }
            out.push('}');
        }
        (Values::Floats(floats), _) if floats[at].is_finite() => put_plain(column, at, out),
        (Values::Floats(_), _)
        | (Values::Texts(_), _)
        | (Values::Ints(_), Kind::Millis | Kind::Micros) => {
            out.push('"');
            put_plain(column, at, out);
            out.push('"');
        }
        _ => put_plain(column, at, out),
    }
}

/// Writes a text in quotes, as JSON has it.
pub(super) fn put_quoted(text: &str, out: &mut String) {
    let quoted = serde_json::to_string(text).expect("a text is JSON");
    out.push_str(&quoted);
}
