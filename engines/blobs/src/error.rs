//! Error of a repository that can't be opened or read.

use std::fmt;
use std::io;

use manicule_core::ErrorClass;
use manicule_core::go::json::JsonError;
use manicule_core::idmap::GrowError;
use manicule_core::watch::Stopped;
use manicule_format_restic::{ConfigError, Id, SealError, UnpackError};
use manicule_store::context::OverBudget;
use manicule_store::store::StoreError;

/// Error of opening or reading a repository.
#[derive(Debug)]
#[non_exhaustive]
pub enum RepoError {
    /// There is no config: nothing of a repository, or all of it is gone.
    Missing {
        /// Place that was searched.
        place: String,
    },
    /// No key file can be opened with the password.
    WrongPassword {
        /// The repository.
        place: String,
        /// Number of key files that were tried.
        keys: usize,
        /// Those that could not be tried, as sentences.
        broken: Vec<String>,
    },
    /// The config can't be opened or read by the key that the password gave.
    Config {
        /// The file.
        file: String,
        /// The error.
        source: ConfigError,
    },
    /// A file can't be listed or read.
    Storage(StoreError),
    /// The bytes of a file are not those that it is named by.
    Damaged {
        /// The file.
        file: String,
        /// SHA-256 of its bytes.
        got: Id,
    },
    /// A file's envelope can't be opened.
    Sealed {
        /// The file.
        file: String,
        /// The error.
        source: SealError,
    },
    /// What an envelope holds can't be unpacked.
    Packed {
        /// The file.
        file: String,
        /// The error.
        source: UnpackError,
    },
    /// What a file holds is not the JSON that is wanted.
    Json {
        /// The file.
        file: String,
        /// The error, with its offset in the JSON.
        source: JsonError,
    },
    /// A page of the cache is broken, and the repository no longer has what it was made of.
    Cache {
        /// Why, as a sentence.
        why: String,
    },
    /// There are more entries than a map takes, or than there is memory for.
    Index(GrowError),
    /// Other calls hold the memory that the index needs.
    Memory(OverBudget),
    /// The system gave no random bytes.
    Random(io::Error),
    /// The watch of a call stopped it.
    Stopped(Stopped),
}

impl RepoError {
    /// The file that it is about, by its name in storage.
    pub fn file_id(&self) -> Option<Id> {
        let file = match self {
            RepoError::Storage(error) => error.file.to_str()?,
            RepoError::Config { file, .. }
            | RepoError::Damaged { file, .. }
            | RepoError::Sealed { file, .. }
            | RepoError::Packed { file, .. }
            | RepoError::Json { file, .. } => file,
            RepoError::Missing { .. }
            | RepoError::WrongPassword { .. }
            | RepoError::Cache { .. }
            | RepoError::Index(_)
            | RepoError::Memory(_)
            | RepoError::Random(_)
            | RepoError::Stopped(_) => return None,
        };
        Id::parse(file.rsplit('/').next()?.as_bytes())
    }

    /// Whether it is that a file which was listed is gone.
    pub(crate) fn is_missing(&self) -> bool {
        matches!(self, RepoError::Storage(error) if error.is_missing())
    }

    /// The class that a program makes an exit code of.
    pub fn class(&self) -> ErrorClass {
        match self {
            RepoError::Missing { .. } => ErrorClass::Missing,
            RepoError::WrongPassword { .. } => ErrorClass::Denied,
            RepoError::Storage(error) => error.class(),
            RepoError::Cache { .. } | RepoError::Index(_) | RepoError::Random(_) => {
                ErrorClass::Failed
            }
            RepoError::Memory(over) => over.class(),
            RepoError::Stopped(_) => ErrorClass::Stopped,
            RepoError::Config { .. }
            | RepoError::Damaged { .. }
            | RepoError::Sealed { .. }
            | RepoError::Packed { .. }
            | RepoError::Json { .. } => ErrorClass::Damaged,
        }
    }
}

impl fmt::Display for RepoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RepoError::Missing { place } => write!(
                f,
                "{place}: no restic repository; that is a folder with config, keys, data, index and snapshots"
            ),
            RepoError::WrongPassword { place, keys: 0, .. } => {
                write!(f, "{place}: there is no key file, so no password opens it")
            }
            RepoError::WrongPassword { place, keys, broken } => {
                let s = if *keys == 1 { "" } else { "s" };
                write!(f, "{place}: wrong password: none of {keys} key file{s} opens with it")?;
                broken.iter().try_for_each(|why| write!(f, "; {why}"))
            }
            RepoError::Config { file, source } => write!(f, "{file}: {source}"),
            RepoError::Storage(error) => error.fmt(f),
            RepoError::Damaged { file, got } => write!(
                f,
                "{file}: its bytes are not those that it is named by: their SHA-256 is {got}"
            ),
            RepoError::Sealed { file, source } => write!(f, "{file}: {source}"),
            RepoError::Packed { file, source } => write!(f, "{file}: {source}"),
            RepoError::Json { file, source } => write!(f, "{file}: {source}"),
            RepoError::Cache { why } => {
                write!(f, "the cache is damaged, and can't be mended; ask again, without it: {why}")
            }
            RepoError::Index(error) => error.fmt(f),
            RepoError::Memory(over) => over.fmt(f),
            RepoError::Random(error) => write!(f, "the system gives no random bytes: {error}"),
            RepoError::Stopped(stopped) => stopped.fmt(f),
        }
    }
}

// Causes are part of the error's own words.
impl std::error::Error for RepoError {}

impl From<StoreError> for RepoError {
    fn from(error: StoreError) -> Self {
        RepoError::Storage(error)
    }
}

impl From<Stopped> for RepoError {
    fn from(stopped: Stopped) -> Self {
        RepoError::Stopped(stopped)
    }
}

impl From<GrowError> for RepoError {
    fn from(error: GrowError) -> Self {
        RepoError::Index(error)
    }
}
