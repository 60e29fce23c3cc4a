//! Error of a block that can't be opened.

use std::fmt;
use std::io::{self};
use std::path::{Path, PathBuf};

use manicule_core::ErrorClass;
use manicule_core::bytes::DecodeError;
use manicule_core::watch::Stopped;
use manicule_format_prometheus::MetaError;
use manicule_store::store::StoreError;

/// Error of opening a block.
#[derive(Debug)]
#[non_exhaustive]
pub enum BlockError {
    /// Nothing of the kind is there. A block is a folder with `meta.json` and `index`.
    Missing {
        /// Path that was searched.
        path: PathBuf,
    },
    /// A data folder without a block: all that it holds waits in its write-ahead log.
    OnlyLog {
        /// The data folder.
        path: PathBuf,
    },
    /// A data folder, where one block is wanted.
    DataFolder {
        /// The folder.
        path: PathBuf,
        /// Its blocks.
        blocks: Vec<PathBuf>,
    },
    /// A bucket of tenants, where the blocks of one are wanted.
    Tenants {
        /// The bucket.
        path: PathBuf,
        /// Names of the tenants.
        names: Vec<String>,
    },
    /// An index by itself, where samples are wanted.
    IndexAlone {
        /// The file.
        path: PathBuf,
    },
    /// A file, and not the index of a block: it begins in another way.
    NoIndex {
        /// The file.
        path: PathBuf,
    },
    /// A file of a block that must be there isn't.
    PartMissing {
        /// The file.
        path: PathBuf,
        /// How that is known.
        why: String,
    },
    /// Two files of a block contradict each other.
    Contradiction {
        /// The one that is less likely to be right.
        path: PathBuf,
        /// What each of them says.
        what: String,
    },
    /// The bytes contradict the format; the source says where. `manicule verify` lists more.
    Damaged {
        /// The file.
        path: PathBuf,
        /// The error, with its place.
        source: DecodeError,
    },
    /// The meta file can't be read.
    Meta {
        /// The file.
        path: PathBuf,
        /// The error.
        source: MetaError,
    },
    /// A file can't be read.
    Io {
        /// The file or folder.
        path: PathBuf,
        /// Cause, as the system says it.
        source: io::Error,
    },
    /// A downsampled block, of which something is wanted that its aggregates can't give.
    Downsampled {
        /// The block.
        path: PathBuf,
        /// Why they can't.
        why: String,
    },
    /// The watch of a call stopped it.
    Stopped {
        /// The block or file that it was at.
        path: PathBuf,
    },
}

impl From<StoreError> for BlockError {
    fn from(StoreError { file: path, source }: StoreError) -> Self {
        BlockError::Io { path, source }
    }
}

impl fmt::Display for BlockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BlockError::Missing { path } => write!(
                f,
                "{}: no Prometheus block; that is a folder with meta.json and index",
                path.display()
            ),
            BlockError::OnlyLog { path } => write!(
                f,
                "{}: no block yet; its samples are all in wal, which can't be read",
                path.display()
            ),
            BlockError::DataFolder { path, blocks } => {
                let (path, count) = (path.display(), blocks.len());
                let s = if count == 1 { "" } else { "s" };
                write!(f, "{path}: a data folder of {count} block{s}, give one: ")?;
                for (place, block) in blocks.iter().take(BLOCKS_NAMED).enumerate() {
                    write!(f, "{}{}", if place == 0 { "" } else { ", " }, block.display())?;
                }
                if blocks.len() > BLOCKS_NAMED { f.write_str(" ...") } else { Ok(()) }
            }
            BlockError::Tenants { path, names } => {
                let (path, count) = (path.display(), names.len());
                let s = if count == 1 { "" } else { "s" };
                let shown = names[..count.min(BLOCKS_NAMED)].join(", ");
                let rest = if count > BLOCKS_NAMED { " ..." } else { "" };
                write!(f, "{path}: a bucket of {count} tenant{s}, give one: {shown}{rest}")
            }
            BlockError::IndexAlone { path } => {
                let block = path.parent().filter(|block| block.join("meta.json").exists());
                let block = block.map_or(String::new(), |block| format!(", {}", block.display()));
                let path = path.display();
                write!(f, "{path}: an index has no samples: give the block's folder{block}")
            }
            BlockError::NoIndex { path } => write!(
                f,
                "{}: no index of a Prometheus block; that begins with ba aa d7 00",
                path.display()
            ),
            BlockError::PartMissing { path, why } => write!(
                f,
                "{}: is missing, and {why}; the block is half copied or half removed: bring the \
                 file back",
                path.display()
            ),
            BlockError::Contradiction { path, what } => write!(
                f,
                "{}: {what}; the block is damaged, `manicule verify` tells more",
                path.display()
            ),
            BlockError::Damaged { path, source } => write!(
                f,
                "{}: {source}; the block is damaged, `manicule verify` tells more",
                path.display()
            ),
            BlockError::Downsampled { path, why } => {
                write!(f, "{}: the block is downsampled: {why}", path.display())
            }
            BlockError::Meta { path, source } => write!(f, "{}: {source}", path.display()),
            BlockError::Io { path, source } => write!(f, "{}: {source}", path.display()),
            BlockError::Stopped { path } => write!(f, "{}: {Stopped}", path.display()),
        }
    }
}

/// Maximum number of a data folder's blocks that are named.
const BLOCKS_NAMED: usize = 4;

// What others say is part of the error's own words.
impl std::error::Error for BlockError {}

impl BlockError {
    /// Class of the error.
    pub fn class(&self) -> ErrorClass {
        match self {
            BlockError::PartMissing { .. }
            | BlockError::Contradiction { .. }
            | BlockError::Damaged { .. }
            | BlockError::Meta { .. } => ErrorClass::Damaged,
            BlockError::OnlyLog { .. } | BlockError::Downsampled { .. } => ErrorClass::Unsupported,
            BlockError::Missing { .. }
            | BlockError::DataFolder { .. }
            | BlockError::Tenants { .. }
            | BlockError::IndexAlone { .. }
            | BlockError::NoIndex { .. } => ErrorClass::Asked,
            BlockError::Io { source, .. } => ErrorClass::of_io(source),
            BlockError::Stopped { .. } => ErrorClass::Stopped,
        }
    }

    /// Whether bytes of a block are damaged or gone, so that leaving them out may help.
    pub fn is_damage(&self) -> bool {
        self.class() == ErrorClass::Damaged
    }

    /// Whether something was not there that was looked for: a block that its owner removes
    /// meanwhile gives such an error.
    pub fn is_missing(&self) -> bool {
        match self {
            BlockError::Missing { .. } | BlockError::PartMissing { .. } => true,
            BlockError::Io { source, .. } => source.kind() == io::ErrorKind::NotFound,
            _ => false,
        }
    }

    /// Error of a failed call for a file or folder.
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| BlockError::Io { path: path.to_owned(), source }
    }

    /// Error of a call ended by its watch.
    pub(crate) fn stopped(path: &Path) -> impl FnOnce(Stopped) -> Self {
        move |Stopped| BlockError::Stopped { path: path.to_owned() }
    }

    /// Error of a file's contradicting bytes.
    pub(crate) fn damaged(path: &Path) -> impl FnOnce(DecodeError) -> Self {
        move |source| BlockError::Damaged { path: path.to_owned(), source }
    }
}
