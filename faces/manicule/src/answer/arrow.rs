//! Columns as arrays of Arrow, in the memory in which they lie; an answer as a reader of record
//! batches.

use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, DictionaryArray, Float64Array, Int64Array, ListArray,
    MapArray, RecordBatch, RecordBatchOptions, RecordBatchReader, StringArray, StructArray,
    TimestampMicrosecondArray, TimestampMillisecondArray,
};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{
    ArrowError, DataType, Field as ArrowField, Fields, Schema, SchemaRef, TimeUnit,
};

use super::column::{Batch, Column, Values};
use super::field::{Field, Kind};
use super::produce::Answer;
use super::texts::{Bits, Texts};

/// Zone of all times.
const ZONE: &str = "UTC";

/// What words become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Words {
    AsDictionaries,
    AsTexts,
}

/// The columns of an answer as Arrow has them.
pub(super) fn schema(fields: &[Field], words: Words) -> SchemaRef {
    Arc::new(Schema::new(fields.iter().map(|field| field_of(field, words)).collect::<Vec<_>>()))
}

fn field_of(field: &Field, words: Words) -> ArrowField {
    ArrowField::new(field.name.as_ref(), data_type(field.kind, words), field.may_be_null)
}

fn data_type(kind: Kind, words: Words) -> DataType {
    match kind {
        Kind::Boolean => DataType::Boolean,
        Kind::Int => DataType::Int64,
        Kind::Float => DataType::Float64,
        Kind::Word if words == Words::AsDictionaries => {
            DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8))
        }
        Kind::Text | Kind::Word => DataType::Utf8,
        Kind::Bytes => DataType::Binary,
        Kind::Millis => DataType::Timestamp(TimeUnit::Millisecond, Some(ZONE.into())),
        Kind::Micros => DataType::Timestamp(TimeUnit::Microsecond, Some(ZONE.into())),
        Kind::List(item) => {
            DataType::List(Arc::new(ArrowField::new("item", data_type(*item, words), true)))
        }
        Kind::Map => {
            let entries = DataType::Struct(entries());
            DataType::Map(Arc::new(ArrowField::new("entries", entries, false)), false)
        }
        Kind::Struct(fields) => {
            DataType::Struct(fields.iter().map(|field| field_of(field, words)).collect())
        }
    }
}

fn entries() -> Fields {
    Fields::from(vec![
        ArrowField::new("key", DataType::Utf8, false),
        ArrowField::new("value", DataType::Utf8, true),
    ])
}

/// A batch with the columns of a schema.
pub(super) fn record_batch(batch: Batch, schema: &SchemaRef) -> Result<RecordBatch, ArrowError> {
    let columns = batch.columns.into_iter().zip(schema.fields());
    let arrays = columns.map(|(column, field)| array(column, field.data_type()));
    let arrays = arrays.collect::<Result<Vec<_>, _>>()?;
    let options = RecordBatchOptions::new().with_row_count(Some(batch.row_count));
    RecordBatch::try_new_with_options(schema.clone(), arrays, &options)
}

fn array(column: Column, data_type: &DataType) -> Result<ArrayRef, ArrowError> {
    let nulls = column.present.map(|present| NullBuffer::new(buffer(present)));
    Ok(match (column.values, data_type) {
        (Values::Bits(bits), _) => Arc::new(BooleanArray::new(buffer(bits), nulls)),
        (Values::Ints(ints), DataType::Timestamp(TimeUnit::Millisecond, zone)) => {
            let array = TimestampMillisecondArray::new(ints.into(), nulls);
            Arc::new(array.with_timezone_opt(zone.clone()))
        }
        (Values::Ints(ints), DataType::Timestamp(_, zone)) => {
            let array = TimestampMicrosecondArray::new(ints.into(), nulls);
            Arc::new(array.with_timezone_opt(zone.clone()))
        }
        (Values::Ints(ints), _) => Arc::new(Int64Array::new(ints.into(), nulls)),
        (Values::Floats(floats), _) => Arc::new(Float64Array::new(floats.into(), nulls)),
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
        (Values::Maps(ends, keys, values), DataType::Map(field, _)) => {
            let pairs: Vec<ArrayRef> =
                vec![Arc::new(strings(keys, None)?), Arc::new(strings(values, None)?)];
            let pairs = StructArray::try_new(entries(), pairs, None)?;
            Arc::new(MapArray::try_new(field.clone(), offsets(ends), pairs, nulls, false)?)
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
        Batches { schema: schema(self.fields(), Words::AsDictionaries), answer: self }
    }
}

impl Iterator for Batches {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        Some(match self.answer.next()? {
            Ok(batch) => record_batch(batch, &self.schema),
            Err(failure) => Err(ArrowError::ExternalError(Box::new(failure))),
        })
    }
}

impl RecordBatchReader for Batches {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}
