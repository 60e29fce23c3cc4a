//! Rows of JSON lines: an object a line, as `rows export` and SELECT JSON write them.
//!
//! Numbers are taken as the digits that are there: a decimal keeps its scale, a varint its length.

use std::borrow::Cow;
use std::fmt;
use std::io::BufRead;
use std::path::Path;

use manicule_core::watch::Meter;
use manicule_rows::{Parts, RowsError, Type};
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::lines::{at_place, read_line};
use super::slots::{Field, Slots, TakeFields, twice};
use crate::rows::error::Error;

/// Reads the rows of a file.
pub(super) fn read(
    path: &Path,
    input: &mut dyn BufRead,
    slots: &Slots,
    meter: &Meter<'_>,
    take: TakeFields<'_>,
) -> Result<(), Error> {
    let (mut line, mut count) = (Vec::new(), 0_u64);
    let mut steps = meter.steps();
    loop {
        line.clear();
        if !read_line(path, input, &mut line)? {
            return Ok(());
        }
        count += 1;
        steps.add(line.len() as u64)?;
        let text = line.trim_ascii();
        if !text.is_empty() {
            let done = row(text, slots, take);
            done.map_err(|error| at_place(path, format!("line {count}"), error))?;
        }
    }
}

fn row(line: &[u8], slots: &Slots, take: TakeFields<'_>) -> Result<(), RowsError> {
    let wrong = |why: String| RowsError::Unwritable { why };
    let text = str::from_utf8(line).map_err(|_| wrong("it isn't UTF-8".to_owned()))?;
    let members: Members<'_> =
        serde_json::from_str(text).map_err(|error| wrong(format!("no object of JSON: {error}")))?;
    let mut fields = slots.fields();
    for (name, value) in &members.0 {
        let Some(slot) = slots.slot(name)? else { continue };
        if fields[slot] != Field::Absent {
            return Err(twice(name));
        }
        let value = value_of(slots.kind(slot), value).map_err(|why| slots.wrong(slot, why))?;
        fields[slot] = value.map_or(Field::Null, |value| Field::Value(value.into()));
    }
    take(&fields)
}

/// The bytes of a value; `None` of null.
fn value_of(kind: &Type, json: &RawValue) -> Result<Option<Vec<u8>>, String> {
    let text = json.get();
    let value = match (kind.ascending(), text.as_bytes().first()) {
        (_, Some(b'n')) => return Ok(None),
        // A text of something that has parts is its literal, or its JSON.
        (kind, Some(b'"')) => text_value(kind, &string(text)?)?,
        (Type::List { element, .. } | Type::Set { element, .. }, Some(b'[')) => {
            kind.value_of_parts(elements(text, |_| Some(element))?)?
        }
        (Type::Vector { element, .. }, Some(b'[')) => {
            kind.value_of_parts(elements(text, |_| Some(element))?)?
        }
        (Type::Tuple { fields, .. }, Some(b'[')) => {
            kind.value_of_parts(elements(text, |index| fields.get(index))?)?
        }
        (Type::Map { key, value, .. }, Some(b'{')) => {
            let mut parts = Parts::new();
            for (name, member) in members(text)?.0 {
                parts.push(Some(text_value(key, &name)?));
                parts.push(value_of(value, member)?);
            }
            kind.value_of_parts(parts)?
        }
        (Type::User(user), Some(b'{')) => {
            let mut parts = vec![None; user.fields.len()];
            let mut seen = vec![false; parts.len()];
            for (name, member) in members(text)?.0 {
                let bare = name.strip_prefix('"').and_then(|name| name.strip_suffix('"'));
                let is = |(other, _): &(Vec<u8>, Type)| {
                    *other == name.as_bytes() || bare.is_some_and(|bare| other == bare.as_bytes())
                };
                let at = user.fields.iter().position(is);
                let at = at.ok_or_else(|| format!("{} has no field {name}", kind.cql()))?;
                if std::mem::replace(&mut seen[at], true) {
                    return Err(format!("the field {name} is there twice"));
                }
                parts[at] = value_of(&user.fields[at].1, member)?;
            }
            kind.value_of_parts(parts)?
        }
        (_, Some(b'[' | b'{')) => return Err(format!("wanted {}, got {text:.30}", kind.cql())),
        (Type::Text | Type::Ascii, _) => return Err(format!("wanted a text, got {text:.30}")),
        (simple, _) => simple.read_field(text).map_err(|error| error.to_string())?,
    };
    Ok(Some(value))
}

/// A value that JSON has as a text: also what CQL writes without quotes, and keys of maps.
fn text_value(kind: &Type, text: &str) -> Result<Vec<u8>, String> {
    let has_parts = matches!(
        kind,
        Type::List { .. }
            | Type::Set { .. }
            | Type::Map { .. }
            | Type::Vector { .. }
            | Type::Tuple { .. }
            | Type::User(_)
    );
    if has_parts && !text.is_empty() {
        let inner = serde_json::from_str::<&RawValue>(text);
        if let Ok(Some(value)) = inner.map_err(|error| error.to_string()).and_then(|inner| {
            // A text in a text goes no deeper.
            if inner.get().starts_with('"') { Ok(None) } else { value_of(kind, inner) }
        }) {
            return Ok(value);
        }
    }
    kind.read_field(text).map_err(|error| error.to_string())
}

fn string(text: &str) -> Result<String, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

fn elements<'t>(text: &str, kind: impl Fn(usize) -> Option<&'t Type>) -> Result<Parts, String> {
    let list: Vec<&RawValue> = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let part = |(index, value): (usize, &&RawValue)| match kind(index) {
        Some(kind) => value_of(kind, value),
        None => Err(format!("at most {index} elements")),
    };
    list.iter().enumerate().map(part).collect()
}

fn members(text: &str) -> Result<Members<'_>, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

/// The members of an object in their order.
struct Members<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

/// A name, which is borrowed where it has no escapes.
#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collect;
        impl<'de> Visitor<'de> for Collect {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
                let mut members = Vec::new();
                while let Some((Name(name), value)) =
                    map.next_entry::<Name<'de>, &'de RawValue>()?
                {
                    members.push((name, value));
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Collect)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_json_are_those_of_their_literals() {
        let check = |class: &str, json: &str, literal: Option<&str>| {
            let kind = Type::parse(class).expect(class);
            let raw: &RawValue = serde_json::from_str(json).expect(json);
            let got = value_of(&kind, raw);
            match literal {
                Some(literal) => assert_eq!(got, Ok(kind.read_literal(literal).unwrap()), "{json}"),
                None => assert!(got.is_err(), "{class} {json}: {got:?}"),
            }
        };
        check("Int32Type", "5", Some("5"));
        check("Int32Type", "\"5\"", Some("5"));
        check("Int32Type", "5.5", None);
        check("Int32Type", "null", Some("null"));
        check("UTF8Type", "\"a\\u00e9\"", Some("'aé'"));
        check("UTF8Type", "5", None);
        check("DecimalType", "1.10", Some("1.10"));
        check(
            "IntegerType",
            "123456789012345678901234567890",
            Some("123456789012345678901234567890"),
        );
        check("DoubleType", "1e3", Some("1000"));
        check("BooleanType", "true", Some("true"));
        check("TimestampType", "\"1970-01-01 00:00:01.000Z\"", Some("1000"));
        check("BytesType", "\"0x01ff\"", Some("0x01ff"));
        check("ListType(Int32Type)", "[1, 2]", Some("[1, 2]"));
        check("ListType(Int32Type)", "[1, null]", None);
        check("SetType(UTF8Type)", "[\"b\", \"a\"]", Some("{'a', 'b'}"));
        check("MapType(Int32Type,UTF8Type)", "{\"1\": \"a\"}", Some("{1: 'a'}"));
        check(
            "MapType(TupleType(Int32Type,UTF8Type),Int32Type)",
            "{\"[1, \\\"a\\\"]\": 2}",
            Some("{(1, 'a'): 2}"),
        );
        check("TupleType(Int32Type,UTF8Type)", "[1, null]", Some("(1, null)"));
        check("TupleType(Int32Type)", "[1, 2]", None);
        check(
            "UserType(ks,74,61:Int32Type,42:UTF8Type)",
            "{\"\\\"B\\\"\": \"x\", \"a\": 1}",
            Some("{a: 1, \"B\": 'x'}"),
        );
        check("UserType(ks,74,61:Int32Type)", "{\"c\": 1}", None);
        check("UserType(ks,74,61:Int32Type)", "{\"a\": null, \"a\": 1}", None);
        check("ListType(Int32Type)", "{}", None);
        check("ListType(Int32Type)", "\"[1]\"", Some("[1]"));
    }
}
