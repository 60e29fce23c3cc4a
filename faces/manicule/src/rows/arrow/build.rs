//! Columns of Arrow that are built value by value.

use std::sync::Arc;

use arrow_array::builder::{
    BinaryBuilder, BooleanBuilder, FixedSizeBinaryBuilder, PrimitiveBuilder, StringBuilder,
};
use arrow_array::types::{
    Date32Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    Time64NanosecondType, TimestampMillisecondType,
};
use arrow_array::{
    ArrayRef, ArrowPrimitiveType, FixedSizeListArray, ListArray, MapArray, StructArray,
};
use arrow_buffer::{NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, DataType, FieldRef, Fields};
use manicule_rows::{Elements, Type};

use super::kinds::{UUID_LEN, fields_of};

/// A column that is being built.
pub(in crate::rows) struct Building<'t> {
    kind: &'t Type,
    values: Values<'t>,
}

enum Values<'t> {
    Boolean(BooleanBuilder),
    Tinyint(PrimitiveBuilder<Int8Type>),
    Smallint(PrimitiveBuilder<Int16Type>),
    Int(PrimitiveBuilder<Int32Type>),
    Bigint(PrimitiveBuilder<Int64Type>),
    Float(PrimitiveBuilder<Float32Type>),
    Double(PrimitiveBuilder<Float64Type>),
    Date(PrimitiveBuilder<Date32Type>),
    Time(PrimitiveBuilder<Time64NanosecondType>),
    Timestamp(PrimitiveBuilder<TimestampMillisecondType>),
    Uuid(FixedSizeBinaryBuilder),
    Text(StringBuilder),
    /// Text as CQL writes the value, without quotes.
    Shown(StringBuilder, String),
    Bytes(BinaryBuilder),
    List(FieldRef, Nested<'t>),
    Vector(FieldRef, i32, Nested<'t>),
    Map(FieldRef, Fields, Nested<'t>),
    Struct(Fields, Nested<'t>),
}

/// Parts of values.
struct Nested<'t> {
    parts: Vec<Building<'t>>,
    /// Ends of the values among the parts.
    ends: Vec<i32>,
    is_there: Vec<bool>,
}

impl<'t> Building<'t> {
    /// A column of a type, for which the field was made.
    pub(in crate::rows) fn new(kind: &'t Type, data_type: &DataType) -> Self {
        let kind = kind.ascending();
        let nested =
            |parts: Vec<Building<'t>>| Nested { parts, ends: Vec::new(), is_there: Vec::new() };
        let values = match (kind, data_type) {
            (Type::Vector { element, .. }, DataType::List(field)) => {
                Values::List(field.clone(), nested(vec![Building::new(element, field.data_type())]))
            }
            (Type::List { element, .. } | Type::Set { element, .. }, DataType::List(field)) => {
                Values::List(field.clone(), nested(vec![Building::new(element, field.data_type())]))
            }
            (Type::Vector { element, .. }, DataType::FixedSizeList(field, count)) => {
                let parts = nested(vec![Building::new(element, field.data_type())]);
                Values::Vector(field.clone(), *count, parts)
            }
            (Type::Map { key, value, .. }, DataType::Map(field, _)) => {
                let DataType::Struct(fields) = field.data_type() else { unreachable!("a map") };
                let parts = [&**key, &**value].into_iter().zip(fields.iter());
                let parts = parts.map(|(kind, field)| Building::new(kind, field.data_type()));
                Values::Map(field.clone(), fields.clone(), nested(parts.collect()))
            }
            (_, DataType::Struct(fields)) => {
                let kinds = fields_of(kind);
                let parts = kinds.iter().zip(fields);
                let parts = parts.map(|((_, kind), field)| Building::new(kind, field.data_type()));
                Values::Struct(fields.clone(), nested(parts.collect()))
            }
            (Type::Text | Type::Ascii, _) => Values::Text(StringBuilder::new()),
            (_, DataType::Utf8) => Values::Shown(StringBuilder::new(), String::new()),
            (Type::Boolean, _) => Values::Boolean(BooleanBuilder::new()),
            (Type::Tinyint, _) => Values::Tinyint(PrimitiveBuilder::new()),
            (Type::Smallint, _) => Values::Smallint(PrimitiveBuilder::new()),
            (Type::Int, _) => Values::Int(PrimitiveBuilder::new()),
            (Type::Bigint | Type::Counter, _) => Values::Bigint(PrimitiveBuilder::new()),
            (Type::Float, _) => Values::Float(PrimitiveBuilder::new()),
            (Type::Double, _) => Values::Double(PrimitiveBuilder::new()),
            (Type::Date, _) => Values::Date(PrimitiveBuilder::new()),
            (Type::Time, _) => Values::Time(PrimitiveBuilder::new()),
            (Type::Timestamp | Type::LegacyTimestamp, _) => {
                let builder = PrimitiveBuilder::new();
                Values::Timestamp(builder.with_data_type(data_type.clone()))
            }
            (Type::Uuid | Type::Timeuuid | Type::LexicalUuid, _) => {
                Values::Uuid(FixedSizeBinaryBuilder::new(UUID_LEN))
            }
            _ => Values::Bytes(BinaryBuilder::new()),
        };
        Building { kind, values }
    }

    /// Appends a value. Null are the empty values of types that have no such in Arrow, and bytes
    /// that no value has.
    pub(in crate::rows) fn push(&mut self, value: Option<&[u8]>) {
        let value = value.filter(|value| self.kind.holds(value) || *self.kind == Type::Counter);
        match &mut self.values {
            Values::Boolean(builder) => {
                builder.append_option(value.and_then(<[u8]>::first).map(|byte| *byte != 0));
            }
            Values::Tinyint(builder) => push_number(builder, value, i8::from_be_bytes),
            Values::Smallint(builder) => push_number(builder, value, i16::from_be_bytes),
            Values::Int(builder) => push_number(builder, value, i32::from_be_bytes),
            Values::Bigint(builder) => push_number(builder, value, i64::from_be_bytes),
            Values::Float(builder) => push_number(builder, value, f32::from_be_bytes),
            Values::Double(builder) => push_number(builder, value, f64::from_be_bytes),
            // The day 0 is 2^31.
            Values::Date(builder) => {
                push_number(builder, value, |bytes| (u32::from_be_bytes(bytes) ^ 1 << 31) as i32)
            }
            Values::Time(builder) => push_number(builder, value, i64::from_be_bytes),
            Values::Timestamp(builder) => push_number(builder, value, i64::from_be_bytes),
            Values::Uuid(builder) => match value.filter(|value| !value.is_empty()) {
                Some(value) if builder.append_value(value).is_ok() => {}
                _ => builder.append_null(),
            },
            Values::Text(builder) => {
                builder.append_option(value.and_then(|value| str::from_utf8(value).ok()));
            }
            Values::Shown(builder, text) => match value.filter(|value| !value.is_empty()) {
                Some(value) => {
                    text.clear();
                    self.kind.put_literal(Some(value), text);
                    builder.append_value(text.trim_matches('\''));
                }
                None => builder.append_null(),
            },
            Values::Bytes(builder) => builder.append_option(value),
            Values::List(_, nested) => {
                let kind = self.kind;
                nested.push_each(value.map(|value| match kind {
                    Type::Vector { element, count } => {
                        Elements::of_vector(value, *count, element.fixed_width())
                    }
                    _ => Elements::of_list(value),
                }));
            }
            Values::Vector(_, count, nested) => {
                let (kind, count) = (self.kind, *count);
                let elements = value.filter(|value| !value.is_empty()).map(|value| {
                    let Type::Vector { element, count } = kind else { unreachable!("a vector") };
                    Elements::of_vector(value, *count, element.fixed_width())
                });
                if !nested.push_each(elements) {
                    // A vector that is null has elements all the same.
                    (0..count).for_each(|_| nested.parts[0].push(None));
                }
            }
            Values::Map(_, _, nested) => {
                nested.push_each(value.map(Elements::of_map));
            }
            Values::Struct(_, nested) => {
                let is_composite = matches!(self.kind, Type::Composite(_));
                let mut elements = value.filter(|value| !value.is_empty()).map(|value| {
                    if is_composite {
                        Elements::of_composite(value)
                    } else {
                        Elements::of_tuple(value)
                    }
                });
                nested.is_there.push(elements.is_some());
                for part in &mut nested.parts {
                    part.push(elements.as_mut().and_then(Iterator::next).flatten());
                }
            }
        }
    }

    /// The values so far, after which it is empty.
    pub(in crate::rows) fn finish(&mut self) -> Result<ArrayRef, ArrowError> {
        Ok(match &mut self.values {
            Values::Boolean(builder) => Arc::new(builder.finish()),
            Values::Tinyint(builder) => Arc::new(builder.finish()),
            Values::Smallint(builder) => Arc::new(builder.finish()),
            Values::Int(builder) => Arc::new(builder.finish()),
            Values::Bigint(builder) => Arc::new(builder.finish()),
            Values::Float(builder) => Arc::new(builder.finish()),
            Values::Double(builder) => Arc::new(builder.finish()),
            Values::Date(builder) => Arc::new(builder.finish()),
            Values::Time(builder) => Arc::new(builder.finish()),
            Values::Timestamp(builder) => Arc::new(builder.finish()),
            Values::Uuid(builder) => Arc::new(builder.finish()),
            Values::Text(builder) | Values::Shown(builder, _) => Arc::new(builder.finish()),
            Values::Bytes(builder) => Arc::new(builder.finish()),
            Values::List(field, nested) => {
                let (offsets, nulls) = (nested.offsets(), nested.nulls());
                let values = nested.parts[0].finish()?;
                Arc::new(ListArray::try_new(field.clone(), offsets, values, Some(nulls))?)
            }
            Values::Vector(field, count, nested) => {
                let nulls = nested.nulls();
                nested.ends.clear();
                let values = nested.parts[0].finish()?;
                let array =
                    FixedSizeListArray::try_new(field.clone(), *count, values, Some(nulls))?;
                Arc::new(array)
            }
            Values::Map(field, fields, nested) => {
                let (offsets, nulls) = (nested.offsets(), nested.nulls());
                let parts = nested.finish()?;
                if parts.first().is_some_and(|keys| keys.null_count() > 0) {
                    let what = "a map has a key of no bytes, for which Arrow's maps have no place";
                    return Err(ArrowError::InvalidArgumentError(what.to_owned()));
                }
                let entries = StructArray::try_new(fields.clone(), parts, None)?;
                Arc::new(MapArray::try_new(field.clone(), offsets, entries, Some(nulls), false)?)
            }
            Values::Struct(fields, nested) => {
                let nulls = nested.nulls();
                Arc::new(StructArray::try_new(fields.clone(), nested.finish()?, Some(nulls))?)
            }
        })
    }
}

impl Nested<'_> {
    /// Appends a value's parts, in turn to the columns of parts; whether there is a value.
    fn push_each(&mut self, elements: Option<Elements<'_>>) -> bool {
        let is_there = elements.is_some();
        let count = self.parts.len();
        let mut len = 0;
        for (index, element) in elements.into_iter().flatten().enumerate() {
            self.parts[index % count].push(element);
            len = index + 1;
        }
        let end = self.ends.last().copied().unwrap_or(0) + (len / count) as i32;
        self.ends.push(end);
        self.is_there.push(is_there);
        is_there
    }

    fn offsets(&mut self) -> OffsetBuffer<i32> {
        let mut offsets = vec![0];
        offsets.append(&mut self.ends);
        OffsetBuffer::new(ScalarBuffer::from(offsets))
    }

    fn nulls(&mut self) -> NullBuffer {
        NullBuffer::from(std::mem::take(&mut self.is_there))
    }

    fn finish(&mut self) -> Result<Vec<ArrayRef>, ArrowError> {
        self.parts.iter_mut().map(Building::finish).collect()
    }
}

fn push_number<T: ArrowPrimitiveType, const N: usize>(
    builder: &mut PrimitiveBuilder<T>,
    value: Option<&[u8]>,
    number: impl Fn([u8; N]) -> T::Native,
) {
    let bytes = value.and_then(|value| <[u8; N]>::try_from(value).ok());
    builder.append_option(bytes.map(number));
}

#[cfg(test)]
mod tests {
    use arrow_array::Array;
    use arrow_array::cast::AsArray;

    use super::super::kinds::{check_parts, field_of, text_field_of};
    use super::super::value::value_of;
    use super::*;

    /// What is built is read back.
    #[test]
    fn values_come_back_from_their_columns() {
        let check = |class: &str, literals: &[&str]| {
            let kind = Type::parse(class).expect(class);
            let field = field_of("v", &kind);
            let mut building = Building::new(&kind, field.data_type());
            let values: Vec<_> =
                literals.iter().map(|it| kind.read_literal(it).expect(it)).collect();
            // Twice: a column is empty after its end.
            for _ in 0..2 {
                values.iter().for_each(|value| building.push(value.as_deref()));
                let array = building.finish().expect(class);
                assert_eq!((array.len(), array.data_type()), (values.len(), field.data_type()));
                for (row, value) in values.iter().enumerate() {
                    let back = value_of(&kind, &*array, row).expect(class);
                    assert_eq!(back.as_deref(), value.as_deref(), "{class} {}", literals[row]);
                }
            }
        };
        check("BooleanType", &["true", "false", "null"]);
        check("ByteType", &["-1", "null", "127"]);
        check("ShortType", &["-1", "null"]);
        check("Int32Type", &["-1", "null"]);
        check("LongType", &["-1", "null"]);
        check("FloatType", &["1.5", "null"]);
        check("DoubleType", &["1.5", "NaN"]);
        check("SimpleDateType", &["'1969-12-31'", "'2020-02-29'", "null"]);
        check("TimeType", &["'23:59:59.999999999'", "null"]);
        check("ReversedType(TimestampType)", &["-1", "1700000000000", "null"]);
        check("UUIDType", &["123e4567-e89b-12d3-a456-426614174000", "null"]);
        check("TimeUUIDType", &["123e4567-e89b-12d3-a456-426614174000"]);
        check("UTF8Type", &["'a'", "''", "null"]);
        check("BytesType", &["0x00ff", "0x", "null"]);
        check("IntegerType", &["-123456789012345678901234567890", "null"]);
        check("DecimalType", &["1.10", "-0.0001", "null"]);
        check("DurationType", &["1y2mo3d", "null"]);
        check("InetAddressType", &["'10.0.0.1'", "'::1'", "null"]);
        check("ListType(Int32Type)", &["[1, 2]", "[]", "null", "[3]"]);
        check("SetType(UTF8Type)", &["{'a', 'b'}", "{}", "null"]);
        check("MapType(Int32Type,ListType(UTF8Type))", &["{1: ['a'], 2: []}", "{}", "null"]);
        check("TupleType(Int32Type,UTF8Type)", &["(1, 'a')", "(null, null)", "null"]);
        check("UserType(ks,74,61:Int32Type,62:SetType(Int32Type))", &["{a: 1, b: {1}}", "null"]);
        check("VectorType(FloatType , 2)", &["[1, 2]", "null", "[3, 4]"]);
        check("VectorType(UTF8Type , 2)", &["['a', '']", "null"]);
    }

    fn map() -> Type {
        let (key, value) = (Box::new(Type::Int), Box::new(Type::Text));
        Type::Map { key, value, is_frozen: true }
    }

    #[test]
    fn a_type_takes_no_more_memory_than_its_values() {
        let element = Box::new(Type::Int);
        let kind = Type::Vector { element, count: i32::MAX as u32 };
        let field = field_of("v", &kind);
        let mut column = Building::new(&kind, field.data_type());
        column.push(None);
        column.push(Some(&[0; 8]));
        let array = column.finish().unwrap();
        assert_eq!((array.len(), array.as_list::<i32>().values().len() <= 2), (2, true));
        let fields = vec![Type::Int; 200_000];
        let why = check_parts(&Type::Tuple { fields, is_frozen: true }).unwrap_err();
        assert!(why.contains("200001 parts, more than the 16384"), "{why}");
        assert_eq!(check_parts(&map()), Ok(()));
    }

    #[test]
    fn a_key_of_no_bytes_is_named_or_written_as_text() {
        // One entry: a key of no bytes, and "a".
        let value = [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, b'a'];
        let kind = map();
        let mut column = Building::new(&kind, field_of("m", &kind).data_type());
        column.push(Some(&value));
        let error = column.finish().unwrap_err().to_string();
        assert!(error.contains("a map has a key of no bytes"), "{error}");
        let mut column = Building::new(&kind, text_field_of("m", &kind).data_type());
        column.push(Some(&value));
        let array = column.finish().unwrap();
        assert_eq!(array.as_string::<i32>().value(0), "{'': 'a'}");
    }
}
