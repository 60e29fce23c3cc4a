//! Errors of the jobs on SSTables.
//!
//! Callers: rows

use std::fmt;
use std::io;
use std::path::PathBuf;

use manicule_core::watch::Stopped;
use manicule_rows::RowsError;

/// Reason why a job on SSTables was not done, or not to the end.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A table can't be opened or read.
    Rows(RowsError),
    /// The system gave no random bytes.
    Random(io::Error),
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

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Rows(error) => error.fmt(f),
            Error::Random(error) => write!(f, "random bytes of the system: {error}"),
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
            Error::Random(error) => Some(error),
            Error::Several { .. } => None,
        }
    }
}

impl From<RowsError> for Error {
    fn from(error: RowsError) -> Self {
        Error::Rows(error)
    }
}

impl From<Stopped> for Error {
    fn from(stopped: Stopped) -> Self {
        Error::Rows(stopped.into())
    }
}
