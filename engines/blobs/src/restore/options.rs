//! How a tree is restored, and what came of it.

use std::io;
use std::path::PathBuf;

use super::failure::Fault;
use crate::error::RepoError;
use crate::find::Patterns;

/// When a file that is there already is replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overwrite {
    /// Whatever it is.
    Always,
    /// If its size or the time of its last change differs.
    IfChanged,
    /// If the snapshot's was changed later.
    IfNewer,
    /// It stays.
    Never,
}

/// What is restored of a tree.
#[derive(Clone, Debug)]
pub enum Selection {
    /// All.
    All,
    /// What matches.
    Only(Patterns),
    /// What doesn't match.
    Without(Patterns),
}

/// How a tree is restored.
#[derive(Clone, Debug)]
pub struct RestoreOptions {
    /// What of it.
    pub selection: Selection,
    /// What happens to files that are there already.
    pub overwrite: Overwrite,
    /// Whether blobs of zeros become holes.
    pub is_sparse: bool,
    /// Whether it is only counted what would be restored.
    pub is_dry: bool,
    /// Whether what is chosen, and not in the snapshot, is removed from the folders that are
    /// restored.
    pub is_deleting: bool,
    /// Whether each file that was written is read back.
    pub is_verifying: bool,
}

/// What becomes of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RestoreEvent<'e> {
    /// It could not be restored as it was.
    Failed {
        /// The path in what is restored.
        path: &'e [u8],
        /// Whose fault it is.
        fault: Fault,
        /// Why, as a sentence.
        why: &'e str,
    },
    /// It is removed, or would be.
    Deleted {
        /// The path below the target.
        path: &'e [u8],
    },
}

manicule_core::counts! {
    /// What was restored.
    pub struct RestoreSums {
        /// Files, folders and others that were chosen.
        nodes,
        /// Those that were restored.
        restored,
        /// Those of them that stay as they are, or have their content already.
        skipped,
        /// Bytes of all files, hard links once.
        bytes,
        /// Those that were written.
        bytes_written,
        /// Bytes of files that stay.
        bytes_skipped,
        /// Files, folders and others that were removed.
        deleted,
        /// Files that were read back.
        verified,
        /// Files, folders and others that could not be restored, or not as they were.
        failures,
    }
}

/// Why a restoration ends early.
#[derive(Debug)]
pub enum RestoreError {
    /// The repository, or the watch of the call.
    Repo(RepoError),
    /// The target folder can't be made or opened.
    Target {
        /// Its path.
        path: PathBuf,
        /// Cause.
        source: io::Error,
    },
}

impl<E: Into<RepoError>> From<E> for RestoreError {
    fn from(error: E) -> Self {
        RestoreError::Repo(error.into())
    }
}
