//! Records as a table of Arrow or Parquet.

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, SchemaRef};
use manicule_rows::{RowsError, Type};

use super::record::Record;
use crate::answer::{Column, Field, Words, array, schema};
use crate::rows::error::Error;
use crate::rows::typed::{check_parts, field_of, push, text_field_of};
use crate::tables::{TableError, TableFile, TableFormat};

/// Number of rows, and of bytes of their values, from which on they are handed to the file.
const BATCH_ROWS: usize = 8192;
const BATCH_LEN: usize = 4 << 20;

/// A table that is being written.
pub(in crate::rows) struct Table<'t> {
    schema: SchemaRef,
    columns: Vec<(Column, &'t Type)>,
    fields: Vec<Field>,
    /// Rows that wait, and the bytes of their values.
    row_count: usize,
    len: usize,
    file: TableFile,
    written: Vec<u8>,
}

impl<'t> Table<'t> {
    /// Begins a table; `as_text` are columns whose values are written as CQL has them.
    pub(super) fn new(
        format: TableFormat,
        columns: &[(String, &'t Type)],
        as_text: &[String],
    ) -> Result<Self, Error> {
        if let Some(other) = as_text.iter().find(|name| columns.iter().all(|it| it.0 != **name)) {
            return Err(unwritable(other, "the table has no such column"));
        }
        let field = |(name, kind): &(String, &Type)| {
            if as_text.contains(name) {
                return Ok(text_field_of(name, kind, ""));
            }
            let checked = check_parts(kind);
            checked.map_err(|why| unwritable(name, &format!("{why}{}", way_out(name))))?;
            Ok(field_of(name, kind, ""))
        };
        let fields = columns.iter().map(field).collect::<Result<Vec<_>, Error>>()?;
        let schema = schema(&fields, Words::AsTexts);
        let kinds = columns.iter().map(|(_, kind)| *kind);
        let columns = fields.iter().map(empty).zip(kinds).collect();
        let file = TableFile::begin(format, &schema)?;
        Ok(Table { schema, columns, fields, row_count: 0, len: 0, file, written: Vec::new() })
    }

    pub(super) fn add<E: From<Error>>(
        &mut self,
        record: &dyn Record,
        take: &mut impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut columns = self.columns.iter_mut();
        let len = &mut self.len;
        record.each_field(&mut |(_, _, value)| {
            let Some((column, kind)) = columns.next() else { return };
            *len += value.as_ref().map_or(0, |value| value.len());
            push(column, kind, value.as_deref());
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
        let mut arrays: Vec<ArrayRef> = Vec::new();
        let columns = self.columns.iter_mut().zip(&self.fields);
        for (((column, _), own), field) in columns.zip(self.schema.fields()) {
            let full = std::mem::replace(column, empty(own));
            let array = array(full, field.data_type()).map_err(|error| match error {
                ArrowError::InvalidArgumentError(why) => {
                    unwritable(field.name(), &format!("{why}{}", way_out(field.name())))
                }
                error => TableError::from(error).into(),
            })?;
            arrays.push(array);
        }
        let batch = RecordBatch::try_new(self.schema.clone(), arrays);
        self.file.write(&batch.map_err(TableError::from)?, &mut self.written)?;
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

fn empty(field: &Field) -> Column {
    Column::new(field.kind.clone())
}

/// A column that no table takes.
fn unwritable(column: &str, why: &str) -> Error {
    RowsError::Unwritable { why: format!("column {column}: {why}") }.into()
}

fn way_out(column: &str) -> String {
    format!(": --as-text {column} writes it as text")
}
