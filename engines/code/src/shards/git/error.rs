//! Errors of reading a git repository, each with what to do next.

use std::fmt;
use std::io;
#[cfg(feature = "git")]
use std::path::Path;
use std::path::PathBuf;

use manicule_core::ErrorClass;

/// Error of reading a git repository.
#[derive(Debug)]
#[non_exhaustive]
pub enum GitError {
    /// The folder is no repository.
    NoRepository {
        /// The folder as given.
        path: PathBuf,
    },
    /// The repository is of a kind that is not read.
    Unsupported {
        /// The repository.
        path: PathBuf,
        /// What it has.
        what: String,
    },
    /// A file of the repository can't be read.
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The config, or `.gitmodules`, is not understood.
    Config {
        /// The file.
        path: PathBuf,
        /// Why not.
        why: String,
    },
    /// There is no such branch, tag or commit.
    NoRevision {
        /// The repository.
        path: PathBuf,
        /// The revision as given.
        revision: String,
    },
    /// A glob of branches can't be followed.
    Glob {
        /// The glob.
        glob: String,
        /// Why not.
        why: String,
    },
    /// An object is not there.
    Missing {
        /// The repository.
        path: PathBuf,
        /// Id of the object.
        id: String,
    },
    /// An object is not what its id says, or can't be decoded.
    Damaged {
        /// The repository.
        path: PathBuf,
        /// Id of the object.
        id: String,
        /// What is wrong.
        why: String,
    },
    /// A commit has more files or deeper folders than anybody's.
    TooMuch {
        /// The repository.
        path: PathBuf,
        /// What there is too much of.
        what: &'static str,
    },
}

#[cfg(feature = "git")]
impl GitError {
    pub(super) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        move |source| GitError::Unreadable { path: path.to_owned(), source }
    }
}

impl GitError {
    /// Class of the error.
    pub fn class(&self) -> ErrorClass {
        match self {
            GitError::NoRepository { .. }
            | GitError::NoRevision { .. }
            | GitError::Missing { .. } => ErrorClass::Missing,
            GitError::Unsupported { .. } => ErrorClass::Unsupported,
            GitError::Unreadable { source, .. } => ErrorClass::of_io(source),
            GitError::Config { .. } | GitError::Damaged { .. } => ErrorClass::Damaged,
            GitError::Glob { .. } => ErrorClass::Asked,
            GitError::TooMuch { .. } => ErrorClass::TooMuch,
        }
    }
}

impl fmt::Display for GitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GitError::NoRepository { path } => write!(
                f,
                "{} is no git repository: name its folder, or that of its checkout",
                path.display()
            ),
            GitError::Unsupported { path, what } => {
                write!(f, "{}: {what}, which is not read", path.display())
            }
            GitError::Unreadable { path, source } => {
                write!(f, "can't read {}: {source}", path.display())
            }
            GitError::Config { path, why } => write!(f, "{}: {why}", path.display()),
            GitError::NoRevision { path, revision } => {
                write!(f, "{} has no branch, tag or commit {revision:?}", path.display())
            }
            GitError::Glob { glob, why } => write!(f, "the branches {glob:?}: {why}"),
            GitError::Missing { path, id } => write!(
                f,
                "{}: object {id} is not there; `git fsck` tells more, fetching again may mend it",
                path.display()
            ),
            GitError::Damaged { path, id, why } => write!(
                f,
                "{}: object {id} is damaged: {why}; `git fsck` tells more",
                path.display()
            ),
            GitError::TooMuch { path, what } => write!(f, "{}: {what}", path.display()),
        }
    }
}

impl std::error::Error for GitError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            GitError::Unreadable { source, .. } => std::error::Error::source(source),
            _ => None,
        }
    }
}
