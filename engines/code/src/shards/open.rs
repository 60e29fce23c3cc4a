//! Files of shards: which there are in a folder, mapped, with their sidecars.
//!
//! Callers: inspect, verify, faces/manicule

use std::fmt;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use manicule_core::bytes::DecodeError;
use manicule_format_zoekt::Error as FormatError;
use manicule_store::Mapped;

/// Why there is nothing to tell of a shard.
#[derive(Debug)]
#[non_exhaustive]
pub enum ShardError {
    /// Its bytes contradict the format, or are of a version that can't be read. `manicule verify` tells what is wrong.
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        source: FormatError,
    },
    /// There is no shard in the folder: a finished one is named `*.zoekt`.
    None {
        /// The folder.
        path: PathBuf,
    },
    /// It can't be read.
    Io {
        /// The path.
        path: PathBuf,
        /// Why it can't be.
        source: io::Error,
    },
}

impl fmt::Display for ShardError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ShardError::Damaged { path, source: source @ FormatError::Version { .. } } => {
                write!(f, "{}: {source}", path.display())
            }
            ShardError::Damaged { path, source } => write!(
                f,
                "{}: {source}; the shard is damaged, `manicule verify` tells more, indexing again \
                 makes it anew",
                path.display()
            ),
            ShardError::None { path } => {
                write!(f, "{}: there is no finished shard (*.zoekt) in it", path.display())
            }
            ShardError::Io { path, source } => write!(f, "{}: {source}", path.display()),
        }
    }
}

impl std::error::Error for ShardError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ShardError::Damaged { source, .. } => Some(source),
            ShardError::None { .. } => None,
            ShardError::Io { source, .. } => Some(source),
        }
    }
}

impl ShardError {
    pub(super) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| ShardError::Io { path, source }
    }

    pub(super) fn damaged(path: &Path) -> impl FnOnce(FormatError) -> Self {
        let path = path.to_owned();
        move |source| ShardError::Damaged { path, source }
    }

    pub(super) fn decode(path: &Path) -> impl FnOnce(DecodeError) -> Self {
        let path = path.to_owned();
        move |source| ShardError::Damaged { path, source: source.into() }
    }
}

/// Whether a path is named as shards are.
pub fn is_shard(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.as_bytes() == b"zoekt")
}

/// The shards directly in a folder, by name; or the one that `path` is.
pub fn list(path: &Path) -> Result<Vec<PathBuf>, ShardError> {
    if !fs::metadata(path).map_err(ShardError::io(path))?.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    super::index::shards_of(path).map_err(ShardError::io(path))
}

/// The bytes of a shard. Writers rename shards into place, so they may be mapped.
pub fn map(path: &Path) -> Result<Mapped, ShardError> {
    Mapped::open(path).map_err(ShardError::io(path))
}

/// The bytes of the shards directly in a folder, as of one moment; or of the one that `path` is.
pub(super) fn maps(path: &Path) -> Result<Vec<(PathBuf, Mapped)>, ShardError> {
    if !fs::metadata(path).map_err(ShardError::io(path))?.is_dir() {
        return Ok(vec![(path.to_owned(), map(path)?)]);
    }
    super::index::map_shards(path).map_err(ShardError::io(path))
}

/// The bytes of a shard's sidecar, and its path; `None` where there is none, or an empty one.
pub(super) fn sidecar(shard: &Path) -> Result<Option<(PathBuf, Vec<u8>)>, ShardError> {
    let mut name = shard.as_os_str().to_owned();
    name.push(".meta");
    let path = PathBuf::from(name);
    match fs::read(&path) {
        Ok(bytes) if bytes.is_empty() => Ok(None),
        Ok(bytes) => Ok(Some((path, bytes))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(ShardError::io(&path)(error)),
    }
}
