//! Rows of Parquet, batch after batch.

use std::fs::File;
use std::path::Path;

use manicule_core::watch::Meter;
use manicule_rows::RowsError;

use super::lines::{at_place, failed};
use super::slots::{Field, Slots, TakeFields};
use crate::rows::arrow::value_of;
use crate::rows::error::Error;
use crate::tables::ParquetRows;

/// Number of rows that are held.
const BATCH_LEN: usize = 1024;

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
    let batches = ParquetRows::open(path, file, BATCH_LEN).map_err(wrong(String::new()))?;
    let row_count = batches.row_count().max(1);
    let list = slots.list(batches.schema().fields().iter().map(|field| field.name().as_str()));
    let list = list.map_err(|error| at_place(path, "names".to_owned(), error))?;
    let (mut count, mut steps) = (0_u64, meter.steps());
    for batch in batches {
        let first = count + 1;
        let batch = batch.map_err(wrong(format!("row {first}")))?;
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
