//! Records as a table of Arrow or Parquet.
//!
//! Callers: sheet

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, Schema, SchemaRef};
use manicule_rows::Type;

use super::sheet::Record;
use crate::rows::arrow::{Building, field_of};
use crate::rows::error::Error;
use crate::tables::{TableFile, TableFormat};

/// Number of rows, and of bytes of their values, from which on they are handed to the file.
const BATCH_ROWS: usize = 8192;
const BATCH_LEN: usize = 4 << 20;

/// A table that is being written.
pub(in crate::rows) struct Table<'t> {
    schema: SchemaRef,
    columns: Vec<Building<'t>>,
    /// Rows that wait, and the bytes of their values.
    row_count: usize,
    len: usize,
    file: TableFile,
    written: Vec<u8>,
}

impl<'t> Table<'t> {
    pub(super) fn new(format: TableFormat, columns: &[(String, &'t Type)]) -> Result<Self, Error> {
        let fields: Vec<_> = columns.iter().map(|(name, kind)| field_of(name, kind)).collect();
        let schema = Arc::new(Schema::new(fields));
        let kinds = columns.iter().zip(schema.fields());
        let columns =
            kinds.map(|((_, kind), field)| Building::new(kind, field.data_type())).collect();
        let file = TableFile::begin(format, &schema)?;
        Ok(Table { schema, columns, row_count: 0, len: 0, file, written: Vec::new() })
    }

    pub(super) fn add<E: From<Error>>(
        &mut self,
        record: &dyn Record,
        take: &mut impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut columns = self.columns.iter_mut();
        let len = &mut self.len;
        record.each_field(&mut |(_, _, value)| {
            let Some(column) = columns.next() else { return };
            *len += value.as_ref().map_or(0, |value| value.len());
            column.push(value.as_deref());
        });
        self.row_count += 1;
        if self.row_count < BATCH_ROWS && self.len < BATCH_LEN {
            return Ok(());
        }
        self.put_batch()?;
        self.hand_out(take)
    }

    /// Hands the rows that wait to the file.
    fn put_batch(&mut self) -> Result<(), Error> {
        let arrays: Result<Vec<ArrayRef>, ArrowError> =
            self.columns.iter_mut().map(Building::finish).collect();
        let batch = arrays.and_then(|arrays| RecordBatch::try_new(self.schema.clone(), arrays));
        self.file.write(&batch.map_err(crate::tables::TableError::from)?, &mut self.written)?;
        (self.row_count, self.len) = (0, 0);
        Ok(())
    }

    fn hand_out<E>(&mut self, take: &mut impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        if !self.written.is_empty() {
            take(&self.written)?;
            self.written.clear();
        }
        Ok(())
    }

    pub(super) fn end<E: From<Error>>(
        mut self,
        take: &mut impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.row_count > 0 {
            self.put_batch()?;
        }
        self.hand_out(take)?;
        let mut rest = Vec::new();
        self.file.end(&mut rest).map_err(Error::from)?;
        take(&rest)
    }
}
