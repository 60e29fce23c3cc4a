//! Errors of stores.

use std::fmt;
use std::io;
use std::path::PathBuf;

use manicule_core::ErrorClass;
use manicule_core::watch::Stopped;

/// A file or folder of a store can't be listed, read or written.
#[derive(Debug)]
pub struct StoreError {
    /// The file or folder, as [`super::Store::show`] has it.
    pub file: PathBuf,
    /// Cause.
    pub source: io::Error,
}

impl StoreError {
    /// Whether there is no such file.
    pub fn is_missing(&self) -> bool {
        self.source.kind() == io::ErrorKind::NotFound
    }

    /// Whether the file is of another version than the one that was seen.
    pub fn is_replaced(&self) -> bool {
        self.source.kind() == io::ErrorKind::StaleNetworkFileHandle
    }

    /// Whether the call was stopped before its end.
    pub fn is_stopped(&self) -> bool {
        self.source.get_ref().is_some_and(|inner| inner.is::<Stopped>())
    }

    /// The class that a program makes an exit code of.
    pub fn class(&self) -> ErrorClass {
        ErrorClass::of_io(&self.source)
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.file.display(), self.source)
    }
}

/// The error of a file that is of another version than the one that was seen.
pub(super) fn replaced() -> io::Error {
    io::Error::new(io::ErrorKind::StaleNetworkFileHandle, "replaced since it was opened")
}

// The cause is part of the error's own words.
impl std::error::Error for StoreError {}
