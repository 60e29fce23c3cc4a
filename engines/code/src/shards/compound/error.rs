//! Errors of merging and exploding, each with what to do next.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use manicule_core::ErrorClass;
use manicule_format_zoekt::{Text, TooLong};
use manicule_store::context::OverBudget;

use super::super::index::WriteError;
use super::super::open::ShardError;

/// Error of merging or exploding shards. The shards that were there before are whole.
#[derive(Debug)]
#[non_exhaustive]
pub enum CompoundError {
    /// A shard can't be read.
    Shard(ShardError),
    /// A path has no name of a shard.
    NoShard(PathBuf),
    /// The shards lie in several folders.
    Folders {
        /// The folder of the first.
        first: PathBuf,
        /// Another one.
        second: PathBuf,
    },
    /// A repository has more shards than this one.
    Several {
        /// The shard.
        path: PathBuf,
    },
    /// Two shards hold the same repository.
    Twice {
        /// Its name.
        name: Text,
    },
    /// All repositories have tombstones, or none has a document.
    Nothing,
    /// More repositories than numbers of 16 bits can tell apart.
    Repositories {
        /// Number of repositories.
        count: usize,
    },
    /// A shard of a single repository can't be exploded.
    NotCompound {
        /// The shard.
        path: PathBuf,
    },
    /// A repository of the compound shard has shards of its own.
    Exists {
        /// The shard that is there.
        path: PathBuf,
    },
    /// Another process writes shards of these repositories.
    Busy {
        /// Folder of the shards.
        folder: PathBuf,
    },
    /// The new shards can't be written.
    Output {
        /// The file or folder.
        path: PathBuf,
        /// Cause, as the system says it.
        source: io::Error,
    },
    /// A shard would be longer than the format can express.
    TooLong(TooLong),
    /// More languages in a shard than a code of 16 bits can express.
    Languages,
    /// Other calls hold the memory.
    Memory(OverBudget),
    /// It was stopped.
    Stopped,
}

impl CompoundError {
    /// Class of the error.
    pub fn class(&self) -> ErrorClass {
        match self {
            CompoundError::Shard(error) => error.class(),
            CompoundError::NoShard(_)
            | CompoundError::Folders { .. }
            | CompoundError::Several { .. }
            | CompoundError::Twice { .. }
            | CompoundError::Nothing
            | CompoundError::NotCompound { .. }
            | CompoundError::Exists { .. } => ErrorClass::Asked,
            CompoundError::Repositories { .. }
            | CompoundError::TooLong(_)
            | CompoundError::Languages => ErrorClass::TooMuch,
            CompoundError::Busy { .. } => ErrorClass::Busy,
            CompoundError::Output { source, .. } => ErrorClass::of_io(source),
            CompoundError::Memory(over) => over.class(),
            CompoundError::Stopped => ErrorClass::Stopped,
        }
    }
}

impl fmt::Display for CompoundError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CompoundError::Shard(error) => error.fmt(f),
            CompoundError::NoShard(path) => {
                write!(f, "{} has no name of a shard, such as NAME_v16.00000.zoekt", path.display())
            }
            CompoundError::Folders { first, second } => write!(
                f,
                "shards are exchanged within a folder, and these lie in {} and {}",
                first.display(),
                second.display()
            ),
            CompoundError::Several { path } => write!(
                f,
                "{} is one of several shards of its repository, which can't be merged",
                path.display()
            ),
            CompoundError::Twice { name } => {
                write!(f, "{name} is in two of the shards: leave one out")
            }
            CompoundError::Nothing => {
                f.write_str("there is nothing to write: no repository is alive and has documents")
            }
            CompoundError::Repositories { count } => {
                write!(f, "{count} repositories are more than the 65,535 that a shard can hold")
            }
            CompoundError::NotCompound { path } => {
                write!(
                    f,
                    "{} is a shard of one repository: there is nothing to explode",
                    path.display()
                )
            }
            CompoundError::Exists { path } => write!(
                f,
                "{} is there already: its repository was indexed again; remove it, or the repository from the \
                 compound shard",
                path.display()
            ),
            CompoundError::Busy { folder } => write!(
                f,
                "another process writes shards of these repositories in {}; wait for it",
                folder.display()
            ),
            CompoundError::Output { path, source } => {
                write!(f, "can't write {}: {source}", path.display())
            }
            CompoundError::TooLong(source) => write!(f, "{source}; merge fewer shards"),
            CompoundError::Languages => f.write_str(
                "more than 65,535 languages, which is all that codes can tell; merge fewer shards",
            ),
            CompoundError::Memory(over) => over.fmt(f),
            CompoundError::Stopped => f.write_str("stopped; the shards are as they were before"),
        }
    }
}

impl std::error::Error for CompoundError {}

impl From<ShardError> for CompoundError {
    fn from(error: ShardError) -> Self {
        CompoundError::Shard(error)
    }
}

impl CompoundError {
    pub(super) fn output(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        move |source| CompoundError::Output { path: path.to_owned(), source }
    }

    pub(super) fn write(path: &Path) -> impl FnOnce(WriteError) -> Self + '_ {
        move |error| match error {
            WriteError::Io(source) => CompoundError::Output { path: path.to_owned(), source },
            WriteError::TooLong(source) => CompoundError::TooLong(source),
            WriteError::Languages => CompoundError::Languages,
            WriteError::Stopped => CompoundError::Stopped,
        }
    }
}
