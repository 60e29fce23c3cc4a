//! What is this, what does it hold, and is it right: for every kind of path.
//!
//! Callers: faces

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use manicule_code::shards::{self, ShardError, ShardInspection, ShardSummary};
use manicule_code::tree::{self, InspectError, Inspection};
use manicule_core::bytes::DecodeError;
pub use manicule_core::bytes::{Outline, Row};
pub use manicule_core::findings::FileFinding;
use manicule_core::watch::Watch;
use manicule_series::{self as series, BlockError, BlockFile, BlockInspection, BlockSummary};
use manicule_store::Mapped;

use crate::cache::{Cache, now_ns};
use crate::kinds::{Can, Folder, Kind, recognise};

/// Contents of a path.
#[derive(Debug)]
#[non_exhaustive]
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
}

/// Result of a verification: what was verified, and its findings.
#[derive(Debug)]
#[non_exhaustive]
pub enum Verified {
    /// The index of a tree, or a file of it.
    Tree(Box<tree::Verified>),
    /// Shards.
    Shards(Box<shards::Verified>),
    /// Prometheus blocks.
    Series(Box<series::Verified>),
}

impl Verified {
    /// The findings that are listed individually.
    pub fn findings(&self) -> &[FileFinding] {
        match self {
            Verified::Tree(verified) => &verified.findings,
            Verified::Shards(verified) => &verified.findings,
            Verified::Series(verified) => &verified.findings,
        }
    }

    /// Number of findings.
    pub fn finding_count(&self) -> u64 {
        match self {
            Verified::Tree(verified) => verified.finding_count,
            Verified::Shards(verified) => verified.finding_count,
            Verified::Series(verified) => verified.finding_count,
        }
    }

    /// The warnings, odd and yet legal, that are listed individually.
    pub fn warnings(&self) -> &[FileFinding] {
        match self {
            Verified::Tree(_) | Verified::Shards(_) => &[],
            Verified::Series(verified) => &verified.warnings,
        }
    }
}

/// A file of an index, by its parts.
#[derive(Debug)]
pub struct IndexFile {
    /// Kind of the file.
    pub kind: Kind,
    /// Its bytes.
    pub bytes: Mapped,
    /// Its parts.
    pub outline: Outline,
}

impl IndexFile {
    /// A section's bytes and its offset, by its name or what hands type for it.
    pub fn section(&self, name: &str) -> Option<(&[u8], u64)> {
        let is_named = |row: &&Row| row.name == name || self.short_name(&row.name) == name;
        let row = self.outline.rows.iter().find(is_named)?;
        let bytes = self.bytes.get(row.bytes.start as usize..row.bytes.end as usize)?;
        Some((bytes, row.bytes.start))
    }

    /// The names of its sections as hands type them.
    pub fn section_names(&self) -> Vec<String> {
        self.outline.rows.iter().map(|row| self.short_name(&row.name)).collect()
    }

    fn short_name(&self, section: &str) -> String {
        if self.kind.is_prometheus() { series::short_name(section) } else { section.to_owned() }
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
        /// Its kind.
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
                "{}: {source}; the file is damaged, `manicule cache build --all TREE` makes it \
                 again",
                path.display()
            ),
            Error::Tree(error) => error.fmt(f),
            Error::Shard(error) => error.fmt(f),
            Error::Block(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Tree(error) => Some(error),
            // What others say is part of the error's own words.
            _ => None,
        }
    }
}

impl Error {
    fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Error::Io { path, source }
    }
}

/// Kinds that a path is read as: a folder that holds several kinds as each of them, and as a tree where it has an index
/// of its own or holds nothing else.
pub fn kinds_of(path: &Path, cache: Option<&Cache>) -> Result<Vec<Kind>, Error> {
    if !path.is_dir() {
        return match recognise(path).map_err(Error::io(path))? {
            Kind::File => Err(Error::NoIndexFile(path.to_owned())),
            kind => Ok(vec![kind]),
        };
    }
    let mut kinds = Folder::read(path).map_err(Error::io(path))?.given_kinds();
    let has_index = || cache.is_some_and(|cache| tree::has_index(&cache.folder, path));
    if kinds.is_empty() || has_index() {
        kinds.push(Kind::SourceTree);
    }
    Ok(kinds)
}

/// Whether a folder lies in a tree that has an index.
pub fn is_indexed(path: &Path, cache: Option<&Cache>) -> bool {
    tree::is_indexed(cache.map(|cache| cache.folder.as_path()), path)
}

/// Tells what a path holds as one of its kinds.
pub fn inspect(
    path: &Path,
    kind: Kind,
    cache: Option<&Cache>,
    threads: usize,
) -> Result<Inspected, Error> {
    match readable(path, kind)? {
        Kind::TreeManifest | Kind::TreeSegment => parts(path).map(Inspected::File),
        Kind::ZoektShard => shards::inspect(path)
            .map(|shard| Inspected::Shard(Box::new(shard)))
            .map_err(Error::Shard),
        Kind::ZoektShards => shards::summarise(path).map(Inspected::Shards).map_err(Error::Shard),
        Kind::PrometheusData => {
            series::summarise(path).map(Inspected::Blocks).map_err(Error::Block)
        }
        kind if kind.is_prometheus() => inspect_series(path),
        _ => {
            let cache = cache.map(|cache| cache.folder.as_path());
            tree::inspect(cache, path, threads, &now_ns)
                .map(|inspection| Inspected::Tree(Box::new(inspection)))
                .map_err(Error::Tree)
        }
    }
}

/// Tells what Prometheus blocks hold, whatever the path looks like: a block, a data folder, or a file of a block.
pub fn inspect_series(path: &Path) -> Result<Inspected, Error> {
    let is_folder = fs::metadata(path).map_err(Error::io(path))?.is_dir();
    if is_folder && !series::has_block_parts(path) {
        return series::summarise(path).map(Inspected::Blocks).map_err(Error::Block);
    }
    match BlockFile::open(path).map_err(Error::Block)? {
        Some(file) => Ok(Inspected::BlockFile(Box::new(file))),
        None => series::inspect(path)
            .map(|block| Inspected::Block(Box::new(block)))
            .map_err(Error::Block),
    }
}

/// The parts of a file of an index, or of a shard, with their bytes: as much as can be read of a damaged one.
pub fn parts(path: &Path) -> Result<IndexFile, Error> {
    let kind = recognise(path).map_err(Error::io(path))?;
    let kind = match kind {
        Kind::File => return Err(Error::NoIndexFile(path.to_owned())),
        kind => readable(path, kind)?,
    };
    let bytes = Mapped::open(path).map_err(Error::io(path))?;
    let outline = match kind {
        Kind::ZoektShard => shards::outline(&bytes),
        kind if kind.is_prometheus() => series::outline(&bytes),
        _ => tree::outline(&bytes).map(|(_, outline)| outline),
    };
    let outline = outline.map_err(|source| Error::Damaged { path: path.to_owned(), source })?;
    Ok(IndexFile { kind, bytes, outline })
}

/// Verifies a path as one of its kinds: the index of a tree and that it agrees with the tree, one file of an index by
/// itself, a shard, or all shards of a folder; a Prometheus block, an index of one, or all of a data folder. What can't be
/// read of a folder is handed to `failed`.
pub fn verify(
    path: &Path,
    kind: Kind,
    cache: Option<&Cache>,
    threads: usize,
    watch: &Watch<'_>,
    failed: &mut dyn FnMut(Error),
) -> Result<Verified, Error> {
    let of_tree = |verified| Verified::Tree(Box::new(verified));
    match readable(path, kind)? {
        Kind::TreeManifest | Kind::TreeSegment => {
            let bytes = fs::read(path).map_err(Error::io(path))?;
            Ok(of_tree(tree::verify_file(&path.to_string_lossy(), &bytes)))
        }
        Kind::ZoektShard | Kind::ZoektShards => {
            shards::verify(path, threads, watch, &mut |error| failed(Error::Shard(error)))
                .map(|verified| Verified::Shards(Box::new(verified)))
                .map_err(Error::Shard)
        }
        kind if kind.is_prometheus() => verify_series(path, threads, watch),
        _ => {
            let cache = cache.map(|cache| cache.folder.as_path());
            tree::verify(cache, path, threads, watch).map(of_tree).map_err(Error::Tree)
        }
    }
}

/// Removes the index of a tree that was found wrong. Returns whether it did: it leaves alone what lies outside of the
/// cache, and every index but our own.
pub fn discard(verified: &Verified, cache: &Cache) -> io::Result<bool> {
    match verified {
        Verified::Tree(verified) => tree::discard(&cache.folder, verified),
        _ => Ok(false),
    }
}

/// Verifies Prometheus blocks, also where so much is damaged that nothing shows what the path is.
pub fn verify_series(path: &Path, threads: usize, watch: &Watch<'_>) -> Result<Verified, Error> {
    series::verify(path, threads, watch)
        .map(|verified| Verified::Series(Box::new(verified)))
        .map_err(Error::Block)
}

/// The kind, if it can be read.
fn readable(path: &Path, kind: Kind) -> Result<Kind, Error> {
    match kind.can() {
        Can::Everything => Ok(kind),
        Can::BeSearchedAsText => Err(Error::NotYet { path: path.to_owned(), kind }),
    }
}
