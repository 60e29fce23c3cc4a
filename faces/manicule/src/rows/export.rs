//! The rows of a table as a reader sees them, as text: CSV, or a JSON object a line.
//!
//! Callers: faces

use std::ops::RangeInclusive;
use std::path::PathBuf;

use manicule_core::watch::Watch;
use manicule_rows::export::{LiveRow, live_rows};
use manicule_rows::merge::{MergedColumn, MergedRow};
use manicule_rows::scan::Taken;
use manicule_rows::schema::{Named, key_names};
use manicule_rows::table::Access;
use manicule_rows::{Elements, KeyNames, Type, put_json_string};
use manicule_store::pages::SystemCache;

pub use manicule_rows::export::LiveCounts;

use super::dump::Ended;
use super::error::Error;
use super::open::{CACHE_BYTES, Open, table_options};
use super::write::chosen;

/// Length in bytes from which on text is handed out.
const TEXT_LEN: usize = 64 << 10;

/// How rows are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    /// A line of names, then a line for each row; null is nothing, an empty text is `""`.
    Csv,
    /// An object a line, in which what is null is left out.
    JsonLines,
}

/// Arguments of an export.
#[derive(Clone, Debug)]
pub struct ExportCall {
    /// How rows are written.
    pub format: ExportFormat,
    /// Keys of the partitions that are meant, as CQL writes them or as sstabledump takes them.
    pub keys: Vec<String>,
    /// Tokens of those that are meant; keys and tokens exclude each other.
    pub tokens: Vec<RangeInclusive<i64>>,
    /// Whether these are exported or all others.
    pub taken: Taken,
    /// The time in seconds since 1970 by which something has expired.
    pub now: i64,
    /// A CQL file with the names of the key's columns; `None`: a `schema.cql` beside the SSTables, if it is there.
    pub schema: Option<PathBuf>,
}

/// Writes the live rows of a table, its SSTables merged; `take` receives them in parts.
///
/// Memory: a window and a row of each SSTable, beside 64 KiB of text.
pub fn export<E: From<Error>>(
    opened: &Open,
    call: &ExportCall,
    watch: &Watch<'_>,
    mut take: impl FnMut(&str) -> Result<(), E>,
) -> Result<(LiveCounts, Named), E> {
    let first = opened.first()?;
    let chosen = chosen(opened, &call.keys, &call.tokens, call.taken)?;
    let options = table_options(Access::Positioned(SystemCache::Used), CACHE_BYTES)?;
    let exported = opened.reading(|reading| {
        let schema = call.schema.as_deref();
        let named = key_names(opened.listed(), first.header(), schema, &options, reading)?;
        let (key, clustering) = (&first.header().key, &first.header().clustering);
        let types = Types { key, clustering, names: &named.names };
        let mut text = String::new();
        let mut has_names = false;
        let counts = live_rows(&opened.sstables, &chosen, call.now, reading, watch, |row| {
            if call.format == ExportFormat::Csv && !std::mem::replace(&mut has_names, true) {
                types.put_names(row, &mut text);
            }
            match call.format {
                ExportFormat::Csv => types.put_csv(row, &mut text),
                ExportFormat::JsonLines => types.put_json(row, &mut text),
            }
            if text.len() >= TEXT_LEN {
                take(&text).map_err(Ended::Taken)?;
                text.clear();
            }
            Ok::<(), Ended<E>>(())
        })?;
        take(&text).map_err(Ended::Taken)?;
        Ok((counts, named))
    });
    exported.map_err(Ended::into_error)
}

/// Types and names of a table's key.
struct Types<'t> {
    key: &'t Type,
    clustering: &'t [Type],
    names: &'t KeyNames,
}

/// A column of a row: its name, its type, its value.
type Field<'v> = (&'v [u8], &'v Type, Option<std::borrow::Cow<'v, [u8]>>);

impl Types<'_> {
    /// The line of names.
    fn put_names(&self, row: &LiveRow<'_>, out: &mut String) {
        let key = self.names.partition_key.iter().chain(&self.names.clustering);
        let statics = row.columns.list(true).iter().chain(row.columns.list(false));
        let statics = statics.map(|column| String::from_utf8_lossy(&column.name).into_owned());
        let mut comma = "";
        for name in key.cloned().chain(statics) {
            out.push_str(comma);
            put_quoted(&name, out);
            comma = ",";
        }
        out.push('\n');
    }

    /// The fields of a row in the order of the names.
    fn each_field(&self, row: &LiveRow<'_>, mut each: impl FnMut(&Field<'_>)) {
        let names = &self.names.partition_key;
        match self.key {
            Type::Composite(parts) => {
                let values = Elements::of_composite(row.key).map(Option::unwrap_or_default);
                for ((name, kind), value) in names.iter().zip(parts).zip(values) {
                    each(&(name.as_bytes(), kind, Some(value.into())));
                }
            }
            single => {
                let name = names.first().map_or(&b"key"[..], |name| name.as_bytes());
                each(&(name, single, Some(row.key.into())));
            }
        }
        let mut values = row.row.map(|row| row.clustering.as_prefix().values(self.clustering));
        for (name, kind) in self.names.clustering.iter().zip(self.clustering) {
            let value = values.as_mut().and_then(Iterator::next).flatten();
            each(&(name.as_bytes(), kind, value.map(Into::into)));
        }
        each_cell(row.statics, row.columns.list(true), &mut each);
        each_cell(row.row, row.columns.list(false), &mut each);
    }

    fn put_csv(&self, row: &LiveRow<'_>, out: &mut String) {
        let mut comma = "";
        self.each_field(row, |(_, kind, value)| {
            out.push_str(comma);
            comma = ",";
            if let Some(value) = value {
                put_quoted(&csv_text(kind, value), out);
            }
        });
        out.push('\n');
    }

    fn put_json(&self, row: &LiveRow<'_>, out: &mut String) {
        let mut before = "{";
        self.each_field(row, |(name, kind, value)| {
            let Some(value) = value else { return };
            out.push_str(before);
            before = ", ";
            put_json_string(&String::from_utf8_lossy(name), out);
            out.push_str(": ");
            kind.put_json(Some(value), out);
        });
        out.push_str("}\n");
    }
}

/// Each column of a list with its value in a row, null where the row has none.
fn each_cell(row: Option<&MergedRow>, columns: &[MergedColumn], each: &mut impl FnMut(&Field<'_>)) {
    let mut cells = row.map_or(&[][..], |row| &row.columns).iter().peekable();
    for (number, MergedColumn { name, kind }) in columns.iter().enumerate() {
        let own = cells.next_if(|cells| cells.column == number);
        each(&(name, kind, own.and_then(|cells| cells.value(kind))));
    }
}

/// A value as a field of CSV: text as it is, times and addresses without the quotes of CQL, all else as CQL writes it.
fn csv_text(kind: &Type, value: &[u8]) -> String {
    if matches!(kind.ascending(), Type::Ascii | Type::Text) {
        return String::from_utf8_lossy(value).into_owned();
    }
    let mut text = String::new();
    kind.put_literal(Some(value), &mut text);
    let inner = text.strip_prefix('\'').and_then(|text| text.strip_suffix('\''));
    inner.map_or_else(|| text.clone(), |inner| inner.replace("''", "'"))
}

/// A field, in quotes where it needs some: an empty one has them, for nothing is null.
fn put_quoted(text: &str, out: &mut String) {
    let needs = |byte: u8| matches!(byte, b',' | b'"' | b'\n' | b'\r');
    if !text.is_empty() && !text.bytes().any(needs) {
        out.push_str(text);
        return;
    }
    out.push('"');
    out.push_str(&text.replace('"', "\"\""));
    out.push('"');
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
        ] {
            let mut out = String::new();
            put_quoted(&csv_text(&kind, value), &mut out);
            assert_eq!(out, want);
        }
    }
}
