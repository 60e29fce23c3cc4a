//! Errors of planning a prune.

use std::fmt;

use manicule_core::ErrorClass;
use manicule_format_restic::Id;

use crate::error::RepoError;

/// Why a prune can't be planned: with it, restic's would end before it does anything.
#[derive(Debug)]
pub enum UsageError {
    /// The repository can't be read.
    Repo(RepoError),
    /// A text is no bound of unused bytes.
    UnusedMax(String),
    /// Blobs can't be compressed in a repository of version 1.
    Version1,
    /// A snapshot, or a tree or blob that one needs, can't be read or is not there.
    Incomplete {
        /// What it is, as sentences.
        gaps: Vec<String>,
    },
    /// A pack with used blobs has another length than its blobs make.
    PackLen {
        /// The pack.
        pack: Id,
        /// Length that the index makes it.
        want: u64,
        /// Length of the file.
        got: u64,
    },
    /// Packs with used blobs are not in storage.
    MissingPacks {
        /// The packs.
        packs: Vec<Id>,
    },
}

impl UsageError {
    /// Class of the error.
    pub fn class(&self) -> ErrorClass {
        match self {
            UsageError::Repo(error) => error.class(),
            UsageError::UnusedMax(_) => ErrorClass::Asked,
            UsageError::Version1 => ErrorClass::Unsupported,
            UsageError::Incomplete { .. }
            | UsageError::PackLen { .. }
            | UsageError::MissingPacks { .. } => ErrorClass::Damaged,
        }
    }
}

impl fmt::Display for UsageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UsageError::Repo(error) => error.fmt(f),
            UsageError::UnusedMax(text) if text.ends_with('%') => {
                write!(f, "{text:?} is no share: wanted a number from 0 to below 100 and %")
            }
            UsageError::UnusedMax(text) => {
                write!(f, "{text:?} is no bound: wanted a share such as 5%, bytes, or unlimited")
            }
            UsageError::Version1 => f.write_str(
                "blobs that are not compressed can't be repacked: that takes a repository of version 2, this one is of version 1",
            ),
            UsageError::Incomplete { gaps } => {
                let first = gaps.first().map_or("", String::as_str);
                match gaps.len() {
                    0 | 1 => f.write_str(first),
                    count => write!(f, "{first}; and {} more of the kind", count - 1),
                }
            }
            UsageError::PackLen { pack, want, got } => write!(
                f,
                "pack {pack}: length by the index {want} bytes, of the file {got}; `restic repair index` reads it again"
            ),
            UsageError::MissingPacks { packs } => {
                let (count, first) = (packs.len(), packs[0]);
                write!(f, "{count} packs of the index are not in storage, {first} is one of them")
            }
        }
    }
}

impl std::error::Error for UsageError {}

impl<E: Into<RepoError>> From<E> for UsageError {
    fn from(error: E) -> Self {
        UsageError::Repo(error.into())
    }
}
