//! A file shown by its parts: the one text that `inspect`, golden dumps and format documents share.

use std::fmt;
use std::ops::Range;

/// One part of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Range of the part, from the start of the file.
    pub bytes: Range<u64>,
    /// Its name in the format's document.
    pub name: String,
    /// Its value, in short.
    pub value: String,
}

/// The parts of a file in the order of their offsets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outline {
    /// The parts.
    pub rows: Vec<Row>,
}

impl Outline {
    /// Adds a part after the last one.
    pub fn push(&mut self, bytes: Range<u64>, name: impl Into<String>, value: impl fmt::Display) {
        self.rows.push(Row { bytes, name: name.into(), value: value.to_string() });
    }
}

impl fmt::Display for Outline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name_width = self.rows.iter().map(|row| row.name.len()).max().unwrap_or(0);
        let last = self.rows.iter().map(|row| row.bytes.end).max().unwrap_or(0);
        let width = last.to_string().len();
        for Row { bytes, name, value } in &self.rows {
            let (start, end) = (bytes.start, bytes.end);
            let line = format!("{start:>width$}..{end:<width$}  {name:<name_width$}  {value}");
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}
