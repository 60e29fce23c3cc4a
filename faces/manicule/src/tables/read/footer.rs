//! Checks of a Parquet file's metadata, before and after the library decodes it.
//!
//! Bytes:   | .. | metadata, Thrift | 4 len, little-endian | PAR1 |
//!
//! Before, as it decodes a schema by recursion and makes space for as many children as a group says
//! it has. After, as it takes the rest for right.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use arrow_schema::{DataType, Schema};
use parquet::file::metadata::ParquetMetaData;
use parquet::schema::types::SchemaDescriptor;

use super::thrift::{Compact, Field, kind};

/// Length in bytes of the footer's end.
const TAIL_LEN: u64 = 8;
/// Maximum depth of columns in columns. A list takes two, and no table of ours is a fifth as deep.
const DEPTH_MAX: usize = 100;
/// Maximum length in bytes of a value of fixed length, a list of such included: the library makes
/// space for a batch of them, nulls too.
/// The longest vector that CQL has takes an eighth of it.
const FIXED_LEN_MAX: u64 = 256 << 10;

/// Refuses a schema that is too deep, or has a group of more children than there are elements.
pub(super) fn check_schema(mut file: &File, file_len: u64) -> Result<(), String> {
    let failed = |error: std::io::Error| error.to_string();
    // What is no footer at all is refused by the library.
    let Some(tail) = file_len.checked_sub(TAIL_LEN) else { return Ok(()) };
    let mut bytes = [0; TAIL_LEN as usize];
    file.seek(SeekFrom::Start(tail)).map_err(failed)?;
    file.read_exact(&mut bytes).map_err(failed)?;
    let len = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    let Some(start) = tail.checked_sub(len.into()).filter(|_| bytes.ends_with(b"PAR1")) else {
        return Ok(());
    };
    file.seek(SeekFrom::Start(start)).map_err(failed)?;
    let mut metadata = Vec::new();
    file.take(len.into()).read_to_end(&mut metadata).map_err(failed)?;
    let checked = Compact::new(&metadata[..]).each_field(|values, field| match field {
        Field { id: 2, kind: kind::LIST } => elements(values),
        Field { id: 2, .. } => Err("it is no list".to_owned()),
        _ => values.skip(field.kind),
    });
    checked.map_err(|why| format!("its schema: {why}"))
}

/// The elements of a schema, depth first, each with the number of its children.
fn elements(values: &mut Compact<&[u8]>) -> Result<(), String> {
    let (kind, count) = values.list()?;
    if kind != kind::STRUCT && count > 0 {
        return Err("its elements are no structs".to_owned());
    }
    // Numbers of children that are yet to come, of each group that the place is in.
    let mut groups: Vec<u64> = Vec::new();
    for number in 0..count {
        let child_count = element(values)?;
        while groups.last() == Some(&0) {
            groups.pop();
        }
        if let Some(left) = groups.last_mut() {
            *left -= 1;
        }
        if child_count > count - number - 1 {
            return Err(format!("a group of {child_count} columns, and {count} are all there are"));
        }
        groups.extend(Some(child_count).filter(|count| *count > 0));
        if groups.len() > DEPTH_MAX {
            return Err(format!("columns in columns, more than {DEPTH_MAX} deep"));
        }
    }
    Ok(())
}

/// The number of an element's children.
fn element(values: &mut Compact<&[u8]>) -> Result<u64, String> {
    let mut child_count = 0;
    values.each_field(|values, Field { id, kind }| match (id, kind) {
        (5, kind::I32) => {
            // As the library does, which takes the lower 32 bits.
            let count = values.int()? as i32;
            child_count =
                u64::try_from(count).map_err(|_| format!("a group of {count} columns"))?;
            Ok(())
        }
        (1..=3 | 6..=9, kind::I32) | (4, kind::BINARY) | (10, kind::STRUCT) | (11.., _) => {
            values.skip(kind)
        }
        _ => Err(format!("field {id} of an element is of the kind {kind}")),
    })?;
    Ok(child_count)
}

/// Refuses column chunks that lie outside of the file: the library takes them for right.
pub(super) fn check_chunks(metadata: &ParquetMetaData, file_len: u64) -> Result<(), String> {
    for (number, group) in metadata.row_groups().iter().enumerate() {
        for column in group.columns() {
            let start = column.dictionary_page_offset().unwrap_or(column.data_page_offset());
            let len = column.compressed_size();
            let numbers = [start, column.data_page_offset(), len, column.uncompressed_size()];
            let is_within = u64::try_from(start)
                .ok()
                .zip(u64::try_from(len).ok())
                .and_then(|(start, len)| start.checked_add(len))
                .is_some_and(|end| end <= file_len);
            if !is_within || numbers.iter().any(|number| *number < 0) || column.num_values() < 0 {
                let path = column.column_path();
                return Err(format!(
                    "column {path} of row group {number}: wanted bytes of the file, which has {file_len}, got {len} at {start}"
                ));
            }
        }
        if group.num_rows() < 0 {
            return Err(format!("row group {number} has {} rows", group.num_rows()));
        }
    }
    Ok(())
}

/// Refuses columns of fixed length that are too long.
pub(super) fn check_lens(columns: &SchemaDescriptor, schema: &Schema) -> Result<(), String> {
    let mut lens = vec![1; schema.fields().len()];
    for (number, column) in columns.columns().iter().enumerate() {
        if let Some(len) = lens.get_mut(columns.get_column_root_idx(number)) {
            *len = u64::try_from(column.type_length()).unwrap_or(0).max(*len);
        }
    }
    for (field, len) in schema.fields().iter().zip(lens) {
        let len = list_len(field.data_type()).saturating_mul(len);
        if len > FIXED_LEN_MAX {
            let name = field.name();
            return Err(format!(
                "column {name:?}: values of {len} bytes each, and {FIXED_LEN_MAX} are the most"
            ));
        }
    }
    Ok(())
}

/// Length in values of the longest list of fixed length, those in it included.
fn list_len(kind: &DataType) -> u64 {
    match kind {
        DataType::FixedSizeList(of, len) => {
            u64::try_from(*len).unwrap_or(0).max(1).saturating_mul(list_len(of.data_type()))
        }
        DataType::List(of)
        | DataType::LargeList(of)
        | DataType::ListView(of)
        | DataType::LargeListView(of)
        | DataType::Map(of, _)
        | DataType::RunEndEncoded(_, of) => list_len(of.data_type()),
        DataType::Dictionary(_, of) => list_len(of),
        DataType::Struct(of) => of.iter().map(|of| list_len(of.data_type())).max().unwrap_or(1),
        _ => 1,
    }
}
