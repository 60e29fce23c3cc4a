//! Rows that wait until the types of their columns are known, which the last row decides: texts and
//! kinds in batches, in memory while they are few, in a file without a name from then on.

use std::collections::VecDeque;
use std::io::Cursor;
use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::builder::{StringBuilder, UInt32Builder};
use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use manicule_store::{Disk, Spill};

use super::types::{Kind, Kinds, Profile};
use crate::tables::TableError;

/// Maximum number of rows of a batch.
const BATCH_ROWS: usize = 1 << 16;
/// Maximum number of bytes of text of a batch, about: the last row may pass it.
const BATCH_LEN: usize = 4 << 20;
/// Maximum number of batches in memory.
const HELD_MAX: usize = 8;
/// Maximum number of bytes of a value: offsets of Arrow's texts have 31 bits.
const VALUE_LEN_MAX: usize = 1 << 30;

/// A value of a row.
pub(super) struct Value<'v> {
    pub(super) kind: Kind<'v>,
    pub(super) text: &'v str,
}

/// A column of the batch that is being filled.
#[derive(Default)]
struct Column {
    texts: StringBuilder,
    kinds: UInt32Builder,
    profile: Profile,
}

/// Where a batch waits.
enum Held {
    Memory(RecordBatch),
    /// Its place in the spill.
    File(u64, usize),
}

/// Staged rows.
pub(super) struct Stage {
    columns: Vec<Column>,
    pub(super) kinds: Kinds,
    /// Of the batch that is being filled.
    row_count: usize,
    text_len: usize,
    schema: SchemaRef,
    held: VecDeque<Held>,
    spill: Option<Spill>,
    /// The name that the spill has for a moment.
    path: PathBuf,
}

impl Stage {
    /// No rows of some columns.
    pub(super) fn new(column_count: usize, path: PathBuf) -> Stage {
        let fields = (0..column_count).flat_map(|at| {
            let text = Field::new(format!("t{at}"), DataType::Utf8, true);
            [text, Field::new(format!("k{at}"), DataType::UInt32, true)]
        });
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let columns = (0..column_count).map(|_| Column::default()).collect();
        let (kinds, held) = (Kinds::default(), VecDeque::new());
        Stage { columns, kinds, row_count: 0, text_len: 0, schema, held, spill: None, path }
    }

    /// Adds the value of the next column of a row.
    pub(super) fn push(&mut self, at: usize, value: Option<Value<'_>>) -> Result<(), TableError> {
        let column = &mut self.columns[at];
        let Some(Value { kind, text }) = value else {
            column.texts.append_null();
            column.kinds.append_null();
            return Ok(());
        };
        if text.len() > VALUE_LEN_MAX {
            return Err(TableError::Format(format!("a value of {} bytes", text.len())));
        }
        let kind = self.kinds.number(kind);
        column.profile.see(kind, &self.kinds, text);
        column.texts.append_value(text);
        column.kinds.append_value(kind);
        self.text_len += text.len();
        Ok(())
    }

    /// Ends a row.
    pub(super) fn end_row(&mut self) -> Result<(), TableError> {
        self.row_count += 1;
        if self.row_count == BATCH_ROWS || self.text_len >= BATCH_LEN {
            self.end_batch()
        } else {
            Ok(())
        }
    }

    fn end_batch(&mut self) -> Result<(), TableError> {
        let arrays = self.columns.iter_mut().flat_map(|column| {
            [Arc::new(column.texts.finish()) as ArrayRef, Arc::new(column.kinds.finish())]
        });
        let options = RecordBatchOptions::new().with_row_count(Some(self.row_count));
        let batch =
            RecordBatch::try_new_with_options(self.schema.clone(), arrays.collect(), &options)?;
        (self.row_count, self.text_len) = (0, 0);
        let held =
            if self.held.len() < HELD_MAX { Held::Memory(batch) } else { self.spilled(&batch)? };
        self.held.push_back(held);
        Ok(())
    }

    fn spilled(&mut self, batch: &RecordBatch) -> Result<Held, TableError> {
        let mut writer = StreamWriter::try_new(Vec::new(), &self.schema)?;
        writer.write(batch)?;
        let bytes = writer.into_inner()?;
        let spill = match &self.spill {
            Some(spill) => spill,
            None => self.spill.insert(Spill::create(&Disk::shared(), &self.path)?),
        };
        Ok(Held::File(spill.append(&bytes)?, bytes.len()))
    }

    /// Ends the rows. Returns what each column's values were.
    pub(super) fn end(&mut self) -> Result<Vec<Profile>, TableError> {
        if self.row_count > 0 {
            self.end_batch()?;
        }
        Ok(self.columns.iter().map(|column| column.profile.clone()).collect())
    }

    /// The next batch of rows, in order.
    pub(super) fn next(&mut self) -> Result<Option<RecordBatch>, TableError> {
        match self.held.pop_front() {
            None => Ok(None),
            Some(Held::Memory(batch)) => Ok(Some(batch)),
            Some(Held::File(at, len)) => {
                let spill = self.spill.as_ref().expect("what was spilled has a file");
                let mut bytes = vec![0; len];
                spill.read_at(&mut bytes, at)?;
                Ok(StreamReader::try_new(Cursor::new(bytes), None)?.next().transpose()?)
            }
        }
    }
}
