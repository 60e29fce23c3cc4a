//! Batches as a file or stream of Arrow, or as Parquet.

use std::io::Write;

use arrow_schema::SchemaRef;

use super::arrow::{Words, record_batch, schema};
use super::column::Batch;
use super::field::Field;
use crate::tables::{TableError, TableFile, TableFormat};

/// A file that is being written.
pub(super) struct Packed {
    schema: SchemaRef,
    file: TableFile,
}

impl Packed {
    /// Begins a file. Dictionaries of a file of Arrow would have to be known before its first
    /// batch: there words are texts.
    pub(super) fn begin(format: TableFormat, fields: &[Field]) -> Result<Packed, TableError> {
        let is_file = format == TableFormat::ArrowFile;
        let schema = schema(fields, if is_file { Words::AsTexts } else { Words::AsDictionaries });
        let file = TableFile::begin(format, &schema)?;
        Ok(Packed { schema, file })
    }

    pub(super) fn write(&mut self, batch: Batch, out: &mut dyn Write) -> Result<(), TableError> {
        self.file.write(&record_batch(batch, &self.schema)?, out)
    }

    pub(super) fn end(self, out: &mut dyn Write) -> Result<(), TableError> {
        self.file.end(out)
    }
}
