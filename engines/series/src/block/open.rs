//! A block, opened by mapping its files.
//!
//! Bytes:   docs/formats/prometheus.md

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use manicule_core::bytes::{DecodeError, FileBytes};
use manicule_format_prometheus::{
    ChunkRef, INDEX_MAGIC, INDEX_NAME, Index, Interval, META_NAME, Meta, RawChunk, SeriesRef,
    Stats, Tombstones,
};
use manicule_store::store::{Failures, Fetched, LocalStore, Name, RangedFile, Store};
use manicule_store::{EntryKind, Mapped};

use super::error::BlockError;
use super::segments::Segments;
use super::signs::has_block_parts;

/// An open block: clones are the same one. Its files are mapped; writers replace blocks by renames
/// only. Of a store that is not local ranges of index and chunks are brought as they are wanted.
#[derive(Clone, Debug)]
pub struct Block(Arc<Files>);

/// What a block has.
#[derive(Debug)]
struct Files {
    path: PathBuf,
    meta: Option<Meta>,
    index: Index<RangedFile>,
    segments: Segments,
    tombstones: Tombstones,
}

impl Block {
    /// Opens a block's local folder, or an index that stands by itself: that has no meta file,
    /// chunks or tombstones.
    pub fn open(path: &Path) -> Result<Self, BlockError> {
        if LocalStore::at(path).look(&Name::root())?.kind != EntryKind::Folder {
            let mapped = Mapped::open(path).map_err(BlockError::io(path))?;
            if !mapped.starts_with(&INDEX_MAGIC) {
                return Err(BlockError::NoIndex { path: path.to_owned() });
            }
            let index = Index::open(mapped.into()).map_err(BlockError::damaged(path))?;
            return Ok(Block::of_index(path.to_owned(), index));
        }
        Block::open_folder(path, read_meta(path)?)
    }

    /// An index by itself.
    pub(super) fn of_index(path: PathBuf, index: Index<RangedFile>) -> Self {
        let (segments, tombstones) = (Segments::default(), Tombstones::default());
        Block(Arc::new(Files { path, meta: None, index, segments, tombstones }))
    }

    pub(super) fn open_folder(path: &Path, meta: Meta) -> Result<Self, BlockError> {
        Block::open_parts(&Fetched::local(path), &Name::root(), meta)
    }

    pub(super) fn open_parts(
        files: &Fetched,
        folder: &Name,
        meta: Meta,
    ) -> Result<Self, BlockError> {
        let segments = Segments::open(files, &part(folder, CHUNKS))?;
        let index = open_index(files, &part(folder, INDEX_NAME))?;
        let tombstones = open_tombstones(files.store(), &part(folder, TOMBSTONES), &meta)?;
        Block::of(files.store().show(folder), meta, index, segments, tombstones)
    }

    /// A block of its parts.
    pub(super) fn of(
        path: PathBuf,
        meta: Meta,
        index: Index<RangedFile>,
        segments: Segments,
        tombstones: Tombstones,
    ) -> Result<Self, BlockError> {
        let meta = Some(meta);
        let block = Block(Arc::new(Files { path, meta, index, segments, tombstones }));
        block.check_series_count()?;
        Ok(block)
    }

    /// The index has as many series as the meta file says. Only the length of the list of all
    /// series is read.
    fn check_series_count(&self) -> Result<(), BlockError> {
        // Whoever counts nothing says nothing.
        let stats =
            self.0.meta.as_ref().map(|meta| meta.stats).filter(|stats| *stats != Stats::default());
        match (stats.map(|stats| stats.num_series), self.0.index.series_count()) {
            (Some(got), Some(want)) if got != want => {
                let path = self.0.path.join(META_NAME);
                let what = format!("numSeries: wanted {want} by the index, got {got}");
                Err(BlockError::Contradiction { path, what })
            }
            _ => Ok(()),
        }
    }

    /// Error of contradicting bytes of its index.
    pub(crate) fn in_index(&self) -> impl Fn(DecodeError) -> BlockError + '_ {
        |source| error_of(&self.0.index.file().failures(), source, || self.index_path())
    }

    /// Error of contradicting bytes of a chunk: it names the file that the chunk lies in.
    pub(crate) fn in_chunk(
        &self,
        reference: ChunkRef,
    ) -> impl Fn(DecodeError) -> BlockError + use<'_> {
        move |source| {
            let name = format!("chunks/{:06}", u64::from(reference.segment()) + 1);
            let path = || self.0.path.join(name);
            match self.0.segments.of(reference) {
                Ok(segment) => error_of(&segment.file().failures(), source, path),
                Err(_) => BlockError::Damaged { path: path(), source },
            }
        }
    }

    /// Its folder, or the file of an index by itself.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// The file of its index.
    pub fn index_path(&self) -> PathBuf {
        match self.0.meta {
            Some(_) => self.0.path.join("index"),
            None => self.0.path.clone(),
        }
    }

    /// Its meta file; an index by itself has none.
    pub fn meta(&self) -> Option<&Meta> {
        self.0.meta.as_ref()
    }

    /// Its index.
    pub fn index(&self) -> &Index<RangedFile> {
        &self.0.index
    }

    /// The files of its chunks.
    pub fn segments(&self) -> &Segments {
        &self.0.segments
    }

    /// Deleted times of its series.
    pub fn tombstones(&self) -> &Tombstones {
        &self.0.tombstones
    }

    /// The deleted times of a series, increasing.
    pub fn deleted(&self, series: SeriesRef) -> &[Interval] {
        self.0.tombstones.of(series)
    }

    /// Fails where there are no samples to read: an index by itself has none.
    pub fn need_samples(&self) -> Result<(), BlockError> {
        match self.0.meta {
            Some(_) => Ok(()),
            None => Err(BlockError::IndexAlone { path: self.0.path.clone() }),
        }
    }

    /// Whether ranges of it are brought as they are wanted.
    #[inline]
    pub(crate) fn is_elsewhere(&self) -> bool {
        !self.0.index.file().is_whole()
    }

    /// Brings chunks that are going to be read, as far as they are elsewhere.
    pub(crate) fn bring_chunks(&self, mut chunks: Vec<ChunkRef>) -> Result<(), BlockError> {
        let Some(first) = chunks.first().copied().filter(|_| self.is_elsewhere()) else {
            return Ok(());
        };
        let lens = self.0.segments.iter().map(|segment| segment.bytes().len() as u64);
        let count = self.0.meta.as_ref().map_or(0, |meta| meta.stats.num_chunks);
        let mean = lens.sum::<u64>().checked_div(count).unwrap_or(CHUNK_LEN.end);
        let len_guess = (2 * mean).clamp(CHUNK_LEN.start, CHUNK_LEN.end);
        self.0.segments.bring(&mut chunks, len_guess).map_err(self.in_chunk(first))
    }

    /// Length in bytes of a chunk in its segment, with its length field and checksum. Only its
    /// length field is read.
    #[inline]
    pub fn chunk_len(&self, reference: ChunkRef) -> Result<u64, DecodeError> {
        let at = reference.offset().into();
        Ok(self.0.segments.of(reference)?.chunk_end(at)? - at)
    }

    /// The bytes of a chunk; its checksum is compared.
    pub fn chunk(&self, reference: ChunkRef) -> Result<RawChunk<'_>, DecodeError> {
        self.0.segments.of(reference)?.chunk(reference.offset().into())
    }
}

/// Bounds of the guessed length of a chunk.
const CHUNK_LEN: Range<u64> = 256..16 << 10;

/// Names of parts of a block.
pub(crate) const CHUNKS: &str = "chunks";
pub(crate) const TOMBSTONES: &str = "tombstones";

/// Error of bytes that contradict the format, or that could not be brought.
pub(super) fn error_of(
    failures: &Failures,
    source: DecodeError,
    path: impl FnOnce() -> PathBuf,
) -> BlockError {
    match failures.last().filter(|_| source.is_unread()) {
        Some(failure) => failure.into(),
        None => BlockError::Damaged { path: path(), source },
    }
}

/// A file or folder of a block.
pub(crate) fn part(folder: &Name, part: &str) -> Name {
    folder.join(part).expect("parts of blocks have names")
}

/// Reads the meta file of a block's local folder.
pub(crate) fn read_meta(folder: &Path) -> Result<Meta, BlockError> {
    let store = LocalStore::at(folder);
    match find_meta(&store, &Name::root())? {
        Some(meta) => Ok(meta),
        None if has_block_parts(folder) => Err(no_meta(folder.join(META_NAME))),
        None => Err(BlockError::not_one_block(folder)),
    }
}

/// Reads the meta file of a block in a folder of a store.
pub(super) fn read_meta_in(store: &dyn Store, folder: &Name) -> Result<Meta, BlockError> {
    let meta = find_meta(store, folder)?;
    meta.ok_or_else(|| no_meta(store.show(&part(folder, META_NAME))))
}

pub(super) fn no_meta(path: PathBuf) -> BlockError {
    BlockError::PartMissing { path, why: "every block has one".to_owned() }
}

fn find_meta(store: &dyn Store, folder: &Name) -> Result<Option<Meta>, BlockError> {
    let (file, mut json) = (part(folder, META_NAME), Vec::new());
    match store.read(&file, u64::MAX, &mut json) {
        Err(error) if error.is_missing() => return Ok(None),
        read => read?,
    }
    decode_meta(store, &file, &json).map(Some)
}

pub(super) fn decode_meta(store: &dyn Store, file: &Name, json: &[u8]) -> Result<Meta, BlockError> {
    Meta::decode(json).map_err(|source| BlockError::Meta { path: store.show(file), source })
}

fn open_index(files: &Fetched, file: &Name) -> Result<Index<RangedFile>, BlockError> {
    let damaged = |source| BlockError::Damaged { path: files.store().show(file), source };
    Index::open(files.map(file)?.bytes.into()).map_err(damaged)
}

/// Key in the meta files of blocks that Thanos has put into a bucket: it leaves tombstones behind.
const OF_BUCKET: &str = "thanos";

/// Without the file nothing is deleted, unless the meta file counts deleted times.
fn open_tombstones(store: &dyn Store, file: &Name, meta: &Meta) -> Result<Tombstones, BlockError> {
    let mut bytes = Vec::new();
    match store.read(file, u64::MAX, &mut bytes) {
        Err(error) if error.is_missing() => no_tombstones(store, file, meta),
        Err(error) => Err(error.into()),
        Ok(()) => decode_tombstones(store, file, &bytes),
    }
}

/// What holds where the file is missing.
pub(super) fn no_tombstones(
    store: &dyn Store,
    file: &Name,
    meta: &Meta,
) -> Result<Tombstones, BlockError> {
    let count = meta.stats.num_tombstones;
    if count > 0 && !meta.rest.contains_key(OF_BUCKET) {
        let why = format!("meta.json counts deleted times, {count} of them");
        return Err(BlockError::PartMissing { path: store.show(file), why });
    }
    Ok(Tombstones::default())
}

pub(super) fn decode_tombstones(
    store: &dyn Store,
    file: &Name,
    bytes: &[u8],
) -> Result<Tombstones, BlockError> {
    let damaged = |source| BlockError::Damaged { path: store.show(file), source };
    Tombstones::decode(bytes).map_err(damaged)
}
