//! Columns as SQL has them: a UUID is a text of 36 characters, so that it is compared and joined
//! with texts. All else is as the table has it.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayData, ArrayRef, AsArray, RecordBatch, StringArray};
use datafusion::arrow::array::{RecordBatchOptions, make_array};
use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Schema, SchemaRef};
use datafusion::arrow::error::ArrowError;

/// Length of a UUID; nothing else is of a fixed length.
const UUID: DataType = DataType::FixedSizeBinary(16);
/// The name by which other programs know UUIDs, which texts don't have.
const EXTENSION: &str = "ARROW:extension:name";

/// A table's schema as SQL has it.
pub(crate) fn schema(of: &Schema) -> SchemaRef {
    let fields = of.fields().iter().map(field);
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

fn field(of: &FieldRef) -> FieldRef {
    let data_type = data_type(of.data_type());
    if data_type == *of.data_type() {
        return Arc::clone(of);
    }
    let mut notes = of.metadata().clone();
    notes.remove(EXTENSION);
    let own = Field::new(of.name(), data_type, of.is_nullable());
    Arc::new(own.with_metadata(notes))
}

fn data_type(of: &DataType) -> DataType {
    match of {
        DataType::FixedSizeBinary(_) => DataType::Utf8,
        DataType::List(item) => DataType::List(field(item)),
        DataType::FixedSizeList(item, count) => DataType::FixedSizeList(field(item), *count),
        DataType::Map(pair, is_sorted) => DataType::Map(field(pair), *is_sorted),
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(field).collect()),
        other => other.clone(),
    }
}

/// Rows of a table as SQL has them.
pub(crate) fn batch(of: RecordBatch, schema: &SchemaRef) -> Result<RecordBatch, ArrowError> {
    if of.schema_ref() == schema {
        return Ok(of);
    }
    let options = RecordBatchOptions::new().with_row_count(Some(of.num_rows()));
    let columns = of.columns().iter().zip(schema.fields());
    let columns = columns.map(|(column, field)| array(column, field.data_type()));
    let columns = columns.collect::<Result<_, _>>()?;
    RecordBatch::try_new_with_options(Arc::clone(schema), columns, &options)
}

fn array(of: &ArrayRef, data_type: &DataType) -> Result<ArrayRef, ArrowError> {
    if of.data_type() == data_type {
        return Ok(Arc::clone(of));
    }
    dressed(of.to_data(), data_type).map(make_array)
}

fn dressed(of: ArrayData, data_type: &DataType) -> Result<ArrayData, ArrowError> {
    if of.data_type() == data_type {
        return Ok(of);
    }
    if *of.data_type() == UUID {
        let array = make_array(of);
        let uuids = array.as_fixed_size_binary();
        let texts = uuids.iter().map(|uuid| uuid.map(text));
        return Ok(StringArray::from_iter(texts).into_data());
    }
    let parts: Vec<&DataType> = match data_type {
        DataType::List(item) | DataType::FixedSizeList(item, _) | DataType::Map(item, _) => {
            vec![item.data_type()]
        }
        DataType::Struct(fields) => fields.iter().map(|field| field.data_type()).collect(),
        other => unreachable!("{other} has no UUIDs"),
    };
    let children = of.child_data().iter().cloned().zip(parts);
    let children = children.map(|(child, part)| dressed(child, part)).collect::<Result<_, _>>()?;
    of.into_builder().data_type(data_type.clone()).child_data(children).build()
}

fn text(uuid: &[u8]) -> String {
    use std::fmt::Write as _;
    let mut text = String::with_capacity(36);
    for (at, byte) in uuid.iter().enumerate() {
        text.push_str(if matches!(at, 4 | 6 | 8 | 10) { "-" } else { "" });
        // A String takes everything.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::array::{FixedSizeBinaryArray, ListArray};
    use datafusion::arrow::buffer::OffsetBuffer;

    use super::*;

    #[test]
    fn uuids_become_texts_also_in_lists() {
        let bytes = [[0x12; 16], [0xab; 16]];
        let rows = [Some(&bytes[0][..]), None, Some(&bytes[1][..])];
        let uuids: ArrayRef = Arc::new(
            FixedSizeBinaryArray::try_from_sparse_iter_with_size(rows.into_iter(), 16).unwrap(),
        );
        let item = Arc::new(Field::new("item", UUID, true));
        let offsets = OffsetBuffer::from_lengths([2, 0, 1]);
        let lists: ArrayRef =
            Arc::new(ListArray::new(Arc::clone(&item), offsets, Arc::clone(&uuids), None));
        let fields = [
            Field::new("id", UUID, true)
                .with_metadata([(EXTENSION.to_owned(), "arrow.uuid".to_owned())].into()),
            Field::new("ids", DataType::List(item), true),
        ];
        let plain = Arc::new(Schema::new(fields.to_vec()));
        let own = schema(&plain);
        let batch = batch(RecordBatch::try_new(plain, vec![uuids, lists]).unwrap(), &own).unwrap();
        assert_eq!(own.field(0), &Field::new("id", DataType::Utf8, true));
        let texts = batch.column(0).as_string::<i32>();
        let first = "12121212-1212-1212-1212-121212121212";
        assert_eq!(
            texts.iter().map(|text| text.is_some()).collect::<Vec<_>>(),
            [true, false, true]
        );
        assert_eq!(texts.value(0), first);
        let lists = batch.column(1).as_list::<i32>();
        assert_eq!(lists.value(0).as_string::<i32>().value(0), first);
        assert_eq!((lists.value(0).len(), lists.value(1).len()), (2, 0));
    }
}
