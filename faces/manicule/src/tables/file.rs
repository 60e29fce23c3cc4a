//! Record batches to a file or a pipe, as they come.

use std::io::Write;

use arrow_array::RecordBatch;
use arrow_ipc::writer::{FileWriter, StreamWriter};
use arrow_schema::{ArrowError, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

use super::{TableError, TableFormat};

/// Maximum number of bytes of a row group of Parquet, encoded: they are held in memory until it
/// ends.
const ROW_GROUP_LEN_MAX: usize = 32 << 20;
/// Level of Zstandard: higher ones take several times as long for a tenth less.
const ZSTD_LEVEL: i32 = 1;

impl From<ArrowError> for TableError {
    fn from(error: ArrowError) -> Self {
        match error {
            ArrowError::IoError(_, error) => TableError::Io(error),
            other => TableError::Format(other.to_string()),
        }
    }
}

impl From<ParquetError> for TableError {
    fn from(error: ParquetError) -> Self {
        TableError::Format(error.to_string())
    }
}

/// A table that is being written. Dropped before its end, it has no footer, so that nobody takes it
/// for whole.
pub struct TableFile {
    writer: Writer,
}

/// The libraries' writers, into memory: what they have written goes on after each batch.
enum Writer {
    File(FileWriter<Vec<u8>>),
    Stream(StreamWriter<Vec<u8>>),
    Parquet(Box<ArrowWriter<Vec<u8>>>),
}

impl TableFile {
    /// Begins a table.
    ///
    /// # Errors
    /// A schema that the format can't hold.
    pub fn begin(format: TableFormat, schema: &SchemaRef) -> Result<TableFile, TableError> {
        let writer = match format {
            TableFormat::ArrowFile => Writer::File(FileWriter::try_new(Vec::new(), schema)?),
            TableFormat::ArrowStream => Writer::Stream(StreamWriter::try_new(Vec::new(), schema)?),
            TableFormat::Parquet => {
                let properties = WriterProperties::builder()
                    .set_compression(Compression::ZSTD(ZstdLevel::try_new(ZSTD_LEVEL)?))
                    .set_max_row_group_bytes(Some(ROW_GROUP_LEN_MAX))
                    .build();
                let writer = ArrowWriter::try_new(Vec::new(), schema.clone(), Some(properties))?;
                Writer::Parquet(Box::new(writer))
            }
        };
        Ok(TableFile { writer })
    }

    /// Adds rows; what is ready goes to `out`.
    ///
    /// # Errors
    /// Rows that the format can't hold, and what can't be written.
    pub fn write(&mut self, batch: &RecordBatch, out: &mut dyn Write) -> Result<(), TableError> {
        let is_parquet = matches!(self.writer, Writer::Parquet(_));
        if is_parquet && batch.num_columns() == 0 && batch.num_rows() > 0 {
            return Err(TableError::Format("Parquet has no rows without columns".to_owned()));
        }
        let written = match &mut self.writer {
            Writer::File(writer) => {
                writer.write(batch)?;
                writer.get_mut()
            }
            Writer::Stream(writer) => {
                writer.write(batch)?;
                writer.get_mut()
            }
            Writer::Parquet(writer) => {
                writer.write(batch)?;
                writer.inner_mut()
            }
        };
        out.write_all(written)?;
        written.clear();
        Ok(())
    }

    /// Ends the table; the rest of it goes to `out`.
    ///
    /// # Errors
    /// What can't be written.
    pub fn end(self, out: &mut dyn Write) -> Result<(), TableError> {
        let rest = match self.writer {
            Writer::File(writer) => writer.into_inner()?,
            Writer::Stream(writer) => writer.into_inner()?,
            Writer::Parquet(writer) => writer.into_inner()?,
        };
        Ok(out.write_all(&rest)?)
    }
}
