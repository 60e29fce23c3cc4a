//! The formats of an export.

use crate::tables::TableFormat;

/// How rows are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    /// A line of names, then a line for each row; null is nothing, an empty text is `""`.
    Csv,
    /// An object a line, in which what is null is left out.
    JsonLines,
    /// A table of Arrow or Parquet; collections are lists and maps, user types structs.
    Table(TableFormat),
}
