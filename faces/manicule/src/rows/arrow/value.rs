//! Values of Arrow's columns as those of CQL.

use std::borrow::Cow;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Decimal128Type, Decimal256Type, Float32Type, Float64Type, Int8Type, Int16Type,
    Int32Type, Int64Type, Time32MillisecondType, Time32SecondType, Time64MicrosecondType,
    Time64NanosecondType, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrowPrimitiveType, StructArray};
use arrow_schema::{DataType, TimeUnit};
use manicule_rows::{Parts, Type};

use crate::rows::typed::fields_of;

type Bytes<'a> = Cow<'a, [u8]>;

/// The bytes of a value at a row; `None` of null.
///
/// # Errors
/// What is wanted and what is there, in words.
pub(in crate::rows) fn value_of<'a>(
    kind: &Type,
    array: &'a dyn Array,
    row: usize,
) -> Result<Option<Bytes<'a>>, String> {
    if array.is_null(row) || *array.data_type() == DataType::Null {
        return Ok(None);
    }
    let kind = kind.ascending();
    let wrong = || format!("wanted {}, got a column of {}", kind.cql(), array.data_type());
    let value: Bytes<'a> = match array.data_type() {
        DataType::Boolean if *kind == Type::Boolean => {
            vec![u8::from(array.as_boolean().value(row))].into()
        }
        DataType::Utf8 => text(kind, array.as_string::<i32>().value(row))?,
        DataType::LargeUtf8 => text(kind, array.as_string::<i64>().value(row))?,
        DataType::Utf8View => text(kind, array.as_string_view().value(row))?,
        DataType::Binary => bytes(kind, array.as_binary::<i32>().value(row))?,
        DataType::LargeBinary => bytes(kind, array.as_binary::<i64>().value(row))?,
        DataType::BinaryView => bytes(kind, array.as_binary_view().value(row))?,
        DataType::FixedSizeBinary(_) => bytes(kind, array.as_fixed_size_binary().value(row))?,
        DataType::Float32 if *kind == Type::Float => {
            array.as_primitive::<Float32Type>().value(row).to_be_bytes().to_vec().into()
        }
        DataType::Float32 if *kind == Type::Double => {
            let wide = f64::from(array.as_primitive::<Float32Type>().value(row));
            wide.to_be_bytes().to_vec().into()
        }
        DataType::Float64 if *kind == Type::Double => {
            array.as_primitive::<Float64Type>().value(row).to_be_bytes().to_vec().into()
        }
        DataType::Date32 if *kind == Type::Date => {
            let days = array.as_primitive::<Date32Type>().value(row);
            (days as u32 ^ 1 << 31).to_be_bytes().to_vec().into()
        }
        DataType::Timestamp(unit, _) if matches!(kind, Type::Timestamp | Type::LegacyTimestamp) => {
            let millis = stamp(array, *unit, row).div_euclid(1_000_000);
            i64::try_from(millis).map_err(|_| wrong())?.to_be_bytes().to_vec().into()
        }
        DataType::Timestamp(unit, _) if *kind == Type::Bigint => {
            // The time of a row, in microseconds.
            let micros = stamp(array, *unit, row).div_euclid(1000);
            i64::try_from(micros).map_err(|_| wrong())?.to_be_bytes().to_vec().into()
        }
        DataType::Time32(_) | DataType::Time64(_) if *kind == Type::Time => {
            time(array, row).to_be_bytes().to_vec().into()
        }
        DataType::Decimal128(..) | DataType::Decimal256(..)
            if matches!(kind, Type::Decimal | Type::Varint) =>
        {
            let digits = match array.data_type() {
                DataType::Decimal128(..) => {
                    array.as_primitive::<Decimal128Type>().value_as_string(row)
                }
                _ => array.as_primitive::<Decimal256Type>().value_as_string(row),
            };
            text(kind, &digits)?.into_owned().into()
        }
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            let at = dictionary.normalized_keys()[row];
            return value_of(kind, &**dictionary.values(), at);
        }
        DataType::List(_) => list(kind, &*array.as_list::<i32>().value(row))?.into(),
        DataType::LargeList(_) => list(kind, &*array.as_list::<i64>().value(row))?.into(),
        DataType::FixedSizeList(..) => list(kind, &*array.as_fixed_size_list().value(row))?.into(),
        DataType::Map(..) => map(kind, &array.as_map().value(row))?.into(),
        DataType::Struct(_) => fields(kind, array.as_struct(), row)?.into(),
        _ => match integer(array, row) {
            Some(number) => whole(kind, number).ok_or_else(wrong)?.into(),
            None => return Err(wrong()),
        },
    };
    Ok(Some(value))
}

fn text<'a>(kind: &Type, text: &'a str) -> Result<Bytes<'a>, String> {
    match kind {
        Type::Text => Ok(text.as_bytes().into()),
        _ => kind.read_field(text).map(Into::into).map_err(|error| error.to_string()),
    }
}

fn bytes<'a>(kind: &Type, value: &'a [u8]) -> Result<Bytes<'a>, String> {
    // Texts of writers that don't say that they are.
    if kind.holds(value) {
        Ok(value.into())
    } else {
        Err(format!("wanted {}, got {} bytes that are none", kind.cql(), value.len()))
    }
}

/// A number as a value of a type that has it.
fn whole(kind: &Type, number: i128) -> Option<Vec<u8>> {
    Some(match kind {
        Type::Tinyint => i8::try_from(number).ok()?.to_be_bytes().to_vec(),
        Type::Smallint => i16::try_from(number).ok()?.to_be_bytes().to_vec(),
        Type::Int => i32::try_from(number).ok()?.to_be_bytes().to_vec(),
        Type::Bigint => i64::try_from(number).ok()?.to_be_bytes().to_vec(),
        Type::Varint | Type::Decimal => kind.read_field(&number.to_string()).ok()?,
        _ => return None,
    })
}

fn integer(array: &dyn Array, row: usize) -> Option<i128> {
    fn of<T: ArrowPrimitiveType>(array: &dyn Array, row: usize) -> Option<i128>
    where
        T::Native: Into<i128>,
    {
        Some(array.as_primitive::<T>().value(row).into())
    }
    match array.data_type() {
        DataType::Int8 => of::<Int8Type>(array, row),
        DataType::Int16 => of::<Int16Type>(array, row),
        DataType::Int32 => of::<Int32Type>(array, row),
        DataType::Int64 => of::<Int64Type>(array, row),
        DataType::UInt8 => of::<UInt8Type>(array, row),
        DataType::UInt16 => of::<UInt16Type>(array, row),
        DataType::UInt32 => of::<UInt32Type>(array, row),
        DataType::UInt64 => of::<UInt64Type>(array, row),
        _ => None,
    }
}

/// Nanoseconds since 1970.
fn stamp(array: &dyn Array, unit: TimeUnit, row: usize) -> i128 {
    let (number, nanos) = match unit {
        TimeUnit::Second => (array.as_primitive::<TimestampSecondType>().value(row), 1_000_000_000),
        TimeUnit::Millisecond => {
            (array.as_primitive::<TimestampMillisecondType>().value(row), 1_000_000)
        }
        TimeUnit::Microsecond => {
            (array.as_primitive::<TimestampMicrosecondType>().value(row), 1000)
        }
        TimeUnit::Nanosecond => (array.as_primitive::<TimestampNanosecondType>().value(row), 1),
    };
    i128::from(number) * nanos
}

/// Nanoseconds of the day.
fn time(array: &dyn Array, row: usize) -> i64 {
    match array.data_type() {
        DataType::Time32(TimeUnit::Second) => {
            i64::from(array.as_primitive::<Time32SecondType>().value(row)) * 1_000_000_000
        }
        DataType::Time32(_) => {
            i64::from(array.as_primitive::<Time32MillisecondType>().value(row)) * 1_000_000
        }
        DataType::Time64(TimeUnit::Microsecond) => {
            array.as_primitive::<Time64MicrosecondType>().value(row).saturating_mul(1000)
        }
        _ => array.as_primitive::<Time64NanosecondType>().value(row),
    }
}

fn part(kind: &Type, array: &dyn Array, row: usize) -> Result<Option<Vec<u8>>, String> {
    Ok(value_of(kind, array, row)?.map(Cow::into_owned))
}

fn list(kind: &Type, values: &dyn Array) -> Result<Vec<u8>, String> {
    let element = match kind {
        Type::List { element, .. } | Type::Set { element, .. } | Type::Vector { element, .. } => {
            element
        }
        _ => return Err(format!("wanted {}, got a list", kind.cql())),
    };
    let parts: Parts =
        (0..values.len()).map(|row| part(element, values, row)).collect::<Result<_, _>>()?;
    kind.value_of_parts(parts)
}

fn map(kind: &Type, entries: &StructArray) -> Result<Vec<u8>, String> {
    let Type::Map { key, value, .. } = kind else {
        return Err(format!("wanted {}, got a map", kind.cql()));
    };
    let mut parts = Parts::new();
    for row in 0..entries.len() {
        parts.push(part(key, &**entries.column(0), row)?);
        parts.push(part(value, &**entries.column(1), row)?);
    }
    kind.value_of_parts(parts)
}

/// Fields of user types by their names, of tuples by their order.
fn fields(kind: &Type, array: &StructArray, row: usize) -> Result<Vec<u8>, String> {
    let kinds = fields_of(kind);
    if kinds.is_empty() {
        return Err(format!("wanted {}, got a struct", kind.cql()));
    }
    let mut parts: Parts = vec![None; kinds.len()];
    for (at, field) in array.fields().iter().enumerate() {
        let by_name = kinds.iter().position(|(name, _)| name == field.name());
        let place = match kind {
            Type::User(_) => by_name,
            _ => Some(at).filter(|at| *at < kinds.len()),
        };
        let place = place.ok_or_else(|| format!("{} has no field {}", kind.cql(), field.name()))?;
        parts[place] = part(kinds[place].1, &**array.column(at), row)?;
    }
    kind.value_of_parts(parts)
}

#[cfg(test)]
mod tests {
    use arrow_array::ArrayRef;
    use arrow_schema::ArrowError;

    use super::*;
    use crate::answer::{Column, Field, Words, array, schema};
    use crate::rows::typed::{field_of, push, text_field_of};

    fn built(kind: &Type, field: &Field, values: &[Option<&[u8]>]) -> Result<ArrayRef, ArrowError> {
        let mut column = Column::new(field.kind.clone());
        values.iter().for_each(|value| push(&mut column, kind, *value));
        let schema = schema(std::slice::from_ref(field), Words::AsTexts);
        array(column, schema.field(0).data_type())
    }

    /// What is built is read back.
    #[test]
    fn values_come_back_from_their_columns() {
        let check = |class: &str, literals: &[&str]| {
            let kind = Type::parse(class).expect(class);
            let values: Vec<_> =
                literals.iter().map(|it| kind.read_literal(it).expect(it)).collect();
            let own: Vec<Option<&[u8]>> = values.iter().map(Option::as_deref).collect();
            let array = built(&kind, &field_of("v", &kind, ""), &own).expect(class);
            assert_eq!(array.len(), values.len());
            for (row, value) in values.iter().enumerate() {
                let back = value_of(&kind, &*array, row).expect(class);
                assert_eq!(back.as_deref(), value.as_deref(), "{class} {}", literals[row]);
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

    #[test]
    fn a_type_takes_no_more_memory_than_its_values() {
        let element = Box::new(Type::Int);
        let kind = Type::Vector { element, count: i32::MAX as u32 };
        let array = built(&kind, &field_of("v", &kind, ""), &[None, Some(&[0; 8])]).unwrap();
        assert_eq!((array.len(), array.as_list::<i32>().values().len() <= 2), (2, true));
    }

    #[test]
    fn a_key_of_no_bytes_is_named_or_written_as_text() {
        // One entry: a key of no bytes, and "a".
        let value = [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, b'a'];
        let (key, of_value) = (Box::new(Type::Int), Box::new(Type::Text));
        let kind = Type::Map { key, value: of_value, is_frozen: true };
        let error = built(&kind, &field_of("m", &kind, ""), &[Some(&value)]).unwrap_err();
        assert!(error.to_string().contains("a map has a key of no bytes"), "{error}");
        let array = built(&kind, &text_field_of("m", &kind, ""), &[Some(&value)]).unwrap();
        assert_eq!(array.as_string::<i32>().value(0), "{'': 'a'}");
    }
}
