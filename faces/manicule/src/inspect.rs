//! What is this, what does it hold, and is it right: for every kind of path.
//!
//! Callers: faces

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use manicule_code::tree::{self, InspectError, Inspection, Verified, VerifyOptions};
use manicule_core::bytes::{DecodeError, Outline};

use crate::cache::{Cache, now_ns};
use crate::kinds::{Kind, recognise};

/// What a path holds.
#[derive(Debug)]
#[non_exhaustive]
pub enum Inspected {
    /// The index of a tree.
    Tree(Box<Inspection>),
    /// One file of an index.
    File(IndexFile),
}

/// A file of an index, by its parts.
#[derive(Debug)]
pub struct IndexFile {
    /// What it is.
    pub kind: Kind,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Its parts.
    pub outline: Outline,
}

impl IndexFile {
    /// A section's bytes and its offset.
    pub fn section(&self, name: &str) -> Option<(&[u8], u64)> {
        let row = self.outline.rows.iter().find(|row| row.name == name)?;
        let bytes = self.bytes.get(row.bytes.start as usize..row.bytes.end as usize)?;
        Some((bytes, row.bytes.start))
    }
}

/// Why a path was not inspected or verified.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// It is of a kind that can't be read yet.
    NotYet {
        /// The path.
        path: PathBuf,
        /// What it is.
        kind: Kind,
    },
    /// It is a file that no index is made of.
    NoIndexFile(PathBuf),
    /// The path can't be read.
    Io {
        /// The path.
        path: PathBuf,
        /// Why it can't be.
        source: io::Error,
    },
    /// A file of an index whose parts can't be told.
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        source: DecodeError,
    },
    /// The tree has no index, or one that can't be read.
    Tree(InspectError),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::NotYet { path, kind } => {
                write!(f, "{} is {kind}; it can't be read yet", path.display())
            }
            Error::NoIndexFile(path) => write!(
                f,
                "{} is a plain file; give a folder, or a file of an index (`manicule cache list \
                 --json` tells where they lie)",
                path.display()
            ),
            Error::Io { path, source } => write!(f, "{}: {source}", path.display()),
            Error::Damaged { path, source } => write!(
                f,
                "{}: {source}; the file is damaged, `manicule cache build --anew TREE` makes it \
                 again",
                path.display()
            ),
            Error::Tree(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::NotYet { .. } | Error::NoIndexFile(_) => None,
            Error::Io { source, .. } => Some(source),
            Error::Damaged { source, .. } => Some(source),
            Error::Tree(error) => Some(error),
        }
    }
}

impl Error {
    fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Error::Io { path, source }
    }
}

/// Tells what a path holds: a tree (by its index), or a file of an index.
pub fn inspect(path: &Path, cache: Option<&Cache>, threads: usize) -> Result<Inspected, Error> {
    match readable(path)? {
        kind @ (Kind::TreeManifest | Kind::TreeSegment) => {
            let bytes = fs::read(path).map_err(Error::io(path))?;
            let (_, outline) = tree::outline(&bytes)
                .map_err(|source| Error::Damaged { path: path.to_owned(), source })?;
            Ok(Inspected::File(IndexFile { kind, bytes, outline }))
        }
        _ => {
            let cache = cache.map(|cache| cache.folder.as_path());
            tree::inspect(cache, path, threads, &now_ns)
                .map(|inspection| Inspected::Tree(Box::new(inspection)))
                .map_err(Error::Tree)
        }
    }
}

/// Verifies a path: the index of a tree and that it agrees with the tree, or one file of an index by itself.
pub fn verify(
    path: &Path,
    cache: Option<&Cache>,
    options: &VerifyOptions<'_>,
) -> Result<Verified, Error> {
    match readable(path)? {
        Kind::TreeManifest | Kind::TreeSegment => {
            let bytes = fs::read(path).map_err(Error::io(path))?;
            Ok(tree::verify_file(&path.to_string_lossy(), &bytes))
        }
        _ => {
            let cache = cache.map(|cache| cache.folder.as_path());
            tree::verify(cache, path, options).map_err(Error::Tree)
        }
    }
}

/// What the path is, if anything can be told about it.
fn readable(path: &Path) -> Result<Kind, Error> {
    let kind = recognise(path).map_err(Error::io(path))?;
    match kind {
        Kind::SourceTree | Kind::TreeIndex | Kind::TreeManifest | Kind::TreeSegment => Ok(kind),
        Kind::File => Err(Error::NoIndexFile(path.to_owned())),
        _ => Err(Error::NotYet { path: path.to_owned(), kind }),
    }
}
