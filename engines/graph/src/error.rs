//! Error of a store that can't be opened, read or written.

use std::fmt;
use std::io;
use std::path::PathBuf;

use manicule_core::ErrorClass;
use manicule_core::bytes::DecodeError;
use manicule_core::watch::Stopped;
use manicule_format_leaf::Id;
use manicule_store::store::StoreError;

use crate::term::TooManyLevels;

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
    /// The log is damaged, was cut, or is gone: commits that were acknowledged can't be read.
    Log(LostCommits),
    /// The bytes of a term contradict the format, or an id names none.
    Term {
        /// Its id.
        id: Id,
        /// Place among its bytes, wanted, got.
        source: DecodeError,
    },
    /// More triple terms inside each other than a store takes.
    TripleLevels(TooManyLevels),
    /// Another process, or another handle of this one, has the store open for writing.
    Busy {
        /// Folder of the store.
        store: PathBuf,
    },
    /// Another process merges commits of the store, and writes nothing else.
    Merging {
        /// Folder of the store.
        store: PathBuf,
    },
    /// A snapshot can't be called so.
    SnapshotName {
        /// The name.
        name: String,
    },
    /// The disk failed when a commit was to be made durable. What it holds of that commit shows
    /// when the store is opened again.
    WriterStopped {
        /// Folder of the store.
        store: PathBuf,
        /// What failed.
        why: String,
    },
    /// The watch of a call stopped it.
    Stopped(Stopped),
}

/// Commits of a log that can't be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostCommits {
    /// The segment of the log.
    pub file: PathBuf,
    /// What is wrong with it.
    pub what: String,
    /// Where; none where it is gone.
    pub at: Option<u64>,
    /// The last commit that can be read.
    pub kept: u64,
    /// The greatest number of a lost one that is known.
    pub last: Option<u64>,
}

impl LostCommits {
    /// What is lost and why, without the file.
    pub fn story(&self) -> String {
        let LostCommits { what, kept, last, .. } = self;
        let count = match last.map(|last| last - kept) {
            Some(1) => "there was 1".to_owned(),
            Some(count) => format!("there were {count}"),
            None => "nobody knows how many there were".to_owned(),
        };
        format!("{what}: no commit after {kept} can be read, of which {count}")
    }
}

impl fmt::Display for LostCommits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.file.display(), self.story())
    }
}

impl GraphError {
    /// The class that a program makes an exit code of.
    pub fn class(&self) -> ErrorClass {
        match self {
            GraphError::Missing { .. } => ErrorClass::Missing,
            GraphError::Damaged { .. } | GraphError::Log(_) | GraphError::Term { .. } => {
                ErrorClass::Damaged
            }
            GraphError::Io { source, .. } => ErrorClass::of_io(source),
            GraphError::Busy { .. } | GraphError::Merging { .. } => ErrorClass::Busy,
            GraphError::TripleLevels(_) => ErrorClass::TooMuch,
            GraphError::SnapshotName { .. } => ErrorClass::Asked,
            GraphError::WriterStopped { .. } => ErrorClass::Failed,
            GraphError::Stopped(_) => ErrorClass::Stopped,
        }
    }
}

impl From<StoreError> for GraphError {
    fn from(StoreError { file, source }: StoreError) -> Self {
        GraphError::Io { file, source }
    }
}

impl fmt::Display for GraphError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GraphError::Missing { place, why } => write!(f, "{}: {why}", place.display()),
            GraphError::Io { file, source } => write!(f, "{}: {source}", file.display()),
            GraphError::Damaged { file, source } => write!(f, "{}: {source}", file.display()),
            GraphError::Log(lost) => {
                write!(
                    f,
                    "{lost}; fetch a backup, or give them up by `manicule graph update --forget-after-damage`"
                )
            }
            GraphError::Term { id, source } => write!(f, "term {id:?}: {source}"),
            GraphError::Busy { store } => {
                write!(f, "{}: another process has the store open for writing", store.display())
            }
            GraphError::Merging { store } => {
                let store = store.display();
                write!(
                    f,
                    "{store}: another process merges its commits; try again when it has ended"
                )
            }
            GraphError::SnapshotName { name } => {
                write!(
                    f,
                    "a snapshot can't be called {name:?}: up to 100 letters, digits, -, _ and dots, a dot not first"
                )
            }
            GraphError::WriterStopped { store, why } => {
                let store = store.display();
                write!(
                    f,
                    "{store}: nothing is written any more since the disk failed ({why}); open the store again"
                )
            }
            GraphError::TripleLevels(levels) => write!(f, "{levels}: no store takes them"),
            GraphError::Stopped(stopped) => stopped.fmt(f),
        }
    }
}

// Causes are part of the error's own words.
impl std::error::Error for GraphError {}

impl From<TooManyLevels> for GraphError {
    fn from(levels: TooManyLevels) -> Self {
        GraphError::TripleLevels(levels)
    }
}

impl From<Stopped> for GraphError {
    fn from(stopped: Stopped) -> Self {
        GraphError::Stopped(stopped)
    }
}
