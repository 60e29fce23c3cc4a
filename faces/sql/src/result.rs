//! The rows of a query, written in a format.

use std::io::Write;
use std::path::Path;

use anyhow::{Result, bail};
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Schema, SchemaRef};
use datafusion::arrow::error::ArrowError;
use datafusion::arrow::json::Writer as JsonWriter;
use datafusion::arrow::json::writer::{
    EncoderOptions, LineDelimited, NullableEncoder, WriterBuilder, make_encoder,
};
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::execution::SendableRecordBatchStream;
use futures::StreamExt;
use manicule::tables::{TableError, TableFile, TableFormat};

/// Format of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// Columns of text, for people. It is laid out when its last row is there.
    Table,
    /// CSV with a line of names. A field without anything is null, `""` an empty text.
    Csv,
    /// A JSON object a line.
    JsonLines,
    /// Parquet.
    Parquet,
    /// Arrow: a file where it has a name, else a stream.
    Arrow,
}

/// Names of the formats, which are also the endings of files.
pub(crate) const NAMES: &str = "table, csv, json, parquet or arrow";

impl Format {
    pub(crate) fn named(name: &str) -> Result<Format> {
        Ok(match name {
            "table" => Format::Table,
            "csv" => Format::Csv,
            "json" | "jsonl" => Format::JsonLines,
            "parquet" => Format::Parquet,
            "arrow" => Format::Arrow,
            _ => bail!("there is no format {name}: there are {NAMES}"),
        })
    }

    /// By the ending of a file.
    pub(crate) fn of_file(path: &Path) -> Result<Format> {
        let ending = path.extension().unwrap_or_default().to_string_lossy();
        Format::named(&ending).or_else(|_| {
            bail!("{}: its ending names no format: say one with --format", path.display())
        })
    }

    /// Whether it is of bytes, which no terminal shows.
    pub(crate) fn is_packed(self) -> bool {
        matches!(self, Format::Parquet | Format::Arrow)
    }
}

/// Writes rows as they come, to their end.
pub(crate) async fn write(
    mut rows: SendableRecordBatchStream,
    format: Format,
    is_file: bool,
    out: &mut dyn Write,
) -> Result<()> {
    let schema = rows.schema();
    match format {
        Format::Table => {
            let mut batches = vec![RecordBatch::new_empty(schema)];
            while let Some(batch) = rows.next().await {
                batches.push(batch?);
            }
            writeln!(out, "{}", pretty_format_batches(&batches)?)?;
        }
        Format::Csv => {
            let names = schema.fields().iter().map(|field| field.name().clone());
            let mut text = String::new();
            put_line(names.map(Some), &mut text);
            out.write_all(text.as_bytes())?;
            while let Some(batch) = rows.next().await {
                text.clear();
                put_csv(&batch?, &mut text)?;
                out.write_all(text.as_bytes())?;
            }
        }
        Format::JsonLines => {
            let builder = WriterBuilder::new().with_explicit_nulls(true);
            while let Some(batch) = rows.next().await {
                let mut writer: JsonWriter<_, LineDelimited> = builder.clone().build(Vec::new());
                writer.write(&batch?)?;
                writer.finish()?;
                out.write_all(&writer.into_inner())?;
            }
        }
        Format::Parquet | Format::Arrow => {
            let (format, own) = match format {
                Format::Parquet => (TableFormat::Parquet, schema),
                _ if is_file => (TableFormat::ArrowFile, without_dictionaries(&schema)),
                _ => (TableFormat::ArrowStream, schema),
            };
            let mut file = TableFile::begin(format, &own)?;
            while let Some(batch) = rows.next().await {
                file.write(&of_schema(&batch?, &own)?, out).map_err(not_written)?;
            }
            file.end(out).map_err(not_written)?;
        }
    }
    Ok(())
}

/// The error of the writing itself, by which it is known that a reader has gone.
fn not_written(error: TableError) -> anyhow::Error {
    match error {
        TableError::Io(error) => error.into(),
        error => error.into(),
    }
}

/// Rows as CSV; lists, maps and structs are JSON.
fn put_csv(batch: &RecordBatch, out: &mut String) -> Result<(), ArrowError> {
    let (plain, json) = (FormatOptions::new(), EncoderOptions::default());
    let schema = batch.schema();
    let mut columns = Vec::new();
    for (column, field) in batch.columns().iter().zip(schema.fields()) {
        columns.push(if field.data_type().is_nested() {
            Column::Nested(make_encoder(field, column, &json)?)
        } else {
            Column::Plain(ArrayFormatter::try_new(column, &plain)?)
        });
    }
    for row in 0..batch.num_rows() {
        let mut cells = Vec::with_capacity(columns.len());
        for (column, values) in columns.iter_mut().zip(batch.columns()) {
            cells.push(match column {
                _ if values.is_null(row) => None,
                Column::Plain(column) => Some(column.value(row).try_to_string()?),
                Column::Nested(column) => {
                    let mut json = Vec::new();
                    column.encode(row, &mut json);
                    Some(String::from_utf8_lossy(&json).into_owned())
                }
            });
        }
        put_line(cells.into_iter(), out);
    }
    Ok(())
}

enum Column<'a> {
    Plain(ArrayFormatter<'a>),
    Nested(NullableEncoder<'a>),
}

fn put_line(cells: impl Iterator<Item = Option<String>>, out: &mut String) {
    for (at, cell) in cells.enumerate() {
        out.push_str(if at > 0 { "," } else { "" });
        match cell {
            Some(text) if text.is_empty() || text.contains([',', '"', '\n', '\r']) => {
                out.push('"');
                out.push_str(&text.replace('"', "\"\""));
                out.push('"');
            }
            Some(text) => out.push_str(&text),
            None => {}
        }
    }
    out.push('\n');
}

/// A schema in which words are texts: a file of Arrow has one dictionary for all batches, which
/// isn't known when the first is written.
fn without_dictionaries(schema: &Schema) -> SchemaRef {
    let plain = |field: &FieldRef| match field.data_type() {
        DataType::Dictionary(_, value) => {
            let own = Field::new(field.name(), (**value).clone(), field.is_nullable());
            own.with_metadata(field.metadata().clone()).into()
        }
        _ => FieldRef::clone(field),
    };
    Schema::new(schema.fields().iter().map(plain).collect::<Vec<_>>()).into()
}

fn of_schema(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch, ArrowError> {
    if batch.schema_ref() == schema || schema.fields().is_empty() {
        return Ok(batch.clone());
    }
    let columns = batch.columns().iter().zip(schema.fields());
    let columns = columns.map(|(column, field)| cast(column, field.data_type()));
    RecordBatch::try_new(SchemaRef::clone(schema), columns.collect::<Result<_, _>>()?)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use datafusion::arrow::array::{ArrayRef, Int64Array, StringArray};
    use datafusion::arrow::array::{ListArray, types::Int64Type};

    use super::*;

    #[test]
    fn csv_tells_an_empty_text_from_null_and_has_lists_as_json() {
        let lists = ListArray::from_iter_primitive::<Int64Type, _, _>([
            Some(vec![Some(1), None]),
            None,
            Some(vec![]),
        ]);
        let columns: [(&str, ArrayRef); 3] = [
            ("n", Arc::new(Int64Array::from(vec![Some(1), None, Some(3)]))),
            ("text", Arc::new(StringArray::from(vec![Some(""), None, Some("a\"b,c")]))),
            ("list", Arc::new(lists)),
        ];
        let mut text = String::new();
        put_csv(
            &RecordBatch::try_from_iter_with_nullable(
                columns.map(|(name, array)| (name, array, true)),
            )
            .unwrap(),
            &mut text,
        )
        .unwrap();
        assert_eq!(text, "1,\"\",\"[1,null]\"\n,,\n3,\"a\"\"b,c\",[]\n");
    }
}
