//! Rows as JSON, an object a line: a value that lacks is null.

use super::column::Batch;
use super::field::Field;
use super::text::{put_json, put_quoted};

/// Writes rows as JSON objects: what [`Format::JsonLines`](super::Format::JsonLines) writes of
/// each, for whoever puts them into something larger. Numbers of 64 bits have all their digits,
/// more than JavaScript keeps.
#[derive(Clone, Debug)]
pub struct JsonRows {
    /// Names of the columns, each with the colon that comes after it.
    names: Vec<String>,
}

impl JsonRows {
    /// Rows of these columns.
    pub fn new(fields: &[Field]) -> JsonRows {
        let name = |field: &Field| {
            let mut text = String::new();
            put_quoted(&field.name, &mut text);
            text.push(':');
            text
        };
        JsonRows { names: fields.iter().map(name).collect() }
    }

    /// Appends a row of a batch, with a line feed.
    pub fn put(&self, batch: &Batch, row: usize, out: &mut String) {
        out.push('{');
        for (at, (column, name)) in batch.columns.iter().zip(&self.names).enumerate() {
            out.push_str(if at > 0 { "," } else { "" });
            out.push_str(name);
            put_json(column, row, out);
        }
        out.push_str("}\n");
    }
}
