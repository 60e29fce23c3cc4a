//! Error of a table that can't be opened or read.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use manicule_core::ErrorClass;
use manicule_core::bytes::DecodeError;
use manicule_core::compress::DecompressError;
use manicule_core::watch::Stopped;
use manicule_format_sstable::{Descriptor, SchemaError, SstableError, is_transaction_log};
use manicule_store::context::OverBudget;
use manicule_store::pages::PageError;
use manicule_store::store::StoreError;

/// Error of opening or reading a table.
#[derive(Debug)]
#[non_exhaustive]
pub enum RowsError {
    /// There is no finished SSTable.
    Missing {
        /// Place that was searched.
        place: PathBuf,
        /// Why what lies there is none, as a sentence.
        why: String,
    },
    /// A file can't be listed, opened or read.
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
        source: SstableError,
    },
    /// A file contradicts the others of its table: one of them is cut, or of another table.
    Contradicted {
        /// The file.
        file: PathBuf,
        /// What it says, what the other says, as a sentence.
        what: String,
    },
    /// A chunk can't be decompressed.
    Chunk {
        /// The file.
        file: PathBuf,
        /// Offset of the chunk in the file.
        at: u64,
        /// Wanted, got.
        source: DecompressError,
    },
    /// A table of a kind that isn't read.
    Unsupported {
        /// The file that says so.
        file: PathBuf,
        /// What it has, as a sentence.
        what: String,
    },
    /// A CQL file that can't be read, or whose table has another key.
    Schema {
        /// The file.
        file: PathBuf,
        /// Place, wanted, got.
        source: SchemaError,
    },
    /// None of the tables of a CQL file is the one that is read, or several may be.
    NoTable {
        /// The file.
        file: PathBuf,
        /// Which it has, as a sentence.
        why: String,
    },
    /// Rows that can't be written: out of order, or without bytes in the version.
    Unwritable {
        /// What is wrong, as a sentence.
        why: String,
    },
    /// The query would hold more memory than its budget.
    OverBudget(OverBudget),
    /// A slice that ends before it starts.
    EmptySlice,
    /// The watch of a call stopped it.
    Stopped(Stopped),
}

impl RowsError {
    /// The class that a program makes an exit code of.
    pub fn class(&self) -> ErrorClass {
        match self {
            RowsError::Missing { .. } => ErrorClass::Missing,
            RowsError::Damaged { .. }
            | RowsError::Contradicted { .. }
            | RowsError::Chunk { .. } => ErrorClass::Damaged,
            RowsError::Io { source, .. } => ErrorClass::of_io(source),
            RowsError::Unsupported { .. } => ErrorClass::Unsupported,
            RowsError::Schema { .. }
            | RowsError::NoTable { .. }
            | RowsError::Unwritable { .. }
            | RowsError::EmptySlice => ErrorClass::Asked,
            RowsError::OverBudget(error) => error.class(),
            RowsError::Stopped(_) => ErrorClass::Stopped,
        }
    }

    /// Whether a file of an SSTable is gone that a list had: a server has put others in its place,
    /// perhaps.
    pub fn is_vanished(&self) -> bool {
        let RowsError::Io { file, source } = self else { return false };
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let is_listed = Descriptor::parse(&name).is_some() || is_transaction_log(&name);
        source.kind() == io::ErrorKind::NotFound && is_listed
    }

    /// An error of bytes of `file`.
    pub(crate) fn damaged(file: &Path, source: impl Into<SstableError>) -> Self {
        RowsError::Damaged { file: file.to_owned(), source: source.into() }
    }

    /// An error of reading `file` by pages.
    pub(crate) fn paged(file: &Path, error: PageError) -> Self {
        match error {
            PageError::Io(source) => RowsError::Io { file: file.to_owned(), source },
            PageError::Outside { at, wanted, file_len } => {
                let have = file_len.saturating_sub(at);
                let short =
                    DecodeError::Short { what: "bytes of the file", at, need: wanted, have };
                RowsError::damaged(file, short)
            }
            PageError::OverBudget(error) => RowsError::OverBudget(error),
        }
    }
}

impl From<StoreError> for RowsError {
    fn from(error: StoreError) -> Self {
        RowsError::Io { file: error.file, source: error.source }
    }
}

impl fmt::Display for RowsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RowsError::Missing { place, why } => write!(f, "{}: {why}", place.display()),
            RowsError::Io { file, source } => write!(f, "{}: {source}", file.display()),
            RowsError::Damaged { file, source } => write!(f, "{}: {source}", file.display()),
            RowsError::Contradicted { file, what } => write!(f, "{}: {what}", file.display()),
            RowsError::Chunk { file, at, source } => {
                write!(f, "{}: chunk at offset {at}: {source}", file.display())
            }
            RowsError::Unsupported { file, what } => write!(f, "{}: {what}", file.display()),
            RowsError::Schema { file, source } => write!(f, "{}: {source}", file.display()),
            RowsError::NoTable { file, why } => write!(f, "{}: {why}", file.display()),
            RowsError::Unwritable { why } => f.write_str(why),
            RowsError::OverBudget(error) => error.fmt(f),
            RowsError::Stopped(stopped) => stopped.fmt(f),
            RowsError::EmptySlice => {
                write!(
                    f,
                    "the slice is empty: its start is not before its end, in the order of the table"
                )
            }
        }
    }
}

// Causes are part of the error's own words.
impl std::error::Error for RowsError {}

impl From<Stopped> for RowsError {
    fn from(stopped: Stopped) -> Self {
        RowsError::Stopped(stopped)
    }
}
