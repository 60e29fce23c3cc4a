//! Contents and verdicts of paths, whatever their kind: see [`crate::kinds::Place`].

mod json;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

pub use json::{PathFinding, PathVerified, Section};
use manicule_code::shards::{ShardError, ShardInspection, ShardSummary};
use manicule_code::tree::{self, InspectError, Inspection};
use manicule_core::ErrorClass;
use manicule_core::bytes::DecodeError;
pub use manicule_core::bytes::{Outline, Row};
pub use manicule_core::findings::{FileFinding, Findings, Verdict};
use manicule_series::{BlockError, BlockFile, BlockInspection, BlockSummary};
pub use manicule_store::Mapped;
use manicule_store::store::StoreError;

use crate::blobs::{self, RepositoryInspection};
use crate::cache::Cache;
use crate::failure::Failure;
use crate::graph;
use crate::graph::inspect::StoreInspection;
use crate::rows;
use crate::rows::inspect::TableInspection;

/// Contents of a path.
#[derive(Debug)]
pub enum Inspected {
    /// The index of a tree.
    Tree(Box<Inspection>),
    /// One file of an index.
    File(IndexFile),
    /// A shard.
    Shard(Box<ShardInspection>),
    /// The shards of a folder.
    Shards(Vec<ShardSummary>),
    /// A Prometheus block, or an index by itself.
    Block(Box<BlockInspection>),
    /// The blocks of a data folder.
    Blocks(Vec<BlockSummary>),
    /// Another file of a block by itself: its chunks, its tombstones, its meta file.
    BlockFile(Box<BlockFile>),
    /// A restic repository.
    Repository(Box<RepositoryInspection>),
    /// SSTables.
    Sstables(TableInspection),
    /// A store of RDF.
    Graph(Box<StoreInspection>),
    /// What a system has that a program has added.
    Other(Contents),
}

/// Contents of a path of a system that a program has [added](crate::kinds::add).
#[derive(Clone, Debug, PartialEq)]
pub struct Contents {
    /// The report as text for people, without the end of its last line.
    pub text: String,
    /// The report as a JSON object.
    pub json: serde_json::Value,
}

/// Result of a verification, whatever the kind.
#[derive(Debug)]
pub struct Verified {
    /// Its findings and warnings.
    pub verdict: Verdict,
    /// Counts of the verification, named for programs.
    pub counts: Vec<(&'static str, u64)>,
    /// The same for people: the verified things, then details, if there are any.
    pub lines: Vec<Vec<Part>>,
    /// Folder of a tree's index.
    pub(crate) tree_index: Option<PathBuf>,
}

impl Verified {
    /// The result of a verification of anything but a tree.
    pub fn new(
        verdict: Verdict,
        counts: Vec<(&'static str, u64)>,
        lines: Vec<Vec<Part>>,
    ) -> Verified {
        Verified { verdict, counts, lines, tree_index: None }
    }
}

/// Part of a line for people: words of the sentence, and counts between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Words.
    Text(&'static str),
    /// A bare number.
    Number(u64),
    /// A count with its noun, in the singular: `1 shard`, `2 shards`.
    Count(u64, &'static str),
    /// Bytes.
    Len(u64),
}

/// A file of an index, by its parts.
#[derive(Debug)]
pub struct IndexFile {
    /// One word for its kind.
    pub kind: &'static str,
    /// Contents in bytes.
    pub bytes: Mapped,
    /// Outline of its parts.
    pub outline: Outline,
    /// Short form of a section's name, as users type it.
    pub(crate) short_name: fn(&str) -> String,
}

impl IndexFile {
    /// A file of a kind with this word; its sections are typed as they are called.
    pub fn new(kind: &'static str, bytes: Mapped, outline: Outline) -> IndexFile {
        IndexFile { kind, bytes, outline, short_name: str::to_owned }
    }

    /// A section's bytes and its offset, by its name or the short form.
    pub fn section(&self, name: &str) -> Option<(&[u8], u64)> {
        let is_named = |row: &&Row| row.name == name || (self.short_name)(&row.name) == name;
        let row = self.outline.rows.iter().find(is_named)?;
        let bytes = self.bytes.get(row.bytes.start as usize..row.bytes.end as usize)?;
        Some((bytes, row.bytes.start))
    }

    /// The short names of its sections, as users type them.
    pub fn section_names(&self) -> Vec<String> {
        self.outline.rows.iter().map(|row| (self.short_name)(&row.name)).collect()
    }
}

/// Reason why a path was not inspected or verified.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// Its kind can't be inspected or verified yet.
    NotYet {
        /// The path.
        path: PathBuf,
        /// Noun for its kind.
        kind: &'static str,
    },
    /// It is a file of no index.
    NoIndexFile(PathBuf),
    /// Nothing directly at an address is an index.
    NoIndex(PathBuf),
    /// The path can't be read.
    Io {
        /// The path.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A file of an index whose parts can't be found.
    Damaged {
        /// The file.
        path: PathBuf,
        /// The error, with its place.
        source: DecodeError,
    },
    /// The tree has no index, or one that can't be read.
    Tree(InspectError),
    /// A shard can't be read.
    Shard(ShardError),
    /// A block can't be read.
    Block(BlockError),
    /// A repository can't be read.
    Repository(blobs::Error),
    /// SSTables can't be read.
    Rows(rows::Error),
    /// A store of RDF can't be read.
    Graph(graph::Error),
    /// The password of a path can't be had, and so.
    Password {
        /// The path.
        path: PathBuf,
        /// The reason.
        why: String,
    },
    /// A path of a system that a program has [added](crate::kinds::add) can't be read.
    Other(Failure),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::NotYet { path, kind } => {
                write!(f, "{} is {kind}; it can't be inspected or verified yet", path.display())
            }
            Error::NoIndexFile(path) => write!(
                f,
                "{} is a plain file; give a folder, or a file of an index (`manicule cache list \
                 --json` shows where they lie)",
                path.display()
            ),
            Error::NoIndex(path) => write!(
                f,
                "{}: no index lies there by itself; -r looks further down",
                path.display()
            ),
            Error::Io { path, source } => write!(f, "{}: {source}", path.display()),
            Error::Damaged { path, source } => write!(
                f,
                "{}: {source}; the file is damaged, `manicule cache build --all TREE` makes it \
                 again",
                path.display()
            ),
            Error::Tree(error) => error.fmt(f),
            Error::Shard(error) => error.fmt(f),
            Error::Block(error) => error.fmt(f),
            Error::Repository(error) => error.fmt(f),
            Error::Rows(error) => error.fmt(f),
            Error::Graph(error) => error.fmt(f),
            Error::Other(failure) => failure.fmt(f),
            Error::Password { path, why } => write!(f, "{}: {why}", path.display()),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Tree(error) => Some(error),
            // The sources' messages are part of the error's own text.
            _ => None,
        }
    }
}

impl From<StoreError> for Error {
    fn from(StoreError { file: path, source }: StoreError) -> Self {
        Error::Io { path, source }
    }
}

impl Error {
    /// Class of the error.
    pub fn class(&self) -> ErrorClass {
        match self {
            Error::NotYet { .. } => ErrorClass::Unsupported,
            Error::NoIndexFile(_) => ErrorClass::Asked,
            Error::NoIndex(_) => ErrorClass::Missing,
            Error::Io { source, .. } => ErrorClass::of_io(source),
            Error::Password { .. } => ErrorClass::Denied,
            Error::Damaged { .. } => ErrorClass::Damaged,
            Error::Tree(error) => error.class(),
            Error::Shard(error) => error.class(),
            Error::Block(error) => error.class(),
            Error::Repository(error) => error.class(),
            Error::Rows(error) => error.class(),
            Error::Graph(error) => error.class(),
            Error::Other(failure) => failure.class(),
        }
    }

    /// A path that can't be read.
    pub fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Error::Io { path: path.to_owned(), source }
    }
}

/// Whether a folder lies in a tree that has an index.
pub fn is_indexed(path: &Path, cache: Option<&Cache>) -> bool {
    tree::is_indexed(cache.map(|cache| cache.folder.as_path()), path)
}

/// Removes the index of a tree that failed verification. Returns whether it did: anything outside
/// of the cache is left alone, and so is every index but our own.
pub fn discard(verified: &Verified, cache: &Cache) -> io::Result<bool> {
    match &verified.tree_index {
        Some(index) => tree::discard(&cache.folder, index, &verified.verdict),
        None => Ok(false),
    }
}
