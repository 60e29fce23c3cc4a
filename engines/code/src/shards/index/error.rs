//! Errors of an index run, each with what to do next.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use manicule_core::ErrorClass;
use manicule_format_zoekt::{Text, TooLong};
use manicule_store::context::OverBudget;

use super::super::git::GitError;
use super::super::open::ShardError;
use super::super::symbols::CtagsError;
use super::intake::IntakeError;
use super::sections::WriteError;
use super::source::ReadError;
use super::walk::WalkError;

/// The most branches that a repository can have: a bit each in a mask of 64.
pub(super) const BRANCH_COUNT_MAX: usize = 64;

/// Error of indexing a folder. The index that was there before is whole.
#[derive(Debug)]
#[non_exhaustive]
pub enum IndexError {
    /// The folder, or something in it, can't be read.
    Walk(WalkError),
    /// The git repository can't be read.
    Git(GitError),
    /// The output can't be written.
    Output {
        /// The file or folder.
        path: PathBuf,
        /// Cause, as the system says it.
        source: io::Error,
    },
    /// The output lies in the folder, which isn't set to leave it out: it would index itself.
    OutputInside {
        /// The output.
        output: PathBuf,
        /// The folder.
        folder: PathBuf,
    },
    /// A shard would be longer than the format can express.
    TooLong {
        /// Number of the shard.
        number: usize,
        /// Its length.
        source: TooLong,
    },
    /// A document is longer than a whole shard can be.
    DocumentTooLong {
        /// Its name.
        name: Text,
        /// Its bytes.
        len: u64,
    },
    /// More languages in a shard than a code of 16 bits can express.
    Languages {
        /// Number of the shard.
        number: usize,
    },
    /// More branches than a mask has bits.
    Branches {
        /// Number of branches.
        count: usize,
    },
    /// Symbols are wanted, and ctags fails.
    Symbols(CtagsError),
    /// The repository's shards are there, and it could not get a tombstone in a compound shard.
    Tombstone(ShardError),
    /// Another process writes the shards of this repository.
    Busy {
        /// Folder of the shards.
        output: PathBuf,
    },
    /// Other calls hold the memory.
    Memory(OverBudget),
    /// It was stopped.
    Stopped,
}

impl IndexError {
    /// Class of the error.
    pub fn class(&self) -> ErrorClass {
        match self {
            IndexError::Walk(WalkError::NoFolder { .. }) => ErrorClass::Missing,
            IndexError::Walk(WalkError::Refused { source, .. })
            | IndexError::Output { source, .. } => ErrorClass::of_io(source),
            IndexError::Walk(WalkError::Ignore { .. })
            | IndexError::OutputInside { .. }
            | IndexError::Branches { .. } => ErrorClass::Asked,
            IndexError::Git(error) => error.class(),
            IndexError::TooLong { .. }
            | IndexError::DocumentTooLong { .. }
            | IndexError::Languages { .. } => ErrorClass::TooMuch,
            IndexError::Symbols(CtagsError::Start { .. }) => ErrorClass::Missing,
            IndexError::Symbols(_) => ErrorClass::Failed,
            IndexError::Tombstone(error) => error.class(),
            IndexError::Busy { .. } => ErrorClass::Busy,
            IndexError::Memory(over) => over.class(),
            IndexError::Stopped => ErrorClass::Stopped,
        }
    }
}

impl fmt::Display for IndexError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IndexError::Walk(error) => error.fmt(f),
            IndexError::Git(error) => error.fmt(f),
            IndexError::Output { path, source } => {
                write!(f, "can't write {}: {source}", path.display())?;
                match source.kind() {
                    io::ErrorKind::StorageFull
                    | io::ErrorKind::QuotaExceeded
                    | io::ErrorKind::FileTooLarge => {
                        f.write_str("; make room, or choose another folder with -index")
                    }
                    io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                        f.write_str("; make it writable, or choose another folder with -index")
                    }
                    _ => Ok(()),
                }
            }
            IndexError::OutputInside { output, folder } => write!(
                f,
                "the output folder {} lies in the folder to index, {}: it would index itself; \
                 choose another with -index, or leave it out with -ignore_dirs or .sourcegraph/ignore",
                output.display(),
                folder.display()
            ),
            IndexError::TooLong { number, source } => {
                write!(f, "shard {number}: {source}; lower -shard_limit")
            }
            IndexError::DocumentTooLong { name, len } => write!(
                f,
                "{name} has {len} bytes, more than a whole shard can have; narrow -large_file"
            ),
            IndexError::Languages { number } => write!(
                f,
                "shard {number} has more than 65,535 languages, which is all that codes can tell; \
                 lower -shard_limit"
            ),
            IndexError::Branches { count } => write!(
                f,
                "the repository has {count} branches, and a shard can tell {BRANCH_COUNT_MAX}; \
                 leave some out of -meta"
            ),
            IndexError::Symbols(error) => error.fmt(f),
            IndexError::Tombstone(error) => {
                write!(f, "indexed, but still in a compound shard too: {error}")
            }
            IndexError::Busy { output } => write!(
                f,
                "another process writes this repository's shards in {}; wait for it",
                output.display()
            ),
            IndexError::Memory(over) => over.fmt(f),
            IndexError::Stopped => f.write_str("stopped; the index is as it was before"),
        }
    }
}

impl std::error::Error for IndexError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            // These speak with the words of what they hold.
            IndexError::Walk(error) => error.source(),
            IndexError::Git(error) => error.source(),
            IndexError::Symbols(error) => error.source(),
            IndexError::TooLong { source, .. } => source.source(),
            _ => None,
        }
    }
}

impl IndexError {
    pub(super) fn output(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        move |source| IndexError::Output { path: path.to_owned(), source }
    }

    pub(super) fn intake(spill: &Path) -> impl FnOnce(IntakeError) -> Self + '_ {
        move |error| match error {
            IntakeError::Read(ReadError::Folder(error)) => IndexError::Walk(error),
            IntakeError::Read(ReadError::Git(error)) => IndexError::Git(error),
            IntakeError::Spill(source) => IndexError::Output { path: spill.to_owned(), source },
            IntakeError::TooLong { name, len } => {
                IndexError::DocumentTooLong { name: Text(name), len }
            }
            IntakeError::Symbols(error) => IndexError::Symbols(error),
            IntakeError::Stopped => IndexError::Stopped,
        }
    }

    pub(super) fn write(number: usize, path: &Path) -> impl FnOnce(WriteError) -> Self + '_ {
        move |error| match error {
            WriteError::Io(source) => IndexError::Output { path: path.to_owned(), source },
            WriteError::TooLong(source) => IndexError::TooLong { number, source },
            WriteError::Languages => IndexError::Languages { number },
            WriteError::Stopped => IndexError::Stopped,
        }
    }
}
