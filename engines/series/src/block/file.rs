//! A file of a block by itself: what `verify` names with an offset, shown chunk by chunk, or
//! deleted time by deleted time.
//!
//! Bytes:   docs/formats/prometheus.md

use std::fs;
use std::path::{Path, PathBuf};

use manicule_core::bytes::DecodeError;
use manicule_format_prometheus::chunk::Contents;
use manicule_format_prometheus::{
    FileKind, INDEX_HEADER_NAME, META_NAME, Meta, RawChunk, SEGMENT_HEADER_LEN, SPARSE_HEADER_NAME,
    Segment, Tombstones,
};
use manicule_store::Mapped;

use crate::block::BlockError;

/// A file of a block that is no index.
#[derive(Debug)]
#[non_exhaustive]
pub enum BlockFile {
    /// Its chunks.
    Segment(SegmentFile),
    /// Deleted times of its series.
    Tombstones(PathBuf, Tombstones),
    /// Its meta file.
    Meta(PathBuf, Meta),
}

/// Kind of a file that is taken for one of a block: an index unless it says something else.
pub(crate) fn taken_for(path: &Path, bytes: &[u8]) -> FileKind {
    let name = path.file_name().and_then(|name| name.to_str());
    match (name, FileKind::of_head(bytes)) {
        (Some(META_NAME), _) => FileKind::Meta,
        (Some(SPARSE_HEADER_NAME), _) => FileKind::SparseHeader,
        (Some(INDEX_HEADER_NAME), None) => FileKind::IndexHeader,
        (_, kind) => kind.unwrap_or(FileKind::Index),
    }
}

impl BlockFile {
    /// Opens a file; `None` where it is a folder, or taken for an index or for a header of one.
    pub fn open(path: &Path) -> Result<Option<Self>, BlockError> {
        if fs::metadata(path).map_err(BlockError::io(path))?.is_dir() {
            return Ok(None);
        }
        BlockFile::of(path, Mapped::open(path).map_err(BlockError::io(path))?)
    }

    /// The same of the bytes of a file that is called so.
    pub fn of(path: &Path, bytes: Mapped) -> Result<Option<Self>, BlockError> {
        let path = path.to_owned();
        Ok(match taken_for(&path, &bytes) {
            FileKind::Index | FileKind::IndexHeader | FileKind::SparseHeader => None,
            FileKind::Segment => {
                let segment = Segment::open(bytes).map_err(BlockError::damaged(&path))?;
                Some(BlockFile::Segment(SegmentFile { path, segment }))
            }
            FileKind::Tombstones => {
                let tombstones = Tombstones::decode(&bytes).map_err(BlockError::damaged(&path))?;
                Some(BlockFile::Tombstones(path, tombstones))
            }
            FileKind::Meta => match Meta::decode(&bytes) {
                Ok(meta) => Some(BlockFile::Meta(path, meta)),
                Err(source) => return Err(BlockError::Meta { path, source }),
            },
        })
    }
}

/// A file of chunks.
#[derive(Debug)]
pub struct SegmentFile {
    /// Path of the file.
    pub path: PathBuf,
    segment: Segment<Mapped>,
}

/// A chunk of a segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkRow {
    /// Offset of its length field: the one that series and findings name.
    pub at: u64,
    /// Its bytes with length field, encoding and checksum, as its length field says.
    pub len: u64,
    /// Its content, or why that can't be read.
    pub content: Result<ChunkContent, DecodeError>,
}

/// Contents of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkContent {
    /// Encoding of its samples.
    pub encoding: u8,
    /// Its samples; of aggregates the windows.
    pub sample_count: u64,
    /// The times of the first and the last of them.
    pub times: Option<(i64, i64)>,
}

impl SegmentFile {
    /// Length of the file in bytes.
    pub fn len(&self) -> u64 {
        self.segment.bytes().len() as u64
    }

    /// Whether it is empty; no segment is.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The chunks one after the other, each decoded. After one that doesn't hold the next is looked
    /// for where the length of this one says; where that is no place in the file, nothing more can
    /// be found.
    pub fn chunks(&self) -> impl Iterator<Item = ChunkRow> + '_ {
        let mut next = Some(SEGMENT_HEADER_LEN as u64);
        std::iter::from_fn(move || {
            let at = next.filter(|at| *at < self.len())?;
            next = self.segment.chunk_end(at).ok();
            let len = next.unwrap_or(self.len()) - at;
            let content = self.segment.chunk(at).and_then(|chunk| content(&chunk));
            Some(ChunkRow { at, len, content })
        })
    }
}

fn content(chunk: &RawChunk<'_>) -> Result<ChunkContent, DecodeError> {
    let mut content = ChunkContent { encoding: chunk.encoding, sample_count: 0, times: None };
    match chunk.contents()? {
        Contents::Samples(samples) => {
            for sample in samples.samples()? {
                let time = sample?.time;
                content.sample_count += 1;
                content.times = Some((content.times.map_or(time, |times| times.0), time));
            }
        }
        Contents::Aggregates(aggregates) => {
            content.sample_count = aggregates.window_count()?.into();
            let times = aggregates.times()?;
            content.times = times.map(|times| (times.min_time, times.max_time));
        }
    }
    Ok(content)
}
