//! Options, report and errors of building a tree's index.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use manicule_core::watch::{Stopped, Watch};
use manicule_store::context::OverBudget;
use manicule_store::{Handle, Lease};

use crate::trust::Stores;

/// Options of a build.
pub struct BuildOptions<'a> {
    /// The cache folder.
    pub cache: &'a Path,
    /// Whether what an index knows already is used.
    pub reuse: Reuse,
    /// Behaviour while another process is building the same index.
    pub when_busy: WhenBusy,
    /// Number of threads that read and encode.
    pub threads: usize,
    /// About how many bytes of memory the build may take, the file cache aside; segments are cut so
    /// that it holds.
    pub memory: u64,
    /// All indexes together are held below this many bytes; those last used longest ago go first.
    pub cache_len_max: u64,
    /// The clock, in nanoseconds since 1970.
    pub clock: &'a (dyn Fn() -> u64 + Sync),
}

/// Whether what an index knows already is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reuse {
    /// Its knowledge of files that have not changed.
    Unchanged,
    /// Nothing: every file is read.
    Nothing,
}

/// Behaviour while another process is building the same index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhenBusy {
    /// Wait for them, then bring what they made up to date.
    Wait,
    /// Leave it to them: [`BuildError::Busy`].
    GiveUp,
}

/// Report of a build.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BuildReport {
    /// Folders of the tree.
    pub folder_count: u64,
    /// Files of the tree.
    pub file_count: u64,
    /// Files that were read.
    pub read_count: u64,
    /// Bytes that were read.
    pub read_len: u64,
    /// Files whose grams the index does not know: unreadable, UTF-16, or of 4 GiB and more.
    pub unknown_count: u64,
    /// Segments of the index now.
    pub segment_count: u64,
    /// Segments that were merged into one.
    pub merged_count: u64,
    /// All bytes of the index.
    pub index_len: u64,
}

/// Error of building an index.
#[derive(Debug)]
#[non_exhaustive]
pub enum BuildError {
    /// Somebody else is building it now.
    Busy,
    /// The file system does not say reliably when a file has changed; `find` scans such trees.
    UnsuitableFileSystem(PathBuf),
    /// The tree can't be walked.
    Walk(ignore::Error),
    /// A file of the tree or of the index can't be read or written.
    Io(io::Error),
    /// Other calls hold the memory.
    Memory(OverBudget),
    /// Its watch stopped it.
    Stopped,
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BuildError::Busy => write!(f, "another process is building this index"),
            BuildError::UnsuitableFileSystem(path) => write!(
                f,
                "{}: its file system does not say reliably when a file has changed, so it gets no \
                 index; `find` searches all of it",
                path.display()
            ),
            BuildError::Walk(error) => error.fmt(f),
            BuildError::Io(error) => error.fmt(f),
            BuildError::Memory(over) => over.fmt(f),
            BuildError::Stopped => Stopped.fmt(f),
        }
    }
}

impl std::error::Error for BuildError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            BuildError::Walk(error) => Some(error),
            BuildError::Io(error) => Some(error),
            BuildError::Busy
            | BuildError::UnsuitableFileSystem(_)
            | BuildError::Memory(_)
            | BuildError::Stopped => None,
        }
    }
}

impl From<Stopped> for BuildError {
    fn from(_: Stopped) -> Self {
        BuildError::Stopped
    }
}

impl From<io::Error> for BuildError {
    fn from(error: io::Error) -> Self {
        BuildError::Io(error)
    }
}

/// State shared by the steps of a build.
pub(super) struct Building<'b> {
    pub(super) lease: &'b Lease,
    pub(super) handle: &'b Handle,
    pub(super) options: &'b BuildOptions<'b>,
    pub(super) stores: Stores,
    pub(super) watch: &'b Watch<'b>,
}
