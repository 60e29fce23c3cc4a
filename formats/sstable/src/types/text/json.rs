//! Values as JSON: as sstabledump prints it, or so that all of it can be read again.
//!
//! Bytes:   docs/formats/sstable.md, Values as JSON

use manicule_core::hex;

use super::literal::ZERO_DURATION;
use super::plain::PlainForm;
use super::scalar::{Written, put_scalar, signed};
use super::time::{StampForm, duration_in_front, put_duration};
use crate::types::{Elements, Type, Value};

/// How values are written that JSON has no word for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// As sstabledump does.
    Dump(PlainForm),
    /// As SELECT JSON does, times so that they can be read again.
    Select,
    /// As texts.
    Exact,
}

impl Type {
    /// Appends a value as SELECT JSON has it: as [`Type::put_json_as`], but for timestamps of years
    /// before 1, which have the numbers that [`Type::put_literal`] gives them.
    pub fn put_json(&self, value: Value<'_>, out: &mut String) {
        self.put_json_in(value, Form::Select, out);
    }

    /// Appends a value as sstabledump prints it, in the form of a release: only timestamps before
    /// 1582 differ. Null is `null`; the empty value `""`, of collections and tuples `null`, where
    /// Cassandra's tool ends with an exception. Bytes that no value of the type has are their
    /// hexadecimal digits.
    ///
    /// Of a counter the first eight bytes are printed as a number, as Cassandra does; they are not
    /// its value.
    pub fn put_json_as(&self, value: Value<'_>, form: PlainForm, out: &mut String) {
        self.put_json_in(value, Form::Dump(form), out);
    }

    /// Appends a value so that it can be read again, and null is null alone: empty values, NaN and
    /// infinity are texts.
    pub fn put_json_exact(&self, value: Value<'_>, out: &mut String) {
        self.put_json_in(value, Form::Exact, out);
    }

    fn put_json_in(&self, value: Value<'_>, form: Form, out: &mut String) {
        let Some(value) = value else { return out.push_str("null") };
        let kind = self.ascending();
        if value.is_empty() {
            return match kind {
                Type::User(user) if form != Form::Exact => {
                    put_user(&user.fields, value, form, out);
                }
                _ => out.push_str(kind.empty_json(form)),
            };
        }
        let start = out.len();
        let stamp = match form {
            Form::Dump(PlainForm::Old) => StampForm::OldMillis,
            Form::Dump(PlainForm::New) => StampForm::Millis,
            Form::Select | Form::Exact => StampForm::Exact,
        };
        match (put_scalar(kind, value, stamp, out), form) {
            (Written::Bare, _) => {}
            (Written::NotFinite, Form::Dump(_) | Form::Select) => {
                out.truncate(start);
                out.push_str("null");
            }
            (Written::NotFinite, Form::Exact) | (Written::Quoted, _) => {
                if form == Form::Exact && out.len() == start {
                    out.push_str(ZERO_DURATION);
                }
                out.insert(start, '"');
                out.push('"');
            }
            (Written::No, _) => kind.put_json_of_parts(value, form, out),
        }
    }

    fn empty_json(&self, form: Form) -> &'static str {
        match self {
            Type::Blob => "\"0x\"",
            _ if form == Form::Exact => "\"\"",
            Type::List { .. }
            | Type::Set { .. }
            | Type::Map { .. }
            | Type::Tuple { .. }
            | Type::Vector { .. } => "null",
            _ => "\"\"",
        }
    }

    fn put_json_of_parts(&self, value: &[u8], form: Form, out: &mut String) {
        let start = out.len();
        let is_whole = match self {
            Type::Text | Type::Ascii => {
                put_json_string(&String::from_utf8_lossy(value), out);
                true
            }
            // Cassandra reads three numbers, and not what damage has left behind them.
            Type::Duration => match duration_in_front(value) {
                Some((parts, _)) if form != Form::Exact => {
                    out.push('"');
                    put_duration(parts, out);
                    out.push('"');
                    true
                }
                _ => false,
            },
            Type::Counter if value.len() >= 8 => {
                out.push_str(itoa::Buffer::new().format(signed(&value[..8])));
                true
            }
            Type::List { element, .. } | Type::Set { element, .. } => {
                put_list(Elements::of_list(value), |_| Some(element), form, out)
            }
            Type::Vector { element, count } => {
                let elements = Elements::of_vector(value, *count, element.fixed_width());
                put_list(elements, |_| Some(element), form, out)
            }
            Type::Map { key, value: of_value, .. } => put_map(key, of_value, value, form, out),
            Type::Tuple { fields, .. } => put_tuple(fields, value, form, out),
            Type::User(user) => put_user(&user.fields, value, form, out),
            Type::Composite(_) => {
                let mut plain = String::new();
                self.put_plain(value, PlainForm::Old, &mut plain);
                put_json_string(&plain, out);
                true
            }
            _ => false,
        };
        if !is_whole {
            out.truncate(start);
            out.push_str("\"0x");
            hex::put(value, out);
            out.push('"');
        }
    }
}

/// Appends a list; whether its bytes were whole.
fn put_list<'t>(
    mut elements: Elements<'_>,
    kind: impl Fn(usize) -> Option<&'t Type>,
    form: Form,
    out: &mut String,
) -> bool {
    out.push('[');
    for (index, element) in elements.by_ref().enumerate() {
        let Some(kind) = kind(index) else { return false };
        if index > 0 {
            out.push_str(", ");
        }
        kind.put_json_in(element, form, out);
    }
    out.push(']');
    elements.is_whole()
}

/// Fields that are missing at the end are null.
fn put_tuple(fields: &[Type], value: &[u8], form: Form, out: &mut String) -> bool {
    let mut elements = Elements::of_tuple(value);
    if !put_list(elements.clone(), |index| fields.get(index), form, out) {
        return false;
    }
    let there = elements.by_ref().count();
    out.pop();
    for index in there..fields.len() {
        out.push_str(if index > 0 { ", null" } else { "null" });
    }
    out.push(']');
    true
}

fn put_map(key: &Type, of_value: &Type, value: &[u8], form: Form, out: &mut String) -> bool {
    let mut elements = Elements::of_map(value);
    let mut text = String::new();
    out.push('{');
    let mut is_first = true;
    while let Some(key_part) = elements.next() {
        let Some(value_part) = elements.next() else { return false };
        if !std::mem::take(&mut is_first) {
            out.push_str(", ");
        }
        // Keys of JSON are texts: others are put in quotes.
        text.clear();
        key.put_json_in(key_part, form, &mut text);
        if text.starts_with('"') {
            out.push_str(&text)
        } else {
            put_json_string(&text, out)
        }
        out.push_str(": ");
        of_value.put_json_in(value_part, form, out);
    }
    out.push('}');
    elements.is_whole()
}

fn put_user(fields: &[(Vec<u8>, Type)], value: &[u8], form: Form, out: &mut String) -> bool {
    let mut elements = Elements::of_tuple(value);
    out.push('{');
    for (index, (name, kind)) in fields.iter().enumerate() {
        if index > 0 {
            out.push_str(", ");
        }
        put_field_name(name, out);
        out.push_str(": ");
        kind.put_json_in(elements.next().flatten(), form, out);
    }
    out.push('}');
    elements.next().is_none() && elements.is_whole()
}

/// A name with capital letters is in CQL's quotes inside of JSON's.
fn put_field_name(name: &[u8], out: &mut String) {
    let name = String::from_utf8_lossy(name);
    if *name == name.to_lowercase() {
        put_json_string(&name, out);
    } else {
        put_json_string(&format!("\"{name}\""), out);
    }
}

/// Appends a string of JSON with the escapes of Cassandra's library: quotes, backslashes, control
/// characters.
pub fn put_json_string(text: &str, out: &mut String) {
    out.push('"');
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c < ' ' || c == '"' || c == '\\') {
        out.push_str(&rest[..at]);
        match rest.as_bytes()[at] {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            0x08 => out.push_str("\\b"),
            0x0c => out.push_str("\\f"),
            control => out.push_str(&format!("\\u{control:04X}")),
        }
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
    out.push('"');
}
