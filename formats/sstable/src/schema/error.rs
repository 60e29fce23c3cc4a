//! Errors of a CQL file.

use std::fmt;

/// A CQL file that can't be read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SchemaError {
    /// A quote that is never closed.
    Unclosed {
        /// Offset of the quote.
        at: usize,
    },
    /// Another word than the one that CQL has there.
    Word {
        /// Its offset.
        at: usize,
        /// What was wanted.
        want: &'static str,
        /// What is there.
        got: String,
    },
    /// The columns of the key aren't as many as those of the file with the data.
    KeyLen {
        /// The table.
        table: String,
        /// Which part of the key.
        part: &'static str,
        /// Number of columns in the header of the SSTable.
        want: usize,
        /// Number of columns in the schema.
        got: usize,
    },
    /// A table of which no SSTable can be written.
    Unwritable {
        /// The table.
        table: String,
        /// Why not, as a sentence.
        why: String,
    },
}

impl fmt::Display for SchemaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SchemaError::Unclosed { at } => {
                write!(f, "schema at byte {at}: wanted a quote that is closed, got the end")
            }
            SchemaError::Word { at, want, got } => {
                write!(f, "schema at byte {at}: wanted {want}, got {got:?}")
            }
            SchemaError::KeyLen { table, part, want, got } => {
                write!(f, "schema of {table}: wanted {want} columns in the {part}, got {got}")
            }
            SchemaError::Unwritable { table, why } => write!(f, "schema of {table}: {why}"),
        }
    }
}

impl std::error::Error for SchemaError {}
