//! Literals whose value is their id: numbers, booleans, dates and times whose lexical form follows
//! from the value.
//!
//! A literal is inlined if and only if printing its value by the rule of its tag gives back its
//! lexical form; the others are text in the dictionary. Payloads of one tag compare as the values
//! do.
//!
//! Bytes:   docs/formats/leaf.md, "Inlined literals"

mod compare;
mod double;
mod kinds;
mod lexical;
mod number;
pub mod tags;
mod time;

use manicule_format_leaf::{Id, Tag};

pub use compare::{EXACT_SCALE, compare_inlined, exact_value};
pub use kinds::{INTEGER_TYPES, IntegerType, XSD};
pub use lexical::Lexical;
pub use time::Fields;

use kinds::Kind;

/// The id of a literal whose value ids hold; none for all others, which are text.
pub fn inlined(lexical: &str, datatype: &str) -> Option<Id> {
    let local = datatype.strip_prefix(XSD)?;
    let text = lexical.as_bytes();
    let (tag, payload) = match local {
        "boolean" => match text {
            b"false" => (tags::BOOLEAN, 0),
            b"true" => (tags::BOOLEAN, 1),
            _ => return None,
        },
        "decimal" => number::decimal(text)?,
        "double" => (tags::DOUBLE, double::double(lexical)?),
        "float" => (tags::FLOAT, double::float(lexical)?),
        "date" => time::date(text)?,
        "dateTime" => time::date_time(text)?,
        _ => {
            let (tag, of) = kinds::integer_type(local)?;
            (tag, number::integer(text, of)?)
        }
    };
    Some(Id::new(tag, payload))
}

/// The lexical form and the datatype of a literal by its id; none if the id isn't one that
/// [`inlined`] gives.
pub fn literal_of(id: Id) -> Option<(Lexical, &'static str)> {
    let (kind, payload) = (kinds::kind(id.tag())?, id.payload());
    let mut out = Lexical::default();
    match kind {
        Kind::Boolean if payload > 1 => return None,
        Kind::Boolean => out.put(if payload == 1 { b"true" } else { b"false" }),
        Kind::Integer(of) => number::put_integer(payload, of, &mut out)?,
        Kind::Decimal(digits) => number::put_decimal(payload, digits, &mut out),
        Kind::Double => double::put_double(payload, &mut out)?,
        Kind::Float => double::put_float(payload, &mut out)?,
        Kind::Date(zone) => time::put_date(payload, zone, &mut out)?,
        Kind::DateTime(digits, zone) => time::put_date_time(payload, digits, zone, &mut out)?,
    }
    Some((out, kind.datatype()))
}

/// The fields of an inlined date or date with a time; none of all other ids.
pub fn fields_of(id: Id) -> Option<Fields> {
    time::fields(id.payload(), kinds::kind(id.tag())?)
}

/// The value of an inlined integer of any datatype; none of all other ids.
pub fn integer_of(id: Id) -> Option<i64> {
    match kinds::kind(id.tag())? {
        Kind::Integer(_) => Some(number::unbiased(id.payload())),
        _ => None,
    }
}

/// The id of an integer, if it is inlined.
pub fn inlined_integer(value: i64) -> Option<Id> {
    number::payload_of(value).map(|payload| Id::new(tags::INTEGER, payload))
}

/// Whether ids of a tag are those of numbers.
pub fn is_number(tag: Tag) -> bool {
    let kind = kinds::kind(tag);
    matches!(kind, Some(Kind::Integer(_) | Kind::Decimal(_) | Kind::Double | Kind::Float))
}

/// Whether ids of a tag are values.
pub fn is_inlined(tag: Tag) -> bool {
    tag >= Tag::FIRST_INLINE
}

#[cfg(test)]
mod tests;
