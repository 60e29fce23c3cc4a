//! Types of CQL as those of Arrow.
//!
//! What Arrow has no type for that holds every value is text as CQL writes it: varint, decimal,
//! duration, inet.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_schema::{DataType, Field, Fields, TimeUnit};
use manicule_rows::Type;

/// Key of a field's metadata: the type as CQL names it.
const CQL_TYPE: &str = "cql.type";

/// Keys of a field's metadata by which other programs know UUIDs.
const EXTENSION: (&str, &str) = ("ARROW:extension:name", "arrow.uuid");

/// Greatest number of elements of a vector whose length is part of its type: that of servers. A
/// vector that is null has as many elements as any other then; longer ones are lists.
const VECTOR_COUNT_MAX: usize = 8192;

/// Greatest number of columns, parts of columns among them: each has memory of its own.
const COLUMN_COUNT_MAX: usize = 16 << 10;

/// Length in bytes of a UUID.
pub(super) const UUID_LEN: i32 = 16;

/// The zone of timestamps.
const ZONE: &str = "UTC";

/// A column of a type.
pub(in crate::rows) fn field_of(name: &str, kind: &Type) -> Field {
    let field = Field::new(name, data_type(kind), true);
    let mut notes = HashMap::from([(CQL_TYPE.to_owned(), kind.cql())]);
    if matches!(kind.ascending(), Type::Uuid | Type::Timeuuid | Type::LexicalUuid) {
        notes.insert(EXTENSION.0.to_owned(), EXTENSION.1.to_owned());
    }
    field.with_metadata(notes)
}

/// A column whose values are text, as CQL writes them.
pub(in crate::rows) fn text_field_of(name: &str, kind: &Type) -> Field {
    let notes = HashMap::from([(CQL_TYPE.to_owned(), kind.cql())]);
    Field::new(name, DataType::Utf8, true).with_metadata(notes)
}

/// Whether a table can have a column of a type: all of its parts have memory of their own, whatever
/// the data hold.
///
/// # Errors
/// What there is too much of, in words.
pub(in crate::rows) fn check_parts(kind: &Type) -> Result<(), String> {
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

fn data_type(kind: &Type) -> DataType {
    match kind {
        Type::Vector { element, count } if *count as usize > VECTOR_COUNT_MAX => {
            DataType::List(Arc::new(element_of(element)))
        }
        Type::Boolean => DataType::Boolean,
        Type::Tinyint => DataType::Int8,
        Type::Smallint => DataType::Int16,
        Type::Int => DataType::Int32,
        Type::Bigint | Type::Counter => DataType::Int64,
        Type::Float => DataType::Float32,
        Type::Double => DataType::Float64,
        Type::Date => DataType::Date32,
        Type::Time => DataType::Time64(TimeUnit::Nanosecond),
        Type::Timestamp | Type::LegacyTimestamp => {
            DataType::Timestamp(TimeUnit::Millisecond, Some(ZONE.into()))
        }
        Type::Uuid | Type::Timeuuid | Type::LexicalUuid => DataType::FixedSizeBinary(UUID_LEN),
        Type::Ascii | Type::Text | Type::Varint | Type::Decimal | Type::Duration | Type::Inet => {
            DataType::Utf8
        }
        Type::Blob | Type::Empty | Type::Custom(_) => DataType::Binary,
        Type::List { element, .. } | Type::Set { element, .. } => {
            DataType::List(Arc::new(element_of(element)))
        }
        Type::Vector { element, count } => {
            let count = i32::try_from(*count).unwrap_or(i32::MAX);
            DataType::FixedSizeList(Arc::new(element_of(element)), count)
        }
        Type::Map { key, value, .. } => {
            let key = field_of("key", key).with_nullable(false);
            let entries = DataType::Struct(Fields::from(vec![key, field_of("value", value)]));
            DataType::Map(Arc::new(Field::new("entries", entries, false)), false)
        }
        Type::Tuple { .. } | Type::User(_) | Type::Composite(_) => {
            let fields = fields_of(kind);
            let fields: Vec<Field> =
                fields.iter().map(|(name, kind)| field_of(name, kind)).collect();
            DataType::Struct(Fields::from(fields))
        }
        Type::Reversed(inner) => data_type(inner),
    }
}

fn element_of(kind: &Type) -> Field {
    field_of("item", kind)
}

/// Names and types of fields; those of tuples are `f1`, `f2`, ..
pub(super) fn fields_of(kind: &Type) -> Vec<(String, &Type)> {
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
