//! What a table for other programs may be, and what may be wrong with it: the same in programs that
//! can write none.

use std::fmt;
use std::io;

use manicule_core::ErrorClass;

/// Format of a table for other programs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TableFormat {
    /// Arrow IPC for a file, which can be mapped and read from anywhere: Feather version 2.
    ArrowFile,
    /// Arrow IPC for a pipe.
    ArrowStream,
    /// Parquet, compressed with Zstandard.
    Parquet,
}

/// Error of a table.
#[derive(Debug)]
pub enum TableError {
    /// It can't be written.
    Io(io::Error),
    /// The format can't hold it.
    Format(String),
    /// The libraries of Arrow and Parquet are not in this build.
    NotBuilt,
}

impl TableError {
    /// Class of the error.
    pub fn class(&self) -> ErrorClass {
        match self {
            TableError::Io(_) => ErrorClass::Failed,
            TableError::Format(_) | TableError::NotBuilt => ErrorClass::Unsupported,
        }
    }
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TableError::Io(error) => write!(f, "the table can't be written: {error}"),
            TableError::Format(why) => write!(f, "the format can't hold the table: {why}"),
            TableError::NotBuilt => f.write_str(
                "Arrow and Parquet are not in this build of manicule: build it with --features tables, or take csv or json",
            ),
        }
    }
}

impl std::error::Error for TableError {}

impl From<io::Error> for TableError {
    fn from(error: io::Error) -> Self {
        TableError::Io(error)
    }
}

/// Asks whether Arrow and Parquet are in this build: some 30 crates, the feature `tables`.
///
/// # Errors
/// [`TableError::NotBuilt`], before any work is done in vain.
pub fn check_built() -> Result<(), TableError> {
    if cfg!(feature = "tables") { Ok(()) } else { Err(TableError::NotBuilt) }
}
