//! Data.db as its uncompressed bytes, whether it is compressed or not.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use manicule_core::bytes::DecodeError;
use manicule_store::pages::{Keep, Reading};

use super::chunks::{Chunks, Run};
use super::file::OpenFile;
use super::sums::{Asked, Proof, RunningDigest};
use crate::RowsError;

/// Kind of decompressed chunks in the cache.
const CHUNK_KIND: u8 = 1;

#[derive(Debug)]
pub(crate) struct DataFile {
    file: OpenFile,
    chunks: Option<Chunks>,
    /// Of data that aren't compressed.
    proof: Proof,
}

impl DataFile {
    pub(super) fn new(file: OpenFile, chunks: Option<Chunks>, proof: Proof) -> Self {
        DataFile { file, chunks, proof }
    }

    /// Whether its length can be that of a table: one without partitions is not written, and the
    /// last chunk is in the file.
    pub(crate) fn check_len(&self, reading: &mut Reading<'_>) -> Result<(), RowsError> {
        if self.len() == 0 {
            let what = "it is empty, and no table has no partitions: fetch another copy of the \
                        file, or remove the SSTable";
            return Err(RowsError::Contradicted {
                file: self.path().to_owned(),
                what: what.to_owned(),
            });
        }
        self.chunks.as_ref().map_or(Ok(()), |chunks| chunks.check_ends(&self.file, reading))
    }

    /// Length of the uncompressed bytes.
    pub(crate) fn len(&self) -> u64 {
        self.chunks.as_ref().map_or(self.file.len(), |chunks| chunks.data_len)
    }

    /// The file as it is stored.
    pub(crate) fn stored(&self) -> &OpenFile {
        &self.file
    }

    /// CompressionInfo.db of compressed data, where it is in memory: of a table that was opened as
    /// damaged, and as it has to be.
    pub(crate) fn compression(&self) -> Option<&[u8]> {
        self.chunks.as_ref().and_then(|chunks| chunks.places().bytes())
    }

    pub(crate) fn path(&self) -> &Path {
        self.file.path()
    }

    pub(super) fn mapped(&self) -> Option<&[u8]> {
        self.file.paged().mapped().filter(|_| self.chunks.is_none())
    }

    pub(super) fn read_end(&self, range: Range<u64>) -> u64 {
        let unit =
            self.chunks.as_ref().map_or(self.file.paged().page_len(), |chunks| chunks.chunk_len);
        range.end.next_multiple_of(unit).min(self.len())
    }

    pub(crate) fn damaged(&self, error: DecodeError) -> RowsError {
        self.file.damaged(error)
    }

    /// Fills a buffer with the bytes from a place on.
    pub(super) fn read(
        &self,
        mut at: u64,
        mut out: &mut [u8],
        keep: Keep,
        reading: &mut Reading<'_>,
    ) -> Result<(), RowsError> {
        let Some(chunks) = &self.chunks else {
            return self.file.read_passing(at, out, reading);
        };
        let (mut run, end) = (Run::default(), at.saturating_add(out.len() as u64));
        while !out.is_empty() {
            let (index, last) = (at / chunks.chunk_len, (end - 1) / chunks.chunk_len);
            let (index, last) = (index as usize, last as usize);
            let mut read = |reading: &mut Reading<'_>| {
                if self.file.is_far() {
                    chunks.read_in_run([index, last], &self.file, &mut run, reading)
                } else {
                    chunks.read(index, &self.file, reading)
                }
            };
            let chunk = match keep {
                Keep::Shared => self.kept(index as u64 * chunks.chunk_len, reading, read)?,
                Keep::Passing => Arc::new(read(reading)?),
            };
            let index = index as u64;
            let there = &chunk[(at - index * chunks.chunk_len) as usize..];
            let (now, later) = out.split_at_mut(there.len().min(out.len()));
            now.copy_from_slice(&there[..now.len()]);
            at += now.len() as u64;
            out = later;
        }
        Ok(())
    }

    /// Has at hand where the chunks of a range lie, in one round, where a round is dear and these
    /// are few.
    pub(crate) fn foresee_places(
        &self,
        range: Range<u64>,
        reading: &mut Reading<'_>,
    ) -> Result<(), RowsError> {
        let Some(chunks) = &self.chunks else { return Ok(()) };
        chunks
            .places()
            .foresee(range.start / chunks.chunk_len..range.end / chunks.chunk_len, reading)
    }

    /// The chunk that begins at a place, from the cache or read now.
    fn kept(
        &self,
        at: u64,
        reading: &mut Reading<'_>,
        read: impl FnOnce(&mut Reading<'_>) -> Result<Vec<u8>, RowsError>,
    ) -> Result<Arc<Vec<u8>>, RowsError> {
        self.file.paged().parsed(CHUNK_KIND, at, reading, |reading| {
            let chunk = read(reading)?;
            let bytes = chunk.len() as u64;
            Ok((chunk, bytes))
        })
    }

    /// Whether checksums are compared by who passes over all of it: chunks have theirs whoever
    /// reads them.
    pub(super) fn is_summed(&self) -> bool {
        matches!(self.proof, Proof::Sums(_, Asked::Always) | Proof::Digest(_))
    }

    /// Whether CRC.db is there.
    pub(crate) fn has_sums(&self) -> bool {
        matches!(self.proof, Proof::Sums(..))
    }

    pub(super) fn digest(&self) -> Option<RunningDigest> {
        match &self.proof {
            Proof::Digest(digest) => Some(RunningDigest::new(digest)),
            Proof::None | Proof::Sums(..) => None,
        }
    }

    pub(super) fn piece_len(&self, reading: &mut Reading<'_>) -> Result<Option<u64>, RowsError> {
        match &self.proof {
            Proof::Sums(sums, _) => sums.piece_len(self.file.len(), reading).map(Some),
            Proof::None | Proof::Digest(_) => Ok(None),
        }
    }

    pub(super) fn check_piece(
        &self,
        at: u64,
        piece: &[u8],
        reading: &mut Reading<'_>,
    ) -> Result<(), RowsError> {
        let Proof::Sums(sums, _) = &self.proof else { return Ok(()) };
        let checked = sums.check(at, piece, self.file.len(), reading)?;
        checked.map_err(|error| self.file.damaged(error))
    }

    /// Compares the sums of CRC.db for a range of a Data.db that isn't compressed: of all pieces
    /// that it touches.
    pub(crate) fn check_sums(
        &self,
        range: Range<u64>,
        reading: &mut Reading<'_>,
    ) -> Result<(), RowsError> {
        let Some(len) = self.piece_len(reading)? else { return Ok(()) };
        for index in range.start / len..range.end.div_ceil(len) {
            let piece = index * len..((index + 1) * len).min(self.file.len());
            let at = piece.start;
            let bytes = self.file.get(piece, Keep::Passing, reading)?;
            self.check_piece(at, &bytes, reading)?;
        }
        Ok(())
    }
}
