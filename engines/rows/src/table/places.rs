//! CompressionInfo.db of an open SSTable: the offset of a chunk is read where it is asked for.
//!
//! Bytes:   docs/formats/sstable.md, "CompressionInfo.db"

use std::ops::Range;
use std::path::Path;

use manicule_core::bytes::DecodeError;
use manicule_format_sstable::{Chunk, Component, CompressionInfo, SstableError, Version};
use manicule_store::pages::Reading;

use super::file::TableOptions;
use super::listed::Listed;
use super::ranges::Ranges;
use super::resident::Resident;
use crate::RowsError;

/// Length in bytes of what is read first: all before the offsets, unless the compressor has more
/// options than any has.
const HEAD_LEN: u64 = 4 << 10;

/// Length in bytes of offsets that are brought before it is known which of them are wanted.
const AHEAD_MAX: u64 = 128 << 10;

#[derive(Debug)]
pub(super) struct Places {
    file: Ranges,
    version: Version,
    /// What lies before the offsets, and after them.
    head: Vec<u8>,
    tail: Vec<u8>,
    offsets: Range<u64>,
}

impl Places {
    pub(super) fn open(
        listed: &Listed,
        options: &TableOptions,
        reading: &mut Reading<'_>,
    ) -> Result<Self, RowsError> {
        let file = Ranges::open(listed, &Component::CompressionInfo, options, reading)?;
        Self::of(file, listed.descriptor.version, options.component_bytes_max, reading)
    }

    /// Of bytes that no file has.
    pub(super) fn in_memory(
        info: Resident,
        version: Version,
        reading: &mut Reading<'_>,
    ) -> Result<Self, RowsError> {
        Self::of(Ranges::Read(info), version, u64::MAX, reading)
    }

    fn of(
        file: Ranges,
        version: Version,
        tail_len_max: u64,
        reading: &mut Reading<'_>,
    ) -> Result<Self, RowsError> {
        let file_len = file.len();
        let head = file.head(HEAD_LEN, reading)?.to_vec();
        let offsets = CompressionInfo::offsets_in(&head, file_len, version);
        let offsets = offsets.map_err(|error: SstableError| file.damaged(error))?;
        let tail_len = file_len - offsets.end;
        if tail_len > tail_len_max {
            let (what, at, want) = ("length of the dictionary", offsets.end, tail_len_max);
            return Err(file.damaged(DecodeError::Corrupt { what, at, want, got: tail_len }));
        }
        let tail = file.get(offsets.end..file_len, reading)?.to_vec();
        let head = head[..offsets.start as usize].to_vec();
        Ok(Places { file, version, head, tail, offsets })
    }

    pub(super) fn path(&self) -> &Path {
        self.file.path()
    }

    /// What the file says, but for the offsets.
    pub(super) fn info(&self) -> Result<CompressionInfo<'_>, RowsError> {
        let Places { file, version, head, tail, offsets } = self;
        let info = CompressionInfo::open_parts(head, tail, offsets, *version);
        info.map_err(|error| file.damaged(error))
    }

    /// The whole file, of one that is in memory.
    pub(super) fn bytes(&self) -> Option<&[u8]> {
        match &self.file {
            Ranges::Read(info) => Some(info.bytes()),
            Ranges::Paged(..) => None,
        }
    }

    /// A chunk of a Data.db of `data_len` bytes.
    pub(super) fn chunk(
        &self,
        info: &CompressionInfo<'_>,
        index: usize,
        data_len: u64,
        reading: &mut Reading<'_>,
    ) -> Result<Chunk, RowsError> {
        let between = [self.offset(index, reading)?, self.offset(index + 1, reading)?];
        let chunk = info.chunk_between(index, between, data_len);
        chunk.map_err(|error| self.file.damaged(error))
    }

    /// Has the offsets of chunks at hand, both of a range included, where a round is dear: unless
    /// there are too many of them.
    pub(super) fn foresee(
        &self,
        chunks: Range<u64>,
        reading: &mut Reading<'_>,
    ) -> Result<(), RowsError> {
        let [start, end] = [chunks.start, chunks.end.saturating_add(2)].map(|index| {
            self.offsets.start.saturating_add(index.saturating_mul(8)).min(self.offsets.end)
        });
        if end.saturating_sub(start) > AHEAD_MAX {
            return Ok(());
        }
        self.file.foresee(|| std::iter::once(start..end).collect(), reading)
    }

    /// Whether the first chunk begins a Data.db of `data_len` bytes and the last one lies in it.
    pub(super) fn check_ends(
        &self,
        data_len: u64,
        reading: &mut Reading<'_>,
    ) -> Result<(), RowsError> {
        let info = self.info()?;
        let count = info.chunk_count();
        let mut offsets = Vec::new();
        for index in [0, count.saturating_sub(1), count] {
            offsets.push((index, self.offset(index, reading)?));
        }
        let of = |index: usize| offsets.iter().find(|(it, _)| *it == index).and_then(|it| it.1);
        info.check_ends_by(data_len, of).map_err(|error| self.file.damaged(error))
    }

    fn offset(&self, index: usize, reading: &mut Reading<'_>) -> Result<Option<u64>, RowsError> {
        let at = self.offsets.start + index as u64 * 8;
        if at >= self.offsets.end {
            return Ok(None);
        }
        let bytes = self.file.get(at..at + 8, reading)?;
        Ok(bytes.first_chunk().map(|offset| u64::from_be_bytes(*offset)))
    }
}
