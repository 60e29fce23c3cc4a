//! An answer in a format: the one place that writes each of them.

use std::fmt;
use std::io::{self, Write};

use super::column::Batch;
use super::csv;
use super::field::Field;
use super::json::JsonRows;
use super::lined::Lined;
use super::packed::Packed;
use super::produce::Answer;
use crate::failure::Failure;
use crate::tables::{TableError, TableFormat};

/// Length in bytes from which on text is handed out.
const TEXT_LEN: usize = 64 << 10;

/// Format of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Columns of text, for people.
    Lined,
    /// CSV with a line of names, as RFC 4180 has it; lines end with a line feed.
    Csv,
    /// A JSON object a line.
    JsonLines,
    /// Arrow or Parquet.
    Table(TableFormat),
}

/// Why an answer was not written, or not to its end.
#[derive(Debug)]
pub enum WriteError {
    /// The answer failed.
    Answer(Failure),
    /// The format can't hold it, or it can't be written.
    Table(TableError),
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WriteError::Answer(failure) => failure.fmt(f),
            WriteError::Table(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for WriteError {}

impl From<Failure> for WriteError {
    fn from(failure: Failure) -> Self {
        WriteError::Answer(failure)
    }
}

impl From<TableError> for WriteError {
    fn from(error: TableError) -> Self {
        WriteError::Table(error)
    }
}

impl From<io::Error> for WriteError {
    fn from(error: io::Error) -> Self {
        WriteError::Table(error.into())
    }
}

/// Writes an answer, batch by batch, to its end. Returns the number of its rows.
///
/// # Errors
/// Those of the answer; what was written before them stays, without the end that formats with one
/// have.
pub fn write(answer: &mut Answer, format: Format, out: &mut dyn Write) -> Result<u64, WriteError> {
    let fields = answer.fields().to_vec();
    match format {
        Format::Lined => put_lined(answer, &fields, out),
        Format::Csv => {
            let mut names = String::new();
            csv::put_names(&fields, &mut names);
            out.write_all(names.as_bytes())?;
            put_lines(answer, out, &mut |batch, row, text| csv::put_row(batch, row, text))
        }
        Format::JsonLines => {
            let rows = JsonRows::new(&fields);
            put_lines(answer, out, &mut |batch, row, text| rows.put(batch, row, text))
        }
        Format::Table(format) => {
            let mut row_count = 0;
            let mut packed = Packed::begin(format, &fields)?;
            for batch in answer {
                let batch = batch?;
                row_count += batch.row_count as u64;
                packed.write(batch, out)?;
            }
            packed.end(out)?;
            Ok(row_count)
        }
    }
}

/// A row's text is put behind that of others.
type PutRow<'p> = dyn FnMut(&Batch, usize, &mut String) + 'p;

fn put_lines(
    answer: &mut Answer,
    out: &mut dyn Write,
    put: &mut PutRow<'_>,
) -> Result<u64, WriteError> {
    let (mut row_count, mut text) = (0, String::new());
    for batch in answer {
        let batch = batch?;
        put_batch(&batch, out, &mut text, put)?;
        row_count += batch.row_count as u64;
    }
    Ok(row_count)
}

fn put_batch(
    batch: &Batch,
    out: &mut dyn Write,
    text: &mut String,
    put: &mut PutRow<'_>,
) -> io::Result<()> {
    for row in 0..batch.row_count {
        put(batch, row, text);
        if text.len() >= TEXT_LEN {
            out.write_all(text.as_bytes())?;
            text.clear();
        }
    }
    out.write_all(text.as_bytes())?;
    text.clear();
    Ok(())
}

fn put_lined(
    answer: &mut Answer,
    fields: &[Field],
    out: &mut dyn Write,
) -> Result<u64, WriteError> {
    let first = answer.next().transpose()?;
    let lined = Lined::new(fields, first.as_ref());
    let mut text = String::new();
    lined.put_names(fields, &mut text);
    let mut row_count = 0;
    if let Some(first) = first {
        put_batch(&first, out, &mut text, &mut |batch, row, text| lined.put_row(batch, row, text))?;
        row_count += first.row_count as u64;
    }
    out.write_all(text.as_bytes())?;
    let rest = put_lines(answer, out, &mut |batch, row, text| lined.put_row(batch, row, text))?;
    Ok(row_count + rest)
}
