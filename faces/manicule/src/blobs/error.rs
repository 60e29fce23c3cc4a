//! Errors of the jobs on repositories.

use std::fmt;
use std::io;
use std::path::PathBuf;

use manicule_blobs::find::PatternsError;
use manicule_blobs::lock::LockError;
use manicule_blobs::repair::RepairError;
use manicule_blobs::usage::UsageError;
use manicule_blobs::{Id, RepoError};
use manicule_core::ErrorClass;

/// Reason why a job on a repository was not done, or not to the end.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The repository can't be opened or read.
    Repo(RepoError),
    /// A prune can't be planned.
    Usage(UsageError),
    /// The index can't be repaired.
    Repair(RepairError),
    /// The system gave no random bytes.
    Random(io::Error),
    /// The cache that was asked for can't be written.
    Cache {
        /// Folder of all caches.
        folder: PathBuf,
        /// Cause.
        source: io::Error,
    },
    /// No snapshot has an id that begins so.
    NoSnapshot(String),
    /// A snapshot that is meant, or may be, can't be read; why, as a sentence.
    Broken(String),
    /// Ids of several snapshots begin so.
    Ambiguous {
        /// The beginning.
        prefix: String,
        /// Number of snapshots.
        count: usize,
    },
    /// A word is no beginning of an id.
    NotAnId(String),
    /// A word is no beginning of an id of a blob, tree or pack.
    NotABlob(String),
    /// No pack has an id that begins so.
    NoPack(String),
    /// A tree or blob can't be read; why, as a sentence.
    Unreadable(String),
    /// A snapshot has no such path.
    NoPath {
        /// The path, as far as it isn't there.
        path: String,
        /// The snapshot.
        of: Id,
    },
    /// A path is no folder.
    NoFolder(String),
    /// A path is neither a file nor a folder.
    NoFile {
        /// The path.
        path: String,
        /// What it is.
        kind: String,
    },
    /// No file of a kind has an id that begins so, or several have.
    NoObject {
        /// The kind.
        kind: &'static str,
        /// What was asked for.
        word: String,
        /// Number of those that begin so.
        count: usize,
    },
    /// The result can't be written.
    Write {
        /// Where.
        path: PathBuf,
        /// Cause.
        source: io::Error,
    },
    /// Patterns can't be searched for.
    Patterns(PatternsError),
    /// Of the words of a search some are ids, and some are patterns.
    Mixed {
        /// The first that is an id.
        id: String,
        /// The first that is a pattern.
        pattern: String,
    },
}

impl Error {
    /// The class that a program makes an exit code of.
    pub fn class(&self) -> ErrorClass {
        match self {
            Error::Repo(error) => error.class(),
            Error::Usage(error) => error.class(),
            Error::Repair(error) => error.class(),
            Error::Random(_) => ErrorClass::Failed,
            Error::Cache { source, .. } | Error::Write { source, .. } => ErrorClass::of_io(source),
            Error::NoSnapshot(_) | Error::NoPack(_) | Error::NoPath { .. } => ErrorClass::Missing,
            Error::NoObject { count: 0, .. } => ErrorClass::Missing,
            Error::Broken(_) | Error::Unreadable(_) => ErrorClass::Damaged,
            Error::Ambiguous { .. }
            | Error::NotAnId(_)
            | Error::NotABlob(_)
            | Error::NoFolder(_)
            | Error::NoFile { .. }
            | Error::NoObject { .. }
            | Error::Patterns(_)
            | Error::Mixed { .. } => ErrorClass::Asked,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Repo(error) => error.fmt(f),
            Error::Usage(error) => error.fmt(f),
            Error::Repair(error) => error.fmt(f),
            Error::Random(_) => f.write_str("the system gives no random bytes"),
            Error::Cache { folder, source } => {
                write!(f, "{}: the index can't be kept there: {source}", folder.display())
            }
            Error::NoSnapshot(prefix) => {
                write!(f, "no snapshot is called {prefix}; `manicule blobs snapshots` lists them")
            }
            Error::Broken(why) => write!(f, "a snapshot that may be meant can't be read: {why}"),
            Error::Ambiguous { prefix, count } => {
                write!(f, "{count} snapshots have ids that begin with {prefix}: give more digits")
            }
            Error::NotAnId(word) => {
                write!(f, "{word:?} is no id: wanted 1 to 64 hexadecimal digits, or latest")
            }
            Error::NotABlob(word) => {
                write!(f, "{word:?} is no id: wanted 8 to 64 hexadecimal digits")
            }
            Error::NoPack(prefix) => write!(
                f,
                "no pack is called {prefix}, in no file and in no index; `manicule blobs list packs` lists them"
            ),
            Error::Unreadable(why) => f.write_str(why),
            Error::NoPath { path, of } => write!(f, "path {path}: not found in snapshot {of}"),
            Error::NoFolder(path) => write!(f, "path {path}: not a directory"),
            Error::NoFile { path, kind } => {
                write!(f, "path {path} should be a file, but is a {kind:?}")
            }
            Error::NoObject { kind, word, count: 0 } => write!(f, "there is no {kind} {word}"),
            Error::NoObject { kind, word, count } => {
                write!(
                    f,
                    "{count} files of kind {kind} have ids that begin with {word}: give more digits"
                )
            }
            Error::Write { path, .. } => write!(f, "{}: it can't be written", path.display()),
            Error::Patterns(error) => error.fmt(f),
            Error::Mixed { id, pattern } => {
                write!(f, "{id} is an id and {pattern:?} a pattern: search for them in two calls")
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Random(source) | Error::Write { source, .. } => Some(source),
            // The sources' messages are part of the error's own text.
            _ => None,
        }
    }
}

impl From<RepoError> for Error {
    fn from(error: RepoError) -> Self {
        Error::Repo(error)
    }
}

impl From<UsageError> for Error {
    fn from(error: UsageError) -> Self {
        Error::Usage(error)
    }
}

impl From<RepairError> for Error {
    fn from(error: RepairError) -> Self {
        Error::Repair(error)
    }
}

impl From<LockError> for Error {
    fn from(error: LockError) -> Self {
        Error::Repair(error.into())
    }
}
