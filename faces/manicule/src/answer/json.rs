//! Rows as JSON, an object a line: a value that lacks is null.

use super::column::Batch;
use super::field::Field;
use super::text::{put_json, put_quoted};

/// Names of the columns as JSON has them, each with the colon that comes after it.
pub(super) fn names(fields: &[Field]) -> Vec<String> {
    let name = |field: &Field| {
        let mut text = String::new();
        put_quoted(&field.name, &mut text);
        text.push(':');
        text
    };
    fields.iter().map(name).collect()
}

pub(super) fn put_row(batch: &Batch, row: usize, names: &[String], out: &mut String) {
    out.push('{');
    for (at, (column, name)) in batch.columns.iter().zip(names).enumerate() {
        out.push_str(if at > 0 { "," } else { "" });
        out.push_str(name);
        put_json(column, row, out);
    }
    out.push_str("}\n");
}
