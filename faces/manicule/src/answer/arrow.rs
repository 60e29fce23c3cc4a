//! Columns as arrays of Arrow, in the memory in which they lie; an answer as a reader of record
//! batches.

use std::collections::HashMap;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Int8Type, Int16Type, Int32Type, Int64Type,
    Time64NanosecondType, TimestampMicrosecondType, TimestampMillisecondType,
};
use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, Decimal128Array, DictionaryArray, FixedSizeBinaryArray,
    FixedSizeListArray, Float32Array, Float64Array, ListArray, MapArray, PrimitiveArray,
    RecordBatch, RecordBatchOptions, RecordBatchReader, StringArray, StructArray,
};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{
    ArrowError, DataType, Field as ArrowField, Fields, Schema, SchemaRef, TimeUnit,
};

use super::column::{Batch, Column, Values};
use super::field::{Field, Kind, UUID_LEN};
use super::produce::{Answer, Receipt};
use super::texts::{Bits, Texts};
use crate::failure::Failure;

/// Zone of all times.
const ZONE: &str = "UTC";

/// Digits of a decimal of 128 bits.
const DECIMAL_DIGITS: u8 = 38;

/// Note by which other programs know UUIDs.
const UUID_EXTENSION: (&str, &str) = ("ARROW:extension:name", "arrow.uuid");

/// What words become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Words {
    AsDictionaries,
    AsTexts,
}

/// The columns of an answer as Arrow has them.
pub(crate) fn schema(fields: &[Field], words: Words) -> SchemaRef {
    Arc::new(Schema::new(fields.iter().map(|field| field_of(field, words)).collect::<Vec<_>>()))
}

/// Columns as Arrow has them in the batches of an answer, words as dictionaries.
pub fn arrow_schema(fields: &[Field]) -> SchemaRef {
    schema(fields, Words::AsDictionaries)
}

fn field_of(field: &Field, words: Words) -> ArrowField {
    let data_type = data_type(&field.kind, words);
    let own = ArrowField::new(field.name.as_ref(), data_type, field.may_be_null);
    let mut notes = HashMap::new();
    if let Some((key, text)) = &field.note {
        notes.insert((*key).to_owned(), text.to_string());
    }
    if field.kind == Kind::Uuid {
        notes.insert(UUID_EXTENSION.0.to_owned(), UUID_EXTENSION.1.to_owned());
    }
    own.with_metadata(notes)
}

fn data_type(kind: &Kind, words: Words) -> DataType {
    match kind {
        Kind::Boolean => DataType::Boolean,
        Kind::Int8 => DataType::Int8,
        Kind::Int16 => DataType::Int16,
        Kind::Int32 => DataType::Int32,
        Kind::Int => DataType::Int64,
        Kind::Float32 => DataType::Float32,
        Kind::Float => DataType::Float64,
        Kind::Decimal(scale) => DataType::Decimal128(DECIMAL_DIGITS, scale.cast_signed()),
        Kind::Uuid => DataType::FixedSizeBinary(UUID_LEN as i32),
        Kind::Date => DataType::Date32,
        Kind::Time => DataType::Time64(TimeUnit::Nanosecond),
        Kind::Word if words == Words::AsDictionaries => {
            DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8))
        }
        Kind::Text | Kind::Word => DataType::Utf8,
        Kind::Bytes => DataType::Binary,
        Kind::Millis => DataType::Timestamp(TimeUnit::Millisecond, Some(ZONE.into())),
        Kind::Micros => DataType::Timestamp(TimeUnit::Microsecond, Some(ZONE.into())),
        Kind::LocalMicros => DataType::Timestamp(TimeUnit::Microsecond, None),
        Kind::List(item) => DataType::List(Arc::new(field_of(item, words))),
        Kind::FixedList(item, count) => {
            DataType::FixedSizeList(Arc::new(field_of(item, words)), *count)
        }
        Kind::Map(pair) => {
            let pair: Fields = pair.iter().map(|own| field_of(own, words)).collect();
            let entries = ArrowField::new("entries", DataType::Struct(pair), false);
            DataType::Map(Arc::new(entries), false)
        }
        Kind::Struct(fields) => {
            DataType::Struct(fields.iter().map(|field| field_of(field, words)).collect())
        }
    }
}

/// A batch with the columns of a schema.
pub(super) fn record_batch(batch: Batch, schema: &SchemaRef) -> Result<RecordBatch, ArrowError> {
    let columns = batch.columns.into_iter().zip(schema.fields());
    let arrays = columns.map(|(column, field)| {
        array(column, field.data_type()).map_err(|error| match error {
            ArrowError::InvalidArgumentError(why) => {
                ArrowError::InvalidArgumentError(format!("column {}: {why}", field.name()))
            }
            error => error,
        })
    });
    let arrays = arrays.collect::<Result<Vec<_>, _>>()?;
    let options = RecordBatchOptions::new().with_row_count(Some(batch.row_count));
    RecordBatch::try_new_with_options(schema.clone(), arrays, &options)
}

/// The values of a column as an array of the type that was made for it.
pub(crate) fn array(column: Column, data_type: &DataType) -> Result<ArrayRef, ArrowError> {
    let nulls = column.present.map(|present| NullBuffer::new(buffer(present)));
    Ok(match (column.values, data_type) {
        (Values::Bits(bits), _) => Arc::new(BooleanArray::new(buffer(bits), nulls)),
        (Values::Ints(ints), data_type) => integers(ints, nulls, data_type),
        (Values::Singles(floats), _) => Arc::new(Float32Array::new(floats.into(), nulls)),
        (Values::Floats(floats), _) => Arc::new(Float64Array::new(floats.into(), nulls)),
        (Values::Decimals(decimals), data_type) => {
            let array = Decimal128Array::new(decimals.into(), nulls);
            Arc::new(array.with_data_type(data_type.clone()))
        }
        (Values::Uuids(uuids), _) => {
            let bytes = Buffer::from_vec(uuids.into_flattened());
            Arc::new(FixedSizeBinaryArray::try_new(UUID_LEN as i32, bytes, nulls)?)
        }
        (Values::Texts(texts), DataType::Binary) => {
            let (ends, bytes) = buffers(texts);
            Arc::new(BinaryArray::try_new(ends, bytes, nulls)?)
        }
        (Values::Texts(texts), _) => Arc::new(strings(texts, nulls)?),
        (Values::Words(words), DataType::Utf8) => {
            let mut texts = Texts::default();
            let numbers = words.numbers.iter();
            numbers.for_each(|number| texts.push(words.words.get(*number as usize)));
            Arc::new(strings(texts, nulls)?)
        }
        (Values::Words(words), _) => {
            let numbers = arrow_array::Int32Array::new(words.numbers.into(), nulls);
            let words = Arc::new(strings(words.words, None)?);
            Arc::new(DictionaryArray::<Int32Type>::try_new(numbers, words)?)
        }
        (Values::Lists(ends, items), DataType::List(field)) => {
            let items = array(*items, field.data_type())?;
            Arc::new(ListArray::try_new(field.clone(), offsets(ends), items, nulls)?)
        }
        (Values::FixedLists(items, count), DataType::FixedSizeList(field, _)) => {
            let items = array(*items, field.data_type())?;
            let count = count as i32;
            Arc::new(FixedSizeListArray::try_new(field.clone(), count, items, nulls)?)
        }
        (Values::Maps(ends, pair), DataType::Map(field, _)) => {
            let DataType::Struct(fields) = field.data_type() else {
                unreachable!("a map has entries")
            };
            if (0..pair[0].len()).any(|at| !pair[0].is_present(at)) {
                let what = "a map has a key of no bytes, for which Arrow's maps have no place";
                return Err(ArrowError::InvalidArgumentError(what.to_owned()));
            }
            let pair = pair.into_iter().zip(fields);
            let pair = pair.map(|(own, field)| array(own, field.data_type()));
            let pair = StructArray::try_new(fields.clone(), pair.collect::<Result<_, _>>()?, None)?;
            Arc::new(MapArray::try_new(field.clone(), offsets(ends), pair, nulls, false)?)
        }
        (Values::Parts(parts), DataType::Struct(fields)) => {
            let parts = parts.into_iter().zip(fields);
            let parts = parts.map(|(part, field)| array(part, field.data_type()));
            let parts = parts.collect::<Result<Vec<_>, _>>()?;
            Arc::new(StructArray::try_new(fields.clone(), parts, nulls)?)
        }
        (values, data_type) => unreachable!("{data_type:?} was made for {values:?}"),
    })
}

/// Numbers and times of any width; each fits, as it was pushed from that width.
fn integers(ints: Vec<i64>, nulls: Option<NullBuffer>, data_type: &DataType) -> ArrayRef {
    fn of<T: ArrowPrimitiveType>(
        ints: Vec<T::Native>,
        nulls: Option<NullBuffer>,
        data_type: &DataType,
    ) -> ArrayRef {
        let array = PrimitiveArray::<T>::new(ints.into(), nulls);
        Arc::new(array.with_data_type(data_type.clone()))
    }
    fn narrow<N: TryFrom<i64>>(ints: Vec<i64>) -> Vec<N> {
        let fits = |int| N::try_from(int).ok().expect("a number of its column's width");
        ints.into_iter().map(fits).collect()
    }
    match data_type {
        DataType::Int8 => of::<Int8Type>(narrow(ints), nulls, data_type),
        DataType::Int16 => of::<Int16Type>(narrow(ints), nulls, data_type),
        DataType::Int32 => of::<Int32Type>(narrow(ints), nulls, data_type),
        DataType::Date32 => of::<Date32Type>(narrow(ints), nulls, data_type),
        DataType::Time64(_) => of::<Time64NanosecondType>(ints, nulls, data_type),
        DataType::Timestamp(TimeUnit::Millisecond, _) => {
            of::<TimestampMillisecondType>(ints, nulls, data_type)
        }
        DataType::Timestamp(..) => of::<TimestampMicrosecondType>(ints, nulls, data_type),
        _ => of::<Int64Type>(ints, nulls, data_type),
    }
}

fn strings(texts: Texts, nulls: Option<NullBuffer>) -> Result<StringArray, ArrowError> {
    let (ends, bytes) = buffers(texts);
    StringArray::try_new(ends, bytes, nulls)
}

fn buffers(texts: Texts) -> (OffsetBuffer<i32>, Buffer) {
    (offsets(texts.ends), Buffer::from_vec(texts.bytes))
}

/// Arrow's offsets: the ends behind a zero.
fn offsets(mut ends: Vec<i32>) -> OffsetBuffer<i32> {
    ends.insert(0, 0);
    OffsetBuffer::new(ScalarBuffer::from(ends))
}

fn buffer(bits: Bits) -> BooleanBuffer {
    BooleanBuffer::new(Buffer::from_vec(bits.bytes), 0, bits.len)
}

/// An answer as batches of Arrow; its error is Arrow's, with the failure in it.
pub struct Batches {
    answer: Answer,
    schema: SchemaRef,
}

impl Answer {
    /// The answer as a reader of Arrow's record batches, words as dictionaries.
    pub fn into_batches(self) -> Batches {
        Batches { schema: arrow_schema(self.fields()), answer: self }
    }
}

impl Batches {
    /// The next batch, if it comes within a time.
    pub fn next_within(&mut self, time: Duration) -> Poll<Option<<Self as Iterator>::Item>> {
        self.answer.next_within(time).map(|next| next.map(|batch| packed(batch, &self.schema)))
    }

    /// Counts of its work, once it has come to its end.
    pub fn receipt(&self) -> Option<&Receipt> {
        self.answer.receipt()
    }
}

impl Iterator for Batches {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        Some(packed(self.answer.next()?, &self.schema))
    }
}

fn packed(batch: Result<Batch, Failure>, schema: &SchemaRef) -> Result<RecordBatch, ArrowError> {
    let batch = batch.map_err(|failure| ArrowError::ExternalError(Box::new(failure)))?;
    record_batch(batch, schema)
}

impl RecordBatchReader for Batches {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}
