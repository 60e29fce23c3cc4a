//! Data.db of another SSTable as it is, with its checksums made again.

use std::io;

use manicule_core::bytes::DecodeError;
use manicule_core::watch::{Phase, Unit, Watch};
use manicule_format_sstable::{
    CHUNK_SUM_LEN, Component, CompressionInfo, SumsOfChunks, read_digest,
};
use manicule_store::pages::Reading;

use super::data::{DataWritten, write_digest};
use super::draft::TableDraft;
use super::out::Out;
use crate::RowsError;
use crate::table::{Listed, OpenFile, Sstable, TableOptions, read_component};

/// Length in bytes of a read.
const READ_LEN: u64 = 1 << 20;

/// Data.db that was copied, and what its old checksums say of it.
pub(super) struct Copied {
    pub(super) written: DataWritten,
    pub(super) proof: Proven,
}

/// What the old checksums of a Data.db say of it.
pub(super) enum Proven {
    /// That it is whole: those of all chunks, or CRC.db, or Digest.crc32. Another that says else is
    /// damaged itself.
    Whole,
    /// That it is damaged.
    Damaged(RowsError),
    /// There are none that can be read.
    Unknown,
}

/// Puts Data.db among the files of a draft, and CRC.db or CompressionInfo.db and Digest.crc32.
pub(super) fn copy_data(
    sstable: &Sstable,
    listed: &Listed,
    draft: &mut TableDraft,
    options: &TableOptions,
    reading: &mut Reading<'_>,
    watch: &Watch<'_>,
) -> Result<Copied, RowsError> {
    let stored = sstable.stored();
    let compression = sstable.data().compression();
    let mut sums = compression.is_none().then(SumsOfChunks::new);
    let digest = put_data(stored, sums.as_mut(), draft, reading, watch)?;
    let proof = match compression {
        // The rows were read, and with them the checksum of each chunk.
        Some(_) => Proven::Whole,
        None => proven(sstable, listed, digest, options, reading),
    };
    let len = sstable.data_len();
    let ratio = match compression {
        None => {
            let mut bytes = Vec::new();
            if let Some(sums) = sums {
                sums.put(&mut bytes);
            }
            draft.write(Component::Crc, &bytes).map_err(|error| draft.failed(error))?;
            -1.0
        }
        Some(info) => {
            let read = CompressionInfo::open(info, sstable.version());
            let path = listed.path(&Component::CompressionInfo);
            let read = read.map_err(|error| RowsError::damaged(&path, error))?;
            let sums_len = read.chunk_count() as u64 * CHUNK_SUM_LEN;
            let chunks_len = stored.len().saturating_sub(sums_len);
            let written = draft.write(Component::CompressionInfo, info);
            written.map_err(|error| draft.failed(error))?;
            if len == 0 { 0.0 } else { chunks_len as f64 / len as f64 }
        }
    };
    write_digest(digest, draft).map_err(|error| draft.failed(error))?;
    Ok(Copied { written: DataWritten { len, ratio }, proof })
}

/// What CRC.db and Digest.crc32 say of data that aren't compressed: one that affirms them is
/// enough.
fn proven(
    sstable: &Sstable,
    listed: &Listed,
    computed: u32,
    options: &TableOptions,
    reading: &mut Reading<'_>,
) -> Proven {
    let stored = read_component(listed, &Component::Digest, options, reading);
    let stored = stored.ok().and_then(|bytes| read_digest(&bytes).ok());
    if stored == Some(computed) {
        return Proven::Whole;
    }
    let summed = sstable.check_sums(0..sstable.data_len(), reading);
    match (summed, stored) {
        (Ok(()), _) if sstable.has_sums() => Proven::Whole,
        (Err(error), _) => Proven::Damaged(error),
        (Ok(()), Some(stored)) => {
            let (what, at) = ("all of Data.db", 0);
            let path = listed.path(&Component::Digest);
            let error = DecodeError::Checksum { what, at, stored, computed };
            Proven::Damaged(RowsError::damaged(&path, error))
        }
        (Ok(()), None) => Proven::Unknown,
    }
}

/// Gives the file another name where the file system can, and copies it otherwise. Returns its
/// checksum.
fn put_data(
    stored: &OpenFile,
    mut sums: Option<&mut SumsOfChunks>,
    draft: &mut TableDraft,
    reading: &mut Reading<'_>,
    watch: &Watch<'_>,
) -> Result<u32, RowsError> {
    let failed = |draft: &TableDraft, source| draft.failed(source);
    let linked = draft.link(stored.path(), &Component::Data);
    let mut copy = match linked {
        Ok(()) => None,
        Err(error) if is_refused(&error) => {
            let created = Out::create(draft.aside(), &draft.name(&Component::Data));
            Some(created.map_err(|error| failed(draft, error))?)
        }
        Err(error) => return Err(failed(draft, error)),
    };
    let meter = watch.phase(Phase::Writing, Unit::Bytes, stored.len());
    let (mut digest, mut buffer, mut at) = (crc32fast::Hasher::new(), Vec::new(), 0);
    let _held = reading.budget.take(READ_LEN).map_err(RowsError::OverBudget)?;
    buffer.resize(stored.len().min(READ_LEN) as usize, 0);
    while at < stored.len() {
        let end = stored.len().min(at + READ_LEN);
        let bytes = &mut buffer[..(end - at) as usize];
        stored.read_passing(at, bytes, reading)?;
        digest.update(bytes);
        if let Some(sums) = &mut sums {
            sums.add(bytes);
        }
        if let Some(copy) = &mut copy {
            copy.put(bytes).map_err(|error| failed(draft, error))?;
        }
        meter.step(end - at)?;
        at = end;
    }
    if let Some(copy) = &mut copy {
        copy.flush().map_err(|error| failed(draft, error))?;
    }
    meter.end();
    draft.add(Component::Data);
    Ok(digest.finalize())
}

/// Whether a file can't have another name there: it lies on another file system, or on one that
/// knows no second names, or is somebody else's, or in no file system but a bucket.
fn is_refused(error: &io::Error) -> bool {
    use io::ErrorKind::{CrossesDevices, NotFound, PermissionDenied, TooManyLinks, Unsupported};
    matches!(
        error.kind(),
        CrossesDevices | NotFound | PermissionDenied | TooManyLinks | Unsupported
    )
}
