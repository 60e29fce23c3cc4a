//! What a table of terms is asked for.

use std::path::PathBuf;

use crate::tables::TableFormat;

/// Types of columns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ColumnTypes {
    /// Those of the values: a column all of whose values are integers is one of integers. How a
    /// value was written is not kept.
    OfValues,
    /// Text, as it was written.
    Text,
}

/// How a table is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableCall {
    /// The format.
    pub format: TableFormat,
    /// Types of its columns.
    pub types: ColumnTypes,
    /// Folder for rows that don't fit into memory.
    pub scratch: PathBuf,
}
