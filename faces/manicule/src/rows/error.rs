//! Errors of the jobs on SSTables.

use std::fmt;
use std::io;
use std::path::PathBuf;

use manicule_core::ErrorClass;
use manicule_core::watch::Stopped;
use manicule_rows::{LiteralError, RowsError};

use crate::tables::TableError;

/// Reason why a job on SSTables was not done, or not to the end.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A table can't be opened or read.
    Rows(RowsError),
    /// A key or bound that can't be read.
    Literal {
        /// Which one, and of which types its values are.
        what: String,
        /// Place, wanted, got.
        source: LiteralError,
    },
    /// A chance of a false answer that no filter has.
    FilterChance {
        /// The chance.
        chance: f64,
        /// The least that there is.
        least: f64,
    },
    /// A file with rows that can't be read, or has one that isn't of the table.
    Input {
        /// The file.
        file: PathBuf,
        /// Which line or row; empty: the file.
        place: String,
        /// What is wrong, as a sentence.
        why: String,
    },
    /// A table of Arrow or Parquet can't be written.
    Table(TableError),
    /// The system gave no random bytes.
    Random(io::Error),
    /// The system whose backups lie at an address would not take an SSTable there.
    Untaken {
        /// The address.
        place: PathBuf,
        /// Whose it is, and why.
        why: &'static str,
    },
    /// A job of one SSTable was asked for a folder of several.
    Several {
        /// The folder.
        folder: PathBuf,
        /// Number of its SSTables.
        count: usize,
        /// Name of the first one's data.
        first: String,
    },
}

impl Error {
    /// Class of the error.
    pub fn class(&self) -> ErrorClass {
        match self {
            Error::Rows(error) => error.class(),
            Error::Table(error) => error.class(),
            Error::Literal { .. }
            | Error::FilterChance { .. }
            | Error::Input { .. }
            | Error::Untaken { .. }
            | Error::Several { .. } => ErrorClass::Asked,
            Error::Random(_) => ErrorClass::Failed,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Rows(error) => error.fmt(f),
            Error::Literal { what, source } => write!(f, "{what}: {source}"),
            Error::FilterChance { chance, least } => {
                write!(f, "chance of a false answer: wanted {least} to 1, got {chance}")
            }
            Error::Input { file, place, why } => {
                let (file, colon) = (file.display(), if place.is_empty() { "" } else { ": " });
                write!(f, "{file}{colon}{place}: {why}")
            }
            Error::Table(error) => error.fmt(f),
            Error::Random(error) => write!(f, "random bytes of the system: {error}"),
            Error::Untaken { place, why } => write!(f, "{}: {why}", place.display()),
            Error::Several { folder, count: 0, .. } => {
                write!(f, "{}: there is no SSTable", folder.display())
            }
            Error::Several { folder, count, first } => {
                let folder = folder.display();
                write!(
                    f,
                    "{folder} has {count} SSTables: name the data of one, as {folder}/{first}"
                )
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Rows(error) => Some(error),
            Error::Literal { source, .. } => Some(source),
            Error::Table(error) => Some(error),
            Error::Random(error) => Some(error),
            Error::FilterChance { .. }
            | Error::Input { .. }
            | Error::Untaken { .. }
            | Error::Several { .. } => None,
        }
    }
}

impl From<RowsError> for Error {
    fn from(error: RowsError) -> Self {
        Error::Rows(error)
    }
}

impl From<TableError> for Error {
    fn from(error: TableError) -> Self {
        Error::Table(error)
    }
}

impl From<Stopped> for Error {
    fn from(stopped: Stopped) -> Self {
        Error::Rows(stopped.into())
    }
}
