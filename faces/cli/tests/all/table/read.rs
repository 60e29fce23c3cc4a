//! Tables of other formats read back by their libraries, as the objects that JSON lines have.

use std::fs::File;
use std::io::Cursor;
use std::path::Path;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, Time64NanosecondType, TimestampMicrosecondType, TimestampMillisecondType,
};
use arrow_array::{Array, RecordBatch};
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{DataType, TimeUnit};
use manicule::times::utc;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::{Map, Value as Json};

/// The rows of a file of Arrow or Parquet.
pub(crate) fn rows_of(format: &str, path: &Path) -> Vec<Json> {
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
        DataType::Int8 => array.as_primitive::<Int8Type>().value(at).into(),
        DataType::Int16 => array.as_primitive::<Int16Type>().value(at).into(),
        DataType::Int32 => array.as_primitive::<Int32Type>().value(at).into(),
        DataType::Int64 => array.as_primitive::<Int64Type>().value(at).into(),
        // The shortest digits of its own width.
        DataType::Float32 => {
            let single = array.as_primitive::<Float32Type>().value(at);
            float(single.to_string().parse().expect("digits"))
        }
        DataType::Float64 => float(array.as_primitive::<Float64Type>().value(at)),
        DataType::Decimal128(..) => {
            array.as_primitive::<Decimal128Type>().value_as_string(at).into()
        }
        DataType::Date32 => {
            let days = array.as_primitive::<Date32Type>().value(at);
            let text = utc(i64::from(days) * 86_400_000);
            let date = text.strip_suffix("T00:00:00Z");
            date.map_or_else(|| days.to_string(), str::to_owned).into()
        }
        DataType::Time64(TimeUnit::Nanosecond) => {
            let nanos = array.as_primitive::<Time64NanosecondType>().value(at);
            let text = utc(nanos / 1_000_000_000 * 1000);
            let clock = &text["1970-01-01T".len()..text.len() - 1];
            let fraction = format!(".{:09}", nanos % 1_000_000_000);
            format!("{clock}{}", fraction.trim_end_matches('0').trim_end_matches('.')).into()
        }
        DataType::Utf8 => array.as_string::<i32>().value(at).into(),
        DataType::Binary => hex(array.as_binary::<i32>().value(at)).into(),
        DataType::FixedSizeBinary(16) => {
            let hex: String = hex(array.as_fixed_size_binary().value(at));
            let parts = [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]];
            parts.join("-").into()
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
        DataType::Timestamp(TimeUnit::Microsecond, None) => {
            let text = micros(array.as_primitive::<TimestampMicrosecondType>().value(at));
            text.trim_end_matches('Z').into()
        }
        DataType::List(_) => items(&array.as_list::<i32>().value(at)),
        DataType::FixedSizeList(..) => items(&array.as_fixed_size_list().value(at)),
        DataType::Map(..) => {
            let pairs = array.as_map().value(at);
            let pair = |at: usize| {
                let key = match value(pairs.column(0), at) {
                    Json::String(key) => key,
                    key => key.to_string(),
                };
                (key, value(pairs.column(1), at))
            };
            Json::Object((0..pairs.len()).map(pair).collect())
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

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn float(float: f64) -> Json {
    match float {
        _ if float.is_finite() => float.into(),
        _ if float.is_nan() => "NaN".into(),
        _ => if float < 0.0 { "-Infinity" } else { "Infinity" }.into(),
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
