//! A block, opened by mapping its files; and the blocks of a data folder.
//!
//! Bytes:   docs/formats/prometheus.md
//! Callers: all of this engine, faces/manicule

use std::fmt;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use manicule_core::bytes::{DecodeError, OpenClass};
use manicule_core::watch::Stopped;
use manicule_format_prometheus::{
    ChunkRef, INDEX_MAGIC, Index, Interval, LOG_NAME, Meta, MetaError, RawChunk, Segment,
    SeriesRef, Tombstones, Ulid,
};
use manicule_store::{Mapped, NamedEntry, list_names};

use crate::block::salvage::Salvage;

/// Why a block can't be opened.
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
        /// Why it can't be.
        source: io::Error,
    },
    /// The watch of a call stopped it.
    Stopped {
        /// The block or file that it was at.
        path: PathBuf,
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
            BlockError::DataFolder { path, blocks } => {
                let (path, count) = (path.display(), blocks.len());
                let s = if count == 1 { "" } else { "s" };
                write!(f, "{path}: a data folder of {count} block{s}, give one: ")?;
                for (place, block) in blocks.iter().take(BLOCKS_NAMED).enumerate() {
                    write!(f, "{}{}", if place == 0 { "" } else { ", " }, block.display())?;
                }
                if blocks.len() > BLOCKS_NAMED { f.write_str(" ...") } else { Ok(()) }
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
            BlockError::Damaged { path, source } => write!(
                f,
                "{}: {source}; the block is damaged, `manicule verify` tells more",
                path.display()
            ),
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
    pub fn class(&self) -> OpenClass {
        match self {
            BlockError::Damaged { .. } | BlockError::Meta { .. } => OpenClass::Damaged,
            BlockError::Missing { .. }
            | BlockError::OnlyLog { .. }
            | BlockError::DataFolder { .. }
            | BlockError::IndexAlone { .. }
            | BlockError::NoIndex { .. }
            | BlockError::Io { .. }
            | BlockError::Stopped { .. } => OpenClass::Failed,
        }
    }

    /// A folder in which there is no block.
    pub(crate) fn no_block(folder: &Path) -> Self {
        let path = folder.to_owned();
        match folder.join(LOG_NAME).is_dir() {
            true => BlockError::OnlyLog { path },
            false => BlockError::Missing { path },
        }
    }

    /// A folder that is no block: one of blocks, or of nothing.
    fn not_one_block(folder: &Path) -> Self {
        match block_paths(folder) {
            Ok(blocks) => BlockError::DataFolder { path: folder.to_owned(), blocks },
            Err(error) => error,
        }
    }

    /// Error of a failed call for a file or folder.
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| BlockError::Io { path, source }
    }

    /// Error of a call ended by its watch.
    pub(crate) fn stopped(path: &Path) -> impl FnOnce(Stopped) -> Self {
        let path = path.to_owned();
        move |Stopped| BlockError::Stopped { path }
    }

    /// Error of a file's contradicting bytes.
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
        Block::open_folder(path, read_meta(path)?)
    }

    fn open_folder(path: &Path, meta: Meta) -> Result<Self, BlockError> {
        Ok(Block {
            meta: Some(meta),
            segments: open_segments(&path.join("chunks"))?,
            index: open_index(&path.join("index"))?,
            tombstones: open_tombstones(&path.join("tombstones"))?,
            path: path.to_owned(),
        })
    }

    /// Error of contradicting bytes of its index.
    pub(crate) fn in_index(&self) -> impl Fn(DecodeError) -> BlockError + '_ {
        |source| BlockError::Damaged { path: self.index_path(), source }
    }

    /// Error of contradicting bytes of its chunks.
    pub(crate) fn in_chunks(&self) -> impl Fn(DecodeError) -> BlockError + '_ {
        |source| BlockError::Damaged { path: self.path.join("chunks"), source }
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

    /// Deleted times of its series.
    pub fn tombstones(&self) -> &Tombstones {
        &self.tombstones
    }

    /// The deleted times of a series, increasing.
    pub fn deleted(&self, series: SeriesRef) -> &[Interval] {
        self.tombstones.of(series)
    }

    /// Fails where there are no samples to read: an index by itself has none.
    pub fn need_samples(&self) -> Result<(), BlockError> {
        match self.meta {
            Some(_) => Ok(()),
            None => Err(BlockError::IndexAlone { path: self.path.clone() }),
        }
    }

    /// Length in bytes of a chunk in its segment, with its length field and checksum. Only its length field is read.
    #[inline]
    pub fn chunk_len(&self, reference: ChunkRef) -> Result<u64, DecodeError> {
        let at = reference.offset().into();
        Ok(self.segment_of(reference)?.chunk_end(at)? - at)
    }

    /// The bytes of a chunk; its checksum is compared.
    pub fn chunk(&self, reference: ChunkRef) -> Result<RawChunk<'_>, DecodeError> {
        self.segment_of(reference)?.chunk(reference.offset().into())
    }

    #[inline]
    fn segment_of(&self, reference: ChunkRef) -> Result<&Segment<Mapped>, DecodeError> {
        let number = reference.segment();
        self.segments.get(number as usize).ok_or_else(|| DecodeError::Corrupt {
            what: "count of files of chunks, for a chunk",
            at: reference.offset().into(),
            want: u64::from(number) + 1,
            got: self.segments.len() as u64,
        })
    }
}

/// Reads the meta file of a block's folder.
pub(crate) fn read_meta(folder: &Path) -> Result<Meta, BlockError> {
    let path = folder.join("meta.json");
    match fs::read(&path) {
        Ok(json) => Meta::decode(&json).map_err(|source| BlockError::Meta { path, source }),
        Err(error) if error.kind() == ErrorKind::NotFound => Err(BlockError::not_one_block(folder)),
        Err(source) => Err(BlockError::Io { path, source }),
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
    blocks_among(path, &list_names(path).map_err(BlockError::io(path))?)
}

/// The blocks among the entries of a folder that is none.
fn blocks_among(folder: &Path, entries: &[NamedEntry]) -> Result<Vec<PathBuf>, BlockError> {
    let mut paths = Vec::new();
    for name in entries.iter().map(|entry| &entry.name) {
        let is_block = name.to_str().is_some_and(|name| name.parse::<Ulid>().is_ok());
        if is_block && has_meta(&folder.join(name))? {
            paths.push(folder.join(name));
        }
    }
    if paths.is_empty() {
        return Err(BlockError::no_block(folder));
    }
    paths.sort();
    Ok(paths)
}

/// Whether a folder has a meta file. Where that can't be determined the block is not passed over: the answer would lack
/// it.
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

/// The write-ahead log of a data folder, if there is something in it. The samples that only it has are in no block, and
/// nothing here reads them.
pub fn unread_log(path: &Path) -> Option<PathBuf> {
    let log = path.join(LOG_NAME);
    let entries = fs::read_dir(&log).ok()?;
    let is_filled = |entry: io::Result<fs::DirEntry>| {
        entry.and_then(|entry| entry.metadata()).is_ok_and(|meta| meta.is_file() && meta.len() > 0)
    };
    let is_block = path.join("meta.json").exists();
    (!is_block && entries.into_iter().any(is_filled)).then_some(log)
}

/// Opens all blocks that a path stands for, by the first time that is in them.
pub fn open_all(path: &Path) -> Result<Vec<Block>, BlockError> {
    open_within(path, None, None).map(|opened| opened.blocks)
}

/// Blocks of a path, as far as they are asked.
#[derive(Debug, Default)]
pub struct Opened {
    /// By the first time that is in them.
    pub blocks: Vec<Block>,
    /// The time after the last of all blocks, those that were left closed too.
    pub end: Option<i64>,
}

/// Opens the blocks that a path stands for, by the first time that is in them. Of a block whose meta file says that it
/// has nothing of `times` only that file is read. With a salvage, blocks that can't be opened are added to it and left
/// out.
pub fn open_within(
    path: &Path,
    times: Option<Interval>,
    salvage: Option<&Salvage>,
) -> Result<Opened, BlockError> {
    let mut opened = Opened::default();
    for path in block_paths(path)? {
        match (opened.add(&path, times), salvage) {
            (Err(error), Some(salvage)) => salvage.block(&path, &error),
            (added, _) => added?,
        }
    }
    opened.blocks = by_time(opened.blocks);
    Ok(opened)
}

impl Opened {
    fn add(&mut self, path: &Path, times: Option<Interval>) -> Result<(), BlockError> {
        if !path.is_dir() {
            self.blocks.push(Block::open(path)?);
            return Ok(());
        }
        let meta = read_meta(path)?;
        self.end = self.end.max(Some(meta.max_time));
        if times.is_none_or(|times| has_times(&meta, times)) {
            self.blocks.push(Block::open_folder(path, meta)?);
        }
        Ok(())
    }
}

/// Whether a block may have samples of these times: the end of its own is not in it.
pub(crate) fn has_times(meta: &Meta, times: Interval) -> bool {
    meta.min_time <= times.max_time && times.min_time < meta.max_time
}

/// Opens the newest block that a path stands for, and returns how many there are. Which is the newest the meta files
/// say, so that no other is opened. Errors of blocks whose meta file can't be read or that can't be opened are handed
/// out; the newest of the others is taken then.
pub fn open_newest(
    path: &Path,
    failed: &mut dyn FnMut(BlockError),
) -> Result<Option<(Block, usize)>, BlockError> {
    let paths = block_paths(path)?;
    let count = paths.len();
    if let [only] = &paths[..] {
        return Ok(Some((Block::open(only)?, count)));
    }
    let mut dated: Vec<(i64, PathBuf)> = Vec::with_capacity(count);
    for path in paths {
        match read_meta(&path) {
            Ok(meta) => dated.push((meta.min_time, path)),
            Err(error) => failed(error),
        }
    }
    dated.sort_unstable();
    let opened = dated.iter().rev().find_map(|(_, path)| match Block::open(path) {
        Ok(block) => Some((block, count)),
        Err(error) => {
            failed(error);
            None
        }
    });
    Ok(opened)
}

/// As [`open_all`], but hands out the errors of blocks that can't be opened, and goes on.
pub fn open_sound(
    path: &Path,
    failed: &mut dyn FnMut(BlockError),
) -> Result<Vec<Block>, BlockError> {
    Ok(open_each(&block_paths(path)?, failed))
}

/// As [`open_sound`], of a folder by the entries that it was listed with before.
pub fn open_sound_among(
    folder: &Path,
    entries: &[NamedEntry],
    failed: &mut dyn FnMut(BlockError),
) -> Result<Vec<Block>, BlockError> {
    let paths = match has_meta(folder)? {
        true => vec![folder.to_owned()],
        false => blocks_among(folder, entries)?,
    };
    Ok(open_each(&paths, failed))
}

fn open_each(paths: &[PathBuf], failed: &mut dyn FnMut(BlockError)) -> Vec<Block> {
    let opened = paths.iter().filter_map(|path| Block::open(path).map_err(&mut *failed).ok());
    by_time(opened.collect())
}

fn by_time(mut blocks: Vec<Block>) -> Vec<Block> {
    blocks.sort_by_key(|block| block.meta().map(|meta| (meta.min_time, meta.ulid.clone())));
    blocks
}
