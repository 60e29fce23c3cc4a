//! Error of a store that can't be opened, read or written.
//!
//! Callers: all of this engine, faces/manicule

use std::fmt;
use std::io;
use std::path::PathBuf;

use manicule_core::bytes::{DecodeError, OpenClass};
use manicule_core::watch::Stopped;

/// Error of opening, reading or writing a store.
#[derive(Debug)]
#[non_exhaustive]
pub enum GraphError {
    /// There is no store.
    Missing {
        /// Place that was searched.
        place: PathBuf,
        /// Why what lies there is none, as a sentence.
        why: String,
    },
    /// A file can't be listed, opened, read or written.
    Io {
        /// The file or folder.
        file: PathBuf,
        /// Cause.
        source: io::Error,
    },
    /// The bytes of a file contradict the format.
    Damaged {
        /// The file.
        file: PathBuf,
        /// Place, wanted, got.
        source: DecodeError,
    },
    /// The watch of a call stopped it.
    Stopped(Stopped),
}

impl GraphError {
    /// The class that a program makes an exit code of.
    pub fn class(&self) -> OpenClass {
        match self {
            GraphError::Missing { .. } => OpenClass::Missing,
            GraphError::Damaged { .. } => OpenClass::Damaged,
            GraphError::Io { .. } | GraphError::Stopped(_) => OpenClass::Failed,
        }
    }
}

impl fmt::Display for GraphError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GraphError::Missing { place, why } => write!(f, "{}: {why}", place.display()),
            GraphError::Io { file, source } => write!(f, "{}: {source}", file.display()),
            GraphError::Damaged { file, source } => write!(f, "{}: {source}", file.display()),
            GraphError::Stopped(stopped) => stopped.fmt(f),
        }
    }
}

// Causes are part of the error's own words.
impl std::error::Error for GraphError {}

impl From<Stopped> for GraphError {
    fn from(stopped: Stopped) -> Self {
        GraphError::Stopped(stopped)
    }
}
