//! Rows as columns of text for people, each as wide as its values.

use super::column::{Batch, Column};
use super::field::Field;
use super::text::put_plain;

/// Widest that a column is made, in characters: what is longer goes on beyond it.
const WIDTH_MAX: usize = 60;

/// How wide columns are: as their names and the values of the first batch.
pub(super) struct Lined {
    widths: Vec<usize>,
    /// Numbers stand to the right.
    are_right: Vec<bool>,
}

impl Lined {
    pub(super) fn new(fields: &[Field], first: Option<&Batch>) -> Lined {
        let width = |(at, field): (usize, &Field)| {
            let column = first.map(|batch| &batch.columns[at]);
            let rows = 0..first.map_or(0, |batch| batch.row_count);
            let widest = rows.filter_map(|row| Some(cell(column?, row).chars().count())).max();
            widest.unwrap_or(0).min(WIDTH_MAX).max(field.name.chars().count())
        };
        let is_right = |field: &Field| field.kind.is_number();
        Lined {
            widths: fields.iter().enumerate().map(width).collect(),
            are_right: fields.iter().map(is_right).collect(),
        }
    }

    pub(super) fn put_names(&self, fields: &[Field], out: &mut String) {
        self.put_line(fields.iter().map(|field| field.name.to_string()), out);
    }

    pub(super) fn put_row(&self, batch: &Batch, row: usize, out: &mut String) {
        self.put_line(batch.columns.iter().map(|column| cell(column, row)), out);
    }

    fn put_line(&self, cells: impl Iterator<Item = String>, out: &mut String) {
        for (at, text) in cells.enumerate() {
            out.push_str(if at > 0 { "  " } else { "" });
            let blanks = self.widths[at].saturating_sub(text.chars().count());
            let (before, after) = if self.are_right[at] { (blanks, 0) } else { (0, blanks) };
            out.extend(std::iter::repeat_n(' ', before));
            out.push_str(&text);
            out.extend(std::iter::repeat_n(' ', after));
        }
        out.truncate(out.trim_end_matches(' ').len());
        out.push('\n');
    }
}

/// A value on one line; nothing where it lacks.
fn cell(column: &Column, row: usize) -> String {
    let mut text = String::new();
    if !column.is_present(row) {
        return text;
    }
    match column.own_text(row) {
        Some(own) if own.chars().any(char::is_control) => {
            own.chars().for_each(|char| {
                if char.is_control() {
                    text.extend(char.escape_default());
                } else {
                    text.push(char);
                }
            });
        }
        Some(own) => text.push_str(own),
        None => put_plain(column, row, &mut text),
    }
    text
}
