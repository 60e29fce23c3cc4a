//! Types of CQL as those of Arrow.
//!
//! What Arrow has no type for that holds every value is text as CQL writes it: varint, decimal, duration, inet.
//!
//! Callers: arrow

use std::collections::HashMap;
use std::sync::Arc;

use arrow_schema::{DataType, Field, Fields, TimeUnit};
use manicule_rows::Type;

/// Key of a field's metadata: the type as CQL names it.
const CQL_TYPE: &str = "cql.type";

/// Keys of a field's metadata by which other programs know UUIDs.
const EXTENSION: (&str, &str) = ("ARROW:extension:name", "arrow.uuid");

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

fn data_type(kind: &Type) -> DataType {
    match kind {
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
