//! Records as CSV, as JSON lines, or as a table: what is written of names, types and values.

use std::marker::PhantomData;

use manicule_rows::{RowsError, Type, put_json_string};

use super::format::ExportFormat;
use super::record::Record;
use super::table::Table;
use crate::answer::put_csv_field;
use crate::rows::error::Error;

/// Length in bytes from which on text is handed out.
const TEXT_LEN: usize = 64 << 10;

/// Records that are being written.
pub(super) enum Sheet<'t> {
    /// The line of names, until there is a record, and text that waits.
    Csv(String, String),
    /// Text that waits; types are asked by tables alone.
    JsonLines(String, PhantomData<&'t Type>),
    Table(Box<Table<'t>>),
}

impl<'t> Sheet<'t> {
    /// Begins a sheet with these columns; of a table those in `as_text` are text.
    pub(super) fn new(
        format: ExportFormat,
        columns: &[(String, &'t Type)],
        as_text: &[String],
    ) -> Result<Self, Error> {
        if !as_text.is_empty() && matches!(format, ExportFormat::Csv | ExportFormat::JsonLines) {
            let why = "columns of CSV and JSON lines are text already: --as-text is for Parquet and Arrow";
            return Err(RowsError::Unwritable { why: why.to_owned() }.into());
        }
        Ok(match format {
            ExportFormat::Csv => {
                let mut names = String::new();
                for (at, (name, _)) in columns.iter().enumerate() {
                    names.push_str(if at > 0 { "," } else { "" });
                    put_csv_field(name, &mut names);
                }
                names.push('\n');
                Sheet::Csv(names, String::new())
            }
            ExportFormat::JsonLines => Sheet::JsonLines(String::new(), PhantomData),
            ExportFormat::Table(format) => {
                Sheet::Table(Box::new(Table::new(format, columns, as_text)?))
            }
        })
    }

    /// Adds a record; `take` receives what is written of those so far.
    pub(super) fn add<E: From<Error>>(
        &mut self,
        record: &dyn Record,
        take: &mut impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let text = match self {
            Sheet::Csv(names, text) => {
                text.push_str(&std::mem::take(names));
                put_csv(record, text);
                text
            }
            Sheet::JsonLines(text, _) => {
                put_json(record, text);
                text
            }
            Sheet::Table(table) => return table.add(record, take),
        };
        if text.len() >= TEXT_LEN {
            take(text.as_bytes())?;
            text.clear();
        }
        Ok(())
    }

    /// Ends the sheet.
    pub(super) fn end<E: From<Error>>(
        self,
        take: &mut impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        match self {
            Sheet::Csv(_, text) | Sheet::JsonLines(text, _) => take(text.as_bytes()),
            Sheet::Table(table) => table.end(take),
        }
    }
}

fn put_csv(record: &dyn Record, out: &mut String) {
    let mut comma = "";
    record.each_field(&mut |(_, kind, value)| {
        out.push_str(comma);
        comma = ",";
        if let Some(value) = value {
            put_csv_field(&text_of(kind, value), out);
        }
    });
    out.push('\n');
}

fn put_json(record: &dyn Record, out: &mut String) {
    let mut before = "{";
    record.each_field(&mut |(name, kind, value)| {
        let Some(value) = value else { return };
        out.push_str(before);
        before = ", ";
        put_json_string(name, out);
        out.push_str(": ");
        kind.put_json_exact(Some(value), out);
    });
    out.push_str("}\n");
}

/// A value as text: text as it is, times and addresses without the quotes of CQL, all else as CQL
/// writes it.
pub(crate) fn text_of(kind: &Type, value: &[u8]) -> String {
    if matches!(kind.ascending(), Type::Ascii | Type::Text) {
        return String::from_utf8_lossy(value).into_owned();
    }
    let mut text = String::new();
    kind.put_literal(Some(value), &mut text);
    let inner = text.strip_prefix('\'').and_then(|text| text.strip_suffix('\''));
    inner.map_or_else(|| text.clone(), |inner| inner.replace("''", "'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_where_they_need_it() {
        for (kind, value, want) in [
            (Type::Text, &b"plain"[..], "plain"),
            (Type::Text, b"", "\"\""),
            (Type::Text, b"a,b", "\"a,b\""),
            (Type::Text, b"say \"it\"\n", "\"say \"\"it\"\"\n\""),
            (Type::Text, b"it's", "it's"),
            (Type::Int, &[0, 0, 0, 7], "7"),
            (Type::Inet, &[10, 0, 0, 1], "10.0.0.1"),
            (Type::Blob, &[1, 0xfe], "0x01fe"),
            (Type::Timestamp, &[0; 8], "1970-01-01 00:00:00.000Z"),
            (Type::Timestamp, &[0x80, 0, 0, 0, 0, 0, 0, 0], "-292275055-05-16 16:47:04.192Z"),
            (Type::Date, &[0x7f, 0xf5, 0x06, 0xc6], "0001-01-01"),
        ] {
            let mut out = String::new();
            put_csv_field(&text_of(&kind, value), &mut out);
            assert_eq!(out, want);
        }
    }
}
