//! Types of CQL as kinds of columns.
//!
//! What Arrow has no type for that holds every value is text as CQL writes it: varint, decimal,
//! duration, inet.

use std::sync::Arc;

use manicule_rows::Type;

use crate::answer::{Field, Held, Kind};

/// Key of the note on a column that has its type as CQL names it.
const CQL_TYPE: &str = "cql.type";

/// Greatest number of elements of a vector whose length is part of its type: that of servers. A
/// vector that is null has as many elements as any other then; longer ones are lists.
const VECTOR_COUNT_MAX: u32 = 8192;

/// Greatest number of columns, parts of columns among them: each has memory of its own.
const COLUMN_COUNT_MAX: usize = 16 << 10;

/// A column of a type.
pub(crate) fn field_of(name: &str, kind: &Type, about: &'static str) -> Field {
    noted(name, kind, Field::new("", kind_of(kind), about))
}

/// A column whose values are text, as CQL writes them.
pub(crate) fn text_field_of(name: &str, kind: &Type, about: &'static str) -> Field {
    noted(name, kind, Field::new("", Kind::Text, about))
}

pub(super) fn noted(name: &str, kind: &Type, field: Field) -> Field {
    field.named(name.to_owned()).or_null().noted((CQL_TYPE, kind.cql().into()))
}

/// Whether a table can have a column of a type: all of its parts have memory of their own, whatever
/// the data hold.
///
/// # Errors
/// What there is too much of, in words.
pub(crate) fn check_parts(kind: &Type) -> Result<(), String> {
    match part_count(kind) {
        count if count > COLUMN_COUNT_MAX => Err(format!(
            "its type has {count} parts, more than the {COLUMN_COUNT_MAX} that a table of Parquet or \
             Arrow has here"
        )),
        _ => Ok(()),
    }
}

fn part_count(kind: &Type) -> usize {
    1 + match kind {
        Type::List { element, .. } | Type::Set { element, .. } | Type::Vector { element, .. } => {
            part_count(element)
        }
        Type::Map { key, value, .. } => part_count(key) + part_count(value),
        Type::Reversed(inner) => part_count(inner),
        _ => fields_of(kind).iter().map(|(_, kind)| part_count(kind)).sum(),
    }
}

fn kind_of(kind: &Type) -> Kind {
    match kind {
        Type::Boolean => Kind::Boolean,
        Type::Tinyint => Kind::Int8,
        Type::Smallint => Kind::Int16,
        Type::Int => Kind::Int32,
        Type::Bigint | Type::Counter => Kind::Int,
        Type::Float => Kind::Float32,
        Type::Double => Kind::Float,
        Type::Date => Kind::Date,
        Type::Time => Kind::Time,
        Type::Timestamp | Type::LegacyTimestamp => Kind::Millis,
        Type::Uuid | Type::Timeuuid | Type::LexicalUuid => Kind::Uuid,
        Type::Ascii | Type::Text | Type::Varint | Type::Decimal | Type::Duration | Type::Inet => {
            Kind::Text
        }
        Type::Blob | Type::Empty | Type::Custom(_) => Kind::Bytes,
        Type::List { element, .. } | Type::Set { element, .. } => Kind::List(item_of(element)),
        Type::Vector { element, count } if *count <= VECTOR_COUNT_MAX => {
            Kind::FixedList(item_of(element), count.cast_signed())
        }
        Type::Vector { element, .. } => Kind::List(item_of(element)),
        Type::Map { key, value, .. } => {
            let mut pair = [field_of("key", key, ""), field_of("value", value, "")];
            pair[0].may_be_null = false;
            Kind::Map(Held::Shared(Arc::new(pair)))
        }
        Type::Tuple { .. } | Type::User(_) | Type::Composite(_) => {
            let fields = fields_of(kind).into_iter();
            let fields: Vec<Field> = fields.map(|(name, kind)| field_of(&name, kind, "")).collect();
            Kind::Struct(Held::Shared(fields.into()))
        }
        Type::Reversed(inner) => kind_of(inner),
    }
}

fn item_of(kind: &Type) -> Held<Field> {
    Held::Shared(Arc::new(field_of("item", kind, "")))
}

/// Names and types of fields; those of tuples are `f1`, `f2`, ..
pub(crate) fn fields_of(kind: &Type) -> Vec<(String, &Type)> {
    match kind {
        Type::Tuple { fields, .. } | Type::Composite(fields) => {
            (1..).map(|number| format!("f{number}")).zip(fields).collect()
        }
        Type::User(user) => {
            let name = |name: &[u8]| String::from_utf8_lossy(name).into_owned();
            user.fields.iter().map(|(bytes, kind)| (name(bytes), kind)).collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_too_many_parts_are_refused() {
        let fields = vec![Type::Int; 200_000];
        let why = check_parts(&Type::Tuple { fields, is_frozen: true }).unwrap_err();
        assert!(why.contains("200001 parts, more than the 16384"), "{why}");
        let (key, value) = (Box::new(Type::Int), Box::new(Type::Text));
        assert_eq!(check_parts(&Type::Map { key, value, is_frozen: true }), Ok(()));
    }
}
