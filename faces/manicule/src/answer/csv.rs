//! Rows as CSV: a line of names, then a line for each row. Nothing is a value that lacks, an empty
//! text has quotes.

use super::column::{Batch, Column};
use super::field::Field;
use super::text::put_plain;

pub(super) fn put_names(fields: &[Field], out: &mut String) {
    for (at, field) in fields.iter().enumerate() {
        out.push_str(if at > 0 { "," } else { "" });
        put_quoted(&field.name, out);
    }
    out.push('\n');
}

pub(super) fn put_row(batch: &Batch, row: usize, out: &mut String) {
    for (at, column) in batch.columns.iter().enumerate() {
        out.push_str(if at > 0 { "," } else { "" });
        put_value(column, row, out);
    }
    out.push('\n');
}

fn put_value(column: &Column, row: usize, out: &mut String) {
    if !column.is_present(row) {
        return;
    }
    match column.own_text(row) {
        Some(text) => put_quoted(text, out),
        None => {
            let mut text = String::new();
            put_plain(column, row, &mut text);
            put_quoted(&text, out);
        }
    }
}

/// A field, in quotes where it needs some: an empty one has them, for nothing is null.
pub(crate) fn put_quoted(text: &str, out: &mut String) {
    let needs = |byte: u8| matches!(byte, b',' | b'"' | b'\n' | b'\r');
    if !text.is_empty() && !text.bytes().any(needs) {
        return out.push_str(text);
    }
    out.push('"');
    for (at, part) in text.split('"').enumerate() {
        out.push_str(if at > 0 { "\"\"" } else { "" });
        out.push_str(part);
    }
    out.push('"');
}
