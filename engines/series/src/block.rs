//! A block, opened by mapping its files; and the blocks of a data folder.
//!
//! Bytes:   docs/formats/prometheus.md
//! Callers: all of this engine, faces/manicule

use std::fmt;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use manicule_core::bytes::DecodeError;
use manicule_format_prometheus::{
    ChunkRef, INDEX_MAGIC, Index, Interval, Meta, MetaError, RawChunk, Segment, SeriesRef,
    Tombstones, Ulid,
};
use manicule_store::Mapped;

/// Why a block can't be opened.
#[derive(Debug)]
#[non_exhaustive]
pub enum BlockError {
    /// Nothing of the kind is there. A block is a folder with `meta.json` and `index`.
    Missing {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// A data folder without a block: all that it holds waits in its write-ahead log.
    OnlyLog {
        /// The data folder.
        path: PathBuf,
    },
    /// A file, and not the index of a block: it begins in another way.
    NoIndex {
        /// The file.
        path: PathBuf,
    },
    /// The bytes contradict the format; the source says where. `manicule verify` tells more.
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        source: DecodeError,
    },
    /// The meta file can't be read.
    Meta {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: MetaError,
    },
    /// A file can't be read.
    Io {
        /// The file or folder.
        path: PathBuf,
        /// Why it can't be.
        source: io::Error,
    },
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
            BlockError::NoIndex { path } => write!(
                f,
                "{}: no index of a Prometheus block; that begins with ba aa d7 00",
                path.display()
            ),
            BlockError::Damaged { path, source } => write!(
                f,
                "{}: {source}; the block is damaged, `manicule verify` tells more",
                path.display()
            ),
            BlockError::Meta { path, source } => write!(f, "{}: {source}", path.display()),
            BlockError::Io { path, source } => write!(f, "{}: {source}", path.display()),
        }
    }
}

// What others say is part of the error's own words.
impl std::error::Error for BlockError {}

impl BlockError {
    /// A folder in which there is no block.
    pub(crate) fn no_block(folder: &Path) -> Self {
        let path = folder.to_owned();
        match folder.join(LOG_FOLDER).is_dir() {
            true => BlockError::OnlyLog { path },
            false => BlockError::Missing { path },
        }
    }

    /// What a failed call for a file or folder becomes.
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| BlockError::Io { path, source }
    }

    /// What a file's contradicting bytes become.
    pub(crate) fn damaged(path: &Path) -> impl FnOnce(DecodeError) -> Self {
        let path = path.to_owned();
        move |source| BlockError::Damaged { path, source }
    }
}

/// An open block. Its files are mapped; writers replace blocks by renames only.
#[derive(Debug)]
pub struct Block {
    path: PathBuf,
    meta: Option<Meta>,
    index: Index<Mapped>,
    segments: Vec<Segment<Mapped>>,
    tombstones: Tombstones,
}

impl Block {
    /// Opens a block's folder, or an index that stands by itself: that has no meta file, chunks or tombstones.
    pub fn open(path: &Path) -> Result<Self, BlockError> {
        let is_folder = fs::metadata(path).map_err(BlockError::io(path))?.is_dir();
        if !is_folder {
            let mapped = Mapped::open(path).map_err(BlockError::io(path))?;
            if !mapped.starts_with(&INDEX_MAGIC) {
                return Err(BlockError::NoIndex { path: path.to_owned() });
            }
            let index = Index::open(mapped).map_err(BlockError::damaged(path))?;
            let (path, tombstones) = (path.to_owned(), Tombstones::default());
            return Ok(Block { path, meta: None, index, segments: Vec::new(), tombstones });
        }
        let meta_path = path.join("meta.json");
        let json = fs::read(&meta_path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => BlockError::Missing { path: path.to_owned() },
            _ => BlockError::Io { path: meta_path.clone(), source: error },
        })?;
        let meta = Meta::decode(&json);
        let meta = meta.map_err(|source| BlockError::Meta { path: meta_path, source })?;
        Ok(Block {
            meta: Some(meta),
            segments: open_segments(&path.join("chunks"))?,
            index: open_index(&path.join("index"))?,
            tombstones: open_tombstones(&path.join("tombstones"))?,
            path: path.to_owned(),
        })
    }

    /// Its folder, or the file of an index by itself.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The file of its index.
    pub fn index_path(&self) -> PathBuf {
        match self.meta {
            Some(_) => self.path.join("index"),
            None => self.path.clone(),
        }
    }

    /// Its meta file; an index by itself has none.
    pub fn meta(&self) -> Option<&Meta> {
        self.meta.as_ref()
    }

    /// Its index.
    pub fn index(&self) -> &Index<Mapped> {
        &self.index
    }

    /// The files of its chunks: number 0 is `000001`.
    pub fn segments(&self) -> &[Segment<Mapped>] {
        &self.segments
    }

    /// What is deleted of it.
    pub fn tombstones(&self) -> &Tombstones {
        &self.tombstones
    }

    /// The deleted times of a series, rising.
    pub fn deleted(&self, series: SeriesRef) -> &[Interval] {
        self.tombstones.of(series)
    }

    /// The bytes of a chunk; its checksum is compared.
    pub fn chunk(&self, reference: ChunkRef) -> Result<RawChunk<'_>, DecodeError> {
        let (segment, at) = (reference.segment(), reference.offset().into());
        match self.segments.get(segment as usize) {
            Some(segment) => segment.chunk(at),
            None => Err(DecodeError::Corrupt {
                what: "count of files of chunks, for a chunk",
                at,
                want: u64::from(segment) + 1,
                got: self.segments.len() as u64,
            }),
        }
    }
}

fn open_index(path: &Path) -> Result<Index<Mapped>, BlockError> {
    let mapped = Mapped::open(path).map_err(BlockError::io(path))?;
    Index::open(mapped).map_err(BlockError::damaged(path))
}

/// The segments: every file whose name is a number, in the order of names. Without the folder there is none.
fn open_segments(folder: &Path) -> Result<Vec<Segment<Mapped>>, BlockError> {
    let mut paths = segment_paths(folder).map_err(BlockError::io(folder))?;
    let open = |path: PathBuf| {
        let mapped = Mapped::open(&path).map_err(BlockError::io(&path))?;
        Segment::open(mapped).map_err(BlockError::damaged(&path))
    };
    paths.drain(..).map(open).collect()
}

/// The files of a block's chunks, in the order of segments.
pub fn segment_paths(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut paths = Vec::new();
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name();
        if name.to_str().is_some_and(|name| !name.starts_with('+') && name.parse::<u64>().is_ok()) {
            paths.push(entry.path());
        }
    }
    paths.sort();
    Ok(paths)
}

fn open_tombstones(path: &Path) -> Result<Tombstones, BlockError> {
    match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Tombstones::default()),
        Err(source) => Err(BlockError::Io { path: path.to_owned(), source }),
        Ok(bytes) => Tombstones::decode(&bytes).map_err(BlockError::damaged(path)),
    }
}

/// The blocks that a path stands for: itself if it is a block or an index, else those directly in the folder, by name
/// and so by the time that they were made. What is half written or being removed has another name.
pub fn block_paths(path: &Path) -> Result<Vec<PathBuf>, BlockError> {
    let is_folder = fs::metadata(path).map_err(BlockError::io(path))?.is_dir();
    if !is_folder || has_meta(path)? {
        return Ok(vec![path.to_owned()]);
    }
    let mut paths = Vec::new();
    for entry in fs::read_dir(path).map_err(BlockError::io(path))? {
        let entry = entry.map_err(BlockError::io(path))?;
        let is_block = entry.file_name().to_str().is_some_and(|name| name.parse::<Ulid>().is_ok());
        if is_block && has_meta(&entry.path())? {
            paths.push(entry.path());
        }
    }
    if paths.is_empty() {
        return Err(BlockError::no_block(path));
    }
    paths.sort();
    Ok(paths)
}

/// Whether a folder has a meta file. Where that can't be told the block is not passed over: the answer would lack it.
fn has_meta(folder: &Path) -> Result<bool, BlockError> {
    let path = folder.join("meta.json");
    match fs::metadata(&path) {
        Ok(_) => Ok(true),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Ok(false)
        }
        Err(source) => Err(BlockError::Io { path, source }),
    }
}

/// Where a server writes samples down before they are in a block.
const LOG_FOLDER: &str = "wal";

/// The write-ahead log of a data folder, if there is something in it. The samples that only it has are in no block, and
/// nothing here reads them.
pub fn unread_log(path: &Path) -> Option<PathBuf> {
    let log = path.join(LOG_FOLDER);
    let entries = fs::read_dir(&log).ok()?;
    let is_filled = |entry: io::Result<fs::DirEntry>| {
        entry.and_then(|entry| entry.metadata()).is_ok_and(|meta| meta.is_file() && meta.len() > 0)
    };
    let is_block = path.join("meta.json").exists();
    (!is_block && entries.into_iter().any(is_filled)).then_some(log)
}

/// Opens all blocks that a path stands for, by the first time that is in them.
pub fn open_all(path: &Path) -> Result<Vec<Block>, BlockError> {
    let blocks = block_paths(path)?.iter().map(|path| Block::open(path)).collect::<Result<_, _>>();
    Ok(by_time(blocks?))
}

/// As [`open_all`], but hands out the errors of blocks that can't be opened, and goes on.
pub fn open_sound(
    path: &Path,
    failed: &mut dyn FnMut(BlockError),
) -> Result<Vec<Block>, BlockError> {
    let paths = block_paths(path)?;
    let opened = paths.iter().filter_map(|path| Block::open(path).map_err(&mut *failed).ok());
    Ok(by_time(opened.collect()))
}

pub(crate) fn by_time(mut blocks: Vec<Block>) -> Vec<Block> {
    blocks.sort_by_key(|block| block.meta().map(|meta| (meta.min_time, meta.ulid.clone())));
    blocks
}
