//! Checksums of a Data.db that isn't compressed: of its pieces in CRC.db, or of all of it in
//! Digest.crc32. They are read when the first piece is passed, so that who wants a few rows opens
//! neither.
//!
//! Bytes:   docs/formats/sstable.md, "Checksums"

use std::sync::{Arc, OnceLock};

use manicule_core::bytes::DecodeError;
use manicule_format_sstable::{ChunkSums, Component, read_digest};
use manicule_store::pages::Reading;

use super::file::{OpenFile, TableOptions};
use super::listed::Listed;
use crate::RowsError;

/// What proves the bytes of a Data.db.
#[derive(Debug)]
pub(super) enum Proof {
    /// The checksum after each compressed chunk; or nothing is there, or nothing is asked.
    None,
    /// CRC.db, which is compared by who passes over the data, or only by who asks for it.
    Sums(Sums, Asked),
    /// Digest.crc32, where there is no CRC.db.
    Digest(Arc<Digest>),
}

/// Who compares checksums.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// Whoever passes over the data.
    Always,
    /// Who calls for it.
    OnCall,
}

impl Proof {
    /// What a table has for data that aren't compressed. The file is opened, so that it is still
    /// there when it is asked.
    pub(super) fn of(
        listed: &Listed,
        options: &TableOptions,
        asked: Asked,
    ) -> Result<Self, RowsError> {
        let has = |component: &Component| listed.components.contains(component);
        let open = |component: &Component| OpenFile::open(listed, component, options);
        let len_max = options.component_bytes_max;
        if has(&Component::Crc) {
            let sums = Sums { file: open(&Component::Crc)?, len_max, read: OnceLock::new() };
            return Ok(Proof::Sums(sums, asked));
        }
        Ok(if has(&Component::Digest) && asked == Asked::Always {
            let file = open(&Component::Digest)?;
            Proof::Digest(Arc::new(Digest { file, len_max }))
        } else {
            Proof::None
        })
    }
}

/// CRC.db.
#[derive(Debug)]
pub(super) struct Sums {
    file: OpenFile,
    len_max: u64,
    read: OnceLock<Vec<u8>>,
}

impl Sums {
    /// Reads it once. Its number of checksums has to be that of the pieces of so many bytes.
    fn read(&self, data_len: u64, reading: &mut Reading<'_>) -> Result<ChunkSums<'_>, RowsError> {
        let damaged = |error| self.file.damaged(error);
        if let Some(read) = self.read.get() {
            return ChunkSums::open(read).map_err(damaged);
        }
        let read = self.file.whole(self.len_max, reading)?.to_vec();
        let sums = ChunkSums::open(self.read.get_or_init(|| read)).map_err(damaged)?;
        sums.fit(data_len).map_err(damaged)?;
        Ok(sums)
    }

    /// Length in bytes of a piece.
    pub(super) fn piece_len(
        &self,
        data_len: u64,
        reading: &mut Reading<'_>,
    ) -> Result<u64, RowsError> {
        Ok(self.read(data_len, reading)?.chunk_len().into())
    }

    /// Compares the checksum of the piece that begins at a place; an error of CRC.db itself is
    /// without.
    pub(super) fn check(
        &self,
        at: u64,
        piece: &[u8],
        data_len: u64,
        reading: &mut Reading<'_>,
    ) -> Result<Result<(), DecodeError>, RowsError> {
        let sums = self.read(data_len, reading)?;
        Ok(sums.check((at / u64::from(sums.chunk_len())) as usize, piece))
    }
}

/// Digest.crc32.
#[derive(Debug)]
pub(super) struct Digest {
    file: OpenFile,
    len_max: u64,
}

/// The checksum of a Data.db as it is passed.
#[derive(Debug)]
pub(crate) struct RunningDigest {
    of: Arc<Digest>,
    sum: crc32fast::Hasher,
    /// Up to where it has been passed from its first byte on.
    next: u64,
}

impl RunningDigest {
    pub(super) fn new(of: &Arc<Digest>) -> Self {
        RunningDigest { of: Arc::clone(of), sum: crc32fast::Hasher::new(), next: 0 }
    }

    /// Adds what was read at a place.
    pub(super) fn add(&mut self, at: u64, bytes: &[u8]) {
        if at == self.next {
            self.sum.update(bytes);
            self.next += bytes.len() as u64;
        }
    }

    /// Compares it, if all was passed.
    pub(super) fn check(&self, data_len: u64, reading: &mut Reading<'_>) -> Result<(), RowsError> {
        if self.next != data_len {
            return Ok(());
        }
        let file = &self.of.file;
        let bytes = file.whole(self.of.len_max, reading)?;
        let stored = read_digest(&bytes).map_err(|error| file.damaged(error))?;
        let computed = self.sum.clone().finalize();
        if stored == computed {
            Ok(())
        } else {
            let what = "all of Data.db";
            Err(file.damaged(DecodeError::Checksum { what, at: 0, stored, computed }))
        }
    }
}
