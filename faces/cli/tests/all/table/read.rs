//! Tables of other formats read back by their libraries, as the objects that JSON lines have.

use std::fs::File;
use std::io::Cursor;
use std::path::Path;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Float64Type, Int32Type, Int64Type, TimestampMicrosecondType, TimestampMillisecondType,
};
use arrow_array::{Array, RecordBatch};
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{DataType, TimeUnit};
use manicule::times::utc;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::{Map, Value as Json};

/// The rows of a file of Arrow or Parquet.
pub(super) fn rows_of(format: &str, path: &Path) -> Vec<Json> {
    let file = File::open(path).expect("a table");
    let batches: Vec<RecordBatch> = match format {
        "arrow" => {
            let reader = FileReader::try_new(file, None).expect("a file of Arrow");
            reader.map(|batch| batch.expect("a batch")).collect()
        }
        _ => {
            let reader = ParquetRecordBatchReaderBuilder::try_new(file).expect("Parquet");
            reader.build().expect("Parquet").map(|batch| batch.expect("a batch")).collect()
        }
    };
    batches.iter().flat_map(objects).collect()
}

/// The rows of a stream of Arrow.
pub(super) fn stream_rows(bytes: Vec<u8>) -> Vec<Json> {
    let stream = StreamReader::try_new(Cursor::new(bytes), None).expect("a stream");
    stream.flat_map(|batch| objects(&batch.expect("a batch"))).collect()
}

fn objects(batch: &RecordBatch) -> Vec<Json> {
    let row = |at: usize| {
        let columns = batch.schema_ref().fields().iter().zip(batch.columns());
        columns.map(|(field, column)| (field.name().clone(), value(column, at))).collect()
    };
    (0..batch.num_rows()).map(|at| Json::Object(row(at))).collect()
}

fn value(array: &dyn Array, at: usize) -> Json {
    if array.is_null(at) {
        return Json::Null;
    }
    let items =
        |items: &dyn Array| Json::Array((0..items.len()).map(|at| value(items, at)).collect());
    match array.data_type() {
        DataType::Boolean => array.as_boolean().value(at).into(),
        DataType::Int64 => array.as_primitive::<Int64Type>().value(at).into(),
        DataType::Float64 => match array.as_primitive::<Float64Type>().value(at) {
            float if float.is_finite() => float.into(),
            float if float.is_nan() => "NaN".into(),
            float => if float < 0.0 { "-Infinity" } else { "Infinity" }.into(),
        },
        DataType::Utf8 => array.as_string::<i32>().value(at).into(),
        DataType::Binary => {
            let bytes = array.as_binary::<i32>().value(at).iter();
            bytes.map(|byte| format!("{byte:02x}")).collect::<String>().into()
        }
        DataType::Dictionary(..) => {
            let words = array.as_dictionary::<Int32Type>();
            value(words.values(), words.keys().value(at) as usize)
        }
        DataType::Timestamp(TimeUnit::Millisecond, Some(zone)) if **zone == *"UTC" => {
            utc(array.as_primitive::<TimestampMillisecondType>().value(at)).into()
        }
        DataType::Timestamp(TimeUnit::Microsecond, Some(zone)) if **zone == *"UTC" => {
            micros(array.as_primitive::<TimestampMicrosecondType>().value(at)).into()
        }
        DataType::List(_) => items(&array.as_list::<i32>().value(at)),
        DataType::Map(..) => {
            let pairs = array.as_map().value(at);
            let [keys, values] = [0, 1].map(|column| pairs.column(column).as_string::<i32>());
            let pairs = keys.iter().zip(values).map(|(key, value)| {
                (key.expect("a key").to_owned(), Json::from(value.expect("a value")))
            });
            Json::Object(pairs.collect())
        }
        DataType::Struct(fields) => {
            let parts = array.as_struct().columns();
            let parts = fields.iter().zip(parts);
            let parts = parts.map(|(field, part)| (field.name().clone(), value(part, at)));
            Json::Object(parts.collect::<Map<_, _>>())
        }
        other => panic!("no table has {other}"),
    }
}

/// Microseconds as RFC 3339: no digits behind the second where they are zeros.
fn micros(time: i64) -> String {
    let seconds = utc(time.div_euclid(1_000_000) * 1000);
    let rest = format!("{:06}", time.rem_euclid(1_000_000));
    match rest.trim_end_matches('0') {
        "" => seconds,
        digits => format!("{}.{digits}Z", seconds.trim_end_matches('Z')),
    }
}

/// The rows of a text of CSV, each value in the type that it has in `like`.
pub(super) fn csv_rows(bytes: &[u8], like: &[Json]) -> Vec<Json> {
    let text = str::from_utf8(bytes).expect("UTF-8");
    let mut records = records(text).into_iter();
    let names: Vec<String> = records.next().expect("names").into_iter().flatten().collect();
    let typed = |text: Option<String>, like: &Json| match (text, like) {
        (None, _) => Json::Null,
        (Some(text), Json::String(_)) => text.into(),
        (Some(text), _) => serde_json::from_str(&text).unwrap_or_else(|_| text.into()),
    };
    let row = |(record, like): (Vec<Option<String>>, &Json)| {
        let fields = names.iter().zip(record);
        Json::Object(fields.map(|(name, text)| (name.clone(), typed(text, &like[name]))).collect())
    };
    records.zip(like).map(row).collect()
}

/// Records of CSV; nothing is no value, quotes around nothing are an empty text.
fn records(text: &str) -> Vec<Vec<Option<String>>> {
    let (mut records, mut record, mut field) = (Vec::new(), Vec::new(), None::<String>);
    let (mut chars, mut is_quoted) = (text.chars().peekable(), false);
    while let Some(char) = chars.next() {
        match char {
            '"' if is_quoted && chars.next_if_eq(&'"').is_some() => {
                field.get_or_insert_default().push('"')
            }
            '"' => {
                is_quoted = !is_quoted;
                field.get_or_insert_default();
            }
            ',' if !is_quoted => record.push(field.take()),
            '\n' if !is_quoted => {
                record.push(field.take());
                records.push(std::mem::take(&mut record));
            }
            char => field.get_or_insert_default().push(char),
        }
    }
    records
}
