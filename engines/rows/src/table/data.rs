//! Data.db as its uncompressed bytes, whether it is compressed or not.
//!
//! Callers: window, sstable

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use manicule_core::bytes::DecodeError;
use manicule_format_sstable::ChunkSums;
use manicule_store::pages::{Keep, Reading};

use super::chunks::Chunks;
use super::file::OpenFile;
use super::resident::Resident;
use crate::RowsError;

/// Kind of decompressed chunks in the cache.
const CHUNK_KIND: u8 = 1;

#[derive(Debug)]
pub(crate) struct DataFile {
    file: OpenFile,
    chunks: Option<Chunks>,
}

impl DataFile {
    pub(crate) fn new(file: OpenFile, chunks: Option<Chunks>) -> Self {
        DataFile { file, chunks }
    }

    /// Length of the uncompressed bytes.
    pub(crate) fn len(&self) -> u64 {
        self.chunks.as_ref().map_or(self.file.len(), |chunks| chunks.data_len)
    }

    /// The file as it is stored.
    pub(crate) fn stored(&self) -> &OpenFile {
        &self.file
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

    pub(super) fn append(
        &self,
        range: Range<u64>,
        keep: Keep,
        out: &mut Vec<u8>,
        reading: &mut Reading<'_>,
    ) -> Result<(), RowsError> {
        let Some(chunks) = &self.chunks else {
            return self.file.append_passing(range, out, reading);
        };
        let mut at = range.start;
        while at < range.end {
            let index = at / chunks.chunk_len;
            let chunk = match keep {
                Keep::Shared => self.chunk(chunks, index, reading)?,
                Keep::Passing => Arc::new(chunks.read(index as usize, &self.file, reading)?),
            };
            let start = index * chunks.chunk_len;
            let end = range.end.min(start + chunk.len() as u64);
            out.extend_from_slice(&chunk[(at - start) as usize..(end - start) as usize]);
            at = end;
        }
        Ok(())
    }

    fn chunk(
        &self,
        chunks: &Chunks,
        index: u64,
        reading: &mut Reading<'_>,
    ) -> Result<Arc<Vec<u8>>, RowsError> {
        let at = index * chunks.chunk_len;
        self.file.paged().parsed(CHUNK_KIND, at, reading, |reading| {
            let chunk = chunks.read(index as usize, &self.file, reading)?;
            let bytes = chunk.len() as u64;
            Ok((chunk, bytes))
        })
    }

    /// Compares the sums of CRC.db for a range of a Data.db that isn't compressed: of all 64 KiB that it touches.
    pub(crate) fn check_sums(
        &self,
        sums: &Resident,
        range: Range<u64>,
        reading: &mut Reading<'_>,
    ) -> Result<(), RowsError> {
        let sums_read = ChunkSums::open(sums.bytes()).map_err(|error| sums.damaged(error))?;
        let len = u64::from(sums_read.chunk_len());
        for index in range.start / len..range.end.div_ceil(len) {
            let chunk = index * len..((index + 1) * len).min(self.file.len());
            let bytes = self.file.get(chunk, Keep::Passing, reading)?;
            let checked = sums_read.check(index as usize, &bytes);
            checked.map_err(|error| self.file.damaged(error))?;
        }
        Ok(())
    }
}
