//! Errors of the jobs on blocks.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use manicule_core::ErrorClass;
use manicule_series::build::BuildError;
use manicule_series::dump::DumpError;
use manicule_series::merge::MergeError;
use manicule_series::query::ChoiceError;
use manicule_series::{BlockError, Untaken};
use manicule_store::context::OverBudget;
use manicule_store::store::StoreError;

use super::input::Input;

/// Reason why a job on blocks was not done, or not to the end.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A block can't be opened or read.
    Block(BlockError),
    /// A block can't be made from others.
    Make(MergeError),
    /// Samples can't be written as text.
    Dump(DumpError),
    /// A text can't be opened or read, or its samples can't be kept.
    Input {
        /// Source of the text.
        input: Input,
        /// The cause.
        source: BuildError,
    },
    /// A block can't be built from texts. Those before it were published.
    Build {
        /// The folder for blocks.
        path: PathBuf,
        /// The cause.
        source: BuildError,
    },
    /// The folder for new blocks can't be made or swept.
    Output {
        /// The folder.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The system whose bucket it is would not take the blocks.
    Untaken(Untaken),
    /// The system gave no random bytes for the names of blocks.
    Random(io::Error),
    /// A folder has no block of that name.
    NoBlock {
        /// The folder.
        folder: PathBuf,
        /// Name of the block.
        name: String,
    },
    /// The blocks don't have what was chosen of raw and downsampled ones.
    Choice(ChoiceError),
    /// The times asked for end before they begin.
    Times,
    /// Other calls hold the memory.
    Memory(OverBudget),
}

impl Error {
    /// Of an output folder in a store: with the name of its file, if that is another.
    pub(super) fn output(folder: &Path, error: StoreError) -> Self {
        let path = if error.file.starts_with(folder) { error.file } else { folder.to_owned() };
        Error::Output { path, source: error.source }
    }

    /// Class of the error.
    pub fn class(&self) -> ErrorClass {
        match self {
            Error::Block(error) => error.class(),
            Error::Make(error) => error.class(),
            Error::Dump(error) => error.class(),
            Error::Input { source, .. } | Error::Build { source, .. } => source.class(),
            Error::Output { source, .. } => ErrorClass::of_io(source),
            Error::Random(_) => ErrorClass::Failed,
            Error::NoBlock { .. } => ErrorClass::Missing,
            Error::Choice(error) => error.class(),
            Error::Times | Error::Untaken(_) => ErrorClass::Asked,
            Error::Memory(over) => over.class(),
        }
    }

    /// Whether bytes of a block contradict the format, so that leaving damaged parts out may help.
    pub fn is_damage(&self) -> bool {
        let (Error::Block(error)
        | Error::Make(MergeError::Block(error))
        | Error::Dump(DumpError::Block(error))) = self
        else {
            return false;
        };
        error.is_damage()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Block(error) => error.fmt(f),
            Error::Make(error) => error.fmt(f),
            Error::Dump(error) => error.fmt(f),
            Error::Input { input, source } => write!(f, "{input}: {source}"),
            Error::Build { path, source } => write!(f, "{}: {source}", path.display()),
            Error::Output { path, source } => write!(f, "{}: {source}", path.display()),
            Error::Untaken(untaken) => untaken.fmt(f),
            Error::Random(_) => f.write_str("there are no random bytes for the names of blocks"),
            Error::NoBlock { folder, name } => {
                write!(f, "{} has no block {name}", folder.display())
            }
            Error::Choice(error) => error.fmt(f),
            Error::Times => f.write_str("the times end before they begin"),
            Error::Memory(over) => over.fmt(f),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Random(source) => Some(source),
            // The sources' messages are part of the error's own text.
            _ => None,
        }
    }
}

impl From<BlockError> for Error {
    fn from(error: BlockError) -> Self {
        Error::Block(error)
    }
}

impl From<ChoiceError> for Error {
    fn from(error: ChoiceError) -> Self {
        Error::Choice(error)
    }
}

impl From<MergeError> for Error {
    fn from(error: MergeError) -> Self {
        Error::Make(error)
    }
}

impl From<DumpError> for Error {
    fn from(error: DumpError) -> Self {
        Error::Dump(error)
    }
}
