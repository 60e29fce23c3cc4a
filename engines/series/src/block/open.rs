//! A block, opened by mapping its files; and the blocks of a data folder.
//!
//! Bytes:   docs/formats/prometheus.md
//! Callers: all of this engine, faces/manicule

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use manicule_core::bytes::DecodeError;
use manicule_format_prometheus::{
    ChunkRef, INDEX_MAGIC, Index, Interval, Meta, RawChunk, Segment, SeriesRef, Tombstones,
};
use manicule_store::Mapped;

use super::error::BlockError;

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

    pub(super) fn open_folder(path: &Path, meta: Meta) -> Result<Self, BlockError> {
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
