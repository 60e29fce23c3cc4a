//! Blobs read from packs: opened, decompressed, and compared with their ids.
//!
//! Bytes:   docs/formats/restic.md, "Packs"

use std::fmt;

use manicule_format_restic::{
    BlobError, BlobKind, Decompressor, FileKind, Id, PackedBlob, Place, open_blob,
};
use manicule_store::store::StoreError;

use super::bring::bring_trees;
use super::runs::Run;
use crate::index::{Found, Index};
use crate::repository::Repository;
use crate::storage::FileName;

/// Maximum length of a blob, stored and plain. What an index claims beyond that is not asked memory
/// for.
pub(crate) const BLOB_LEN_MAX: u32 = 256 << 20;

/// Why a blob can't be read from any of its places: the error of the last.
#[derive(Debug)]
pub enum ReadError {
    /// The index has no place of it.
    NotInIndex,
    /// The pack can't be read there.
    Storage(StoreError),
    /// The index claims a longer blob than is read.
    TooLong {
        /// The pack.
        pack: Id,
        /// The place in it.
        place: Place,
    },
    /// The bytes there are not the blob.
    Blob {
        /// The pack.
        pack: Id,
        /// The place in it.
        place: Place,
        /// The error.
        source: BlobError,
    },
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::NotInIndex => f.write_str("not in the index"),
            ReadError::Storage(error) => error.fmt(f),
            ReadError::TooLong { pack, place } => write!(
                f,
                "pack {pack}, offset {}: stored length by the index: wanted at most {BLOB_LEN_MAX}, got {}",
                place.offset, place.len
            ),
            ReadError::Blob { pack, place, source } => {
                write!(f, "pack {pack}, offset {}: {source}", place.offset)
            }
        }
    }
}

impl std::error::Error for ReadError {}

/// Reads blobs; each thread has one.
pub(crate) struct BlobReader<'r> {
    repository: &'r Repository,
    index: &'r Index,
    /// What a run has read.
    run: Vec<u8>,
    /// One blob's stored bytes, which opening changes.
    stored: Vec<u8>,
    decompressor: Decompressor,
}

impl<'r> BlobReader<'r> {
    pub(crate) fn new(repository: &'r Repository, index: &'r Index) -> Self {
        let (run, stored) = (Vec::new(), Vec::new());
        BlobReader { repository, index, run, stored, decompressor: Decompressor::new() }
    }

    /// Reads a run and hands out its blobs with the numbers of their entries. One that is broken
    /// there is read from its other places.
    pub(crate) fn read_run(
        &mut self,
        run: &Run,
        mut each: impl FnMut(u32, Result<&[u8], ReadError>),
    ) {
        let file = FileName::Of(FileKind::Pack, self.index.pack(run.pack).id);
        let len = run.range.end - run.range.start;
        if len > BLOB_LEN_MAX.into() {
            // One blob, as runs are short; its other places may be sound.
            return run.numbers.iter().for_each(|&number| {
                let id = self.index.of(run.kind).entry(number).0;
                self.read(run.kind, &id, |text| each(number, text));
            });
        }
        self.run.resize(len as usize, 0);
        let is_read =
            self.repository.storage().read_at(file, run.range.start, &mut self.run).is_ok();
        for &number in &run.numbers {
            let (id, stored) = self.index.of(run.kind).entry(number);
            let place = stored.place;
            let start = (u64::from(place.offset) - run.range.start) as usize;
            self.stored.clear();
            if is_read {
                self.stored.extend_from_slice(&self.run[start..start + place.len as usize]);
            }
            match self.open(run.kind, &id, place) {
                Ok(plain) => each(number, Ok(plain)),
                Err(_) => self.read(run.kind, &id, |text| each(number, text)),
            }
        }
    }

    /// Reads a blob from the first of its places that has it. Where a pack is gone, and the index
    /// has changed since it was read, the blob's places of now are tried as well.
    pub(crate) fn read<R>(
        &mut self,
        kind: BlobKind,
        id: &Id,
        take: impl FnOnce(Result<&[u8], ReadError>) -> R,
    ) -> R {
        if kind == BlobKind::Tree {
            bring_trees(self.repository, self.index, [*id]);
        }
        let mut last = ReadError::NotInIndex;
        let mut indexes = [Some(self.index), None];
        for turn in 0..indexes.len() {
            let Some(index) = indexes[turn] else { break };
            for Found { pack, place } in index.places(kind, id) {
                match self.read_at(kind, id, index.pack(pack).id, place) {
                    Ok(plain) => return take(Ok(plain)),
                    Err(error) => last = error,
                }
            }
            if turn == 0 && matches!(&last, ReadError::Storage(error) if error.is_missing()) {
                indexes[1] = self.repository.index_since(self.index);
            }
        }
        take(Err(last))
    }

    fn read_at(
        &mut self,
        kind: BlobKind,
        id: &Id,
        pack: Id,
        place: Place,
    ) -> Result<&[u8], ReadError> {
        if place.len > BLOB_LEN_MAX {
            return Err(ReadError::TooLong { pack, place });
        }
        self.stored.resize(place.len as usize, 0);
        let (file, start) = (FileName::Of(FileKind::Pack, pack), u64::from(place.offset));
        let read = self.repository.storage().read_at(file, start, &mut self.stored);
        read.map_err(ReadError::Storage)?;
        self.open(kind, id, place).map_err(|source| ReadError::Blob { pack, place, source })
    }

    fn open(&mut self, kind: BlobKind, id: &Id, place: Place) -> Result<&[u8], BlobError> {
        let blob = PackedBlob { kind: Some(kind), id: *id, place };
        let BlobReader { stored, decompressor, .. } = self;
        open_blob(self.repository.key(), stored, &blob, BLOB_LEN_MAX as usize, decompressor)
            .map(|opened| opened.plain)
    }
}
