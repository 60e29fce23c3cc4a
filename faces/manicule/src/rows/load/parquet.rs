//! Rows of Parquet, batch after batch.
//!
//! Trap: the library ends the program at some pages that contradict themselves; nothing is written then.
//!
//! Callers: load

use std::fs::File;
use std::path::Path;

use manicule_core::watch::Meter;
use manicule_rows::RowsError;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::metadata::ParquetMetaData;

use super::slots::{Field, Slots, TakeFields};
use super::{at_place, failed};
use crate::rows::arrow::value_of;
use crate::rows::error::Error;

/// Number of rows that are held.
const BATCH_LEN: usize = 1024;

/// Refuses a file whose column chunks lie outside of it: the library takes them for right, and ends the program where they aren't.
fn check(metadata: &ParquetMetaData, file_len: u64) -> Result<(), String> {
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

/// Reads the rows of a file.
pub(super) fn read(
    path: &Path,
    slots: &Slots,
    meter: &Meter<'_>,
    take: TakeFields<'_>,
) -> Result<(), Error> {
    let file = File::open(path).map_err(|source| failed(path, source))?;
    let len = file.metadata().map_or(0, |it| it.len());
    let wrong =
        |place: String| move |why: String| at_place(path, place, RowsError::Unwritable { why });
    let builder = ParquetRecordBatchReaderBuilder::try_new(file);
    let builder = builder.map_err(|error| wrong(String::new())(error.to_string()))?;
    check(builder.metadata(), len).map_err(wrong(String::new()))?;
    let row_count = builder.metadata().file_metadata().num_rows().max(1) as u64;
    let list: Result<Vec<_>, _> =
        builder.schema().fields().iter().map(|field| slots.slot(field.name())).collect();
    let list = list.map_err(|error| at_place(path, "names".to_owned(), error))?;
    let batches = builder.with_batch_size(BATCH_LEN).build();
    let batches = batches.map_err(|error| wrong(String::new())(error.to_string()))?;
    let (mut count, mut steps) = (0_u64, meter.steps());
    for batch in batches {
        let first = count + 1;
        let batch = batch.map_err(|error| wrong(format!("row {first}"))(error.to_string()))?;
        for row in 0..batch.num_rows() {
            count += 1;
            let mut fields = slots.fields();
            let mut read = || -> Result<(), RowsError> {
                for (slot, array) in list.iter().zip(batch.columns()) {
                    let Some(slot) = *slot else { continue };
                    let value = value_of(slots.kind(slot), &**array, row);
                    let value = value.map_err(|why| slots.wrong(slot, why))?;
                    fields[slot] = value.map_or(Field::Null, Field::Value);
                }
                take(&fields)
            };
            read().map_err(|error| at_place(path, format!("row {count}"), error))?;
        }
        let read =
            |count: u64| (u128::from(len) * u128::from(count) / u128::from(row_count)) as u64;
        steps.add(read(count).saturating_sub(read(first - 1)))?;
    }
    Ok(())
}
