//! Error of building blocks from text.

use std::fmt;
use std::io::{self};

use manicule_core::ErrorClass;
use manicule_core::watch::Stopped;
use manicule_store::store::StoreError;

use crate::make::write::WriteError;
use crate::openmetrics::TextError;

/// Error of building blocks: nothing, or no more, was built.
#[derive(Debug)]
#[non_exhaustive]
pub enum BuildError {
    /// A text can't be read.
    Text(TextError),
    /// An index can't hold the series.
    Index(WriteError),
    /// A file or folder fails.
    Io(io::Error),
    /// Its watch stopped it.
    Stopped,
}

impl BuildError {
    /// Class of the error.
    pub fn class(&self) -> ErrorClass {
        match self {
            BuildError::Text(_) => ErrorClass::Damaged,
            BuildError::Index(error) => error.class(),
            BuildError::Io(error) => ErrorClass::of_io(error),
            BuildError::Stopped => ErrorClass::Stopped,
        }
    }
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BuildError::Text(error) => error.fmt(f),
            BuildError::Index(error) => error.fmt(f),
            BuildError::Io(error) => error.fmt(f),
            BuildError::Stopped => Stopped.fmt(f),
        }
    }
}

impl std::error::Error for BuildError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            BuildError::Text(error) => Some(error),
            BuildError::Index(error) => Some(error),
            BuildError::Io(error) => Some(error),
            BuildError::Stopped => None,
        }
    }
}

impl From<io::Error> for BuildError {
    fn from(error: io::Error) -> Self {
        BuildError::Io(error)
    }
}

impl From<StoreError> for BuildError {
    fn from(error: StoreError) -> Self {
        if error.is_stopped() { BuildError::Stopped } else { BuildError::Io(error.source) }
    }
}

impl From<WriteError> for BuildError {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::Stopped => BuildError::Stopped,
            error => BuildError::Index(error),
        }
    }
}

impl From<Stopped> for BuildError {
    fn from(_: Stopped) -> Self {
        BuildError::Stopped
    }
}

impl From<TextError> for BuildError {
    fn from(error: TextError) -> Self {
        BuildError::Text(error)
    }
}
