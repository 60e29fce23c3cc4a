//! Unpacked files of a repository, read with all their checks: SHA-256, tag, compression.
//!
//! Bytes:   docs/formats/restic.md, "Unpacked files"

use manicule_format_restic::{Decompressor, FileKind, Id, unpack};

use super::Repository;
use crate::error::RepoError;
use crate::storage::{FileName, Listed, Soon, Storage};

/// Maximum length of a key file.
pub(super) const KEY_FILE_LEN_MAX: u64 = 64 << 10;

/// Maximum number of bytes of an unpacked file, stored and plain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UnpackedLimits {
    pub(crate) stored_len: u64,
    pub(crate) plain_len: usize,
}

/// Limits of index files: real ones have 7.5 MB of JSON for 50,000 blobs.
pub(crate) const INDEX_LIMITS: UnpackedLimits =
    UnpackedLimits { stored_len: 1 << 30, plain_len: 1 << 30 };
/// Limits of snapshots.
pub(crate) const SNAPSHOT_LIMITS: UnpackedLimits =
    UnpackedLimits { stored_len: 64 << 20, plain_len: 64 << 20 };
/// Limits of locks.
pub(crate) const LOCK_LIMITS: UnpackedLimits =
    UnpackedLimits { stored_len: 64 << 10, plain_len: 64 << 10 };

/// Brings files that are going to be read.
pub(crate) fn bring_whole(storage: &dyn Storage, kind: FileKind, files: &[Listed]) {
    if storage.is_far() {
        let soon: Vec<Soon> = files.iter().map(|file| whole(kind, file)).collect();
        storage.bring(&soon);
    }
}

/// A file that is going to be read.
pub(super) fn whole(kind: FileKind, file: &Listed) -> Soon {
    let len_max = match kind {
        FileKind::Key => KEY_FILE_LEN_MAX,
        FileKind::Lock => LOCK_LIMITS.stored_len,
        FileKind::Snapshot => SNAPSHOT_LIMITS.stored_len,
        FileKind::Index | FileKind::Pack => INDEX_LIMITS.stored_len,
    };
    Soon::Whole(FileName::Of(kind, file.id), len_max)
}

/// Buffers of a thread that reads unpacked files.
#[derive(Default)]
pub(crate) struct Unpacking {
    stored: Vec<u8>,
    decompressor: Decompressor,
}

impl Repository {
    /// The JSON of a file.
    pub(crate) fn read_unpacked<'b>(
        &self,
        kind: FileKind,
        id: &Id,
        limits: UnpackedLimits,
        buffers: &'b mut Unpacking,
    ) -> Result<&'b [u8], RepoError> {
        let file = FileName::Of(kind, *id);
        let Unpacking { stored, decompressor } = buffers;
        self.storage.read(file, limits.stored_len, stored).map_err(RepoError::Storage)?;
        let named = || self.storage.name(file);
        let got = Id::of(stored);
        if got != *id {
            return Err(RepoError::Damaged { file: named(), got });
        }
        let plain = self
            .key
            .open_in_place(stored)
            .map_err(|source| RepoError::Sealed { file: named(), source })?;
        unpack(self.config.version, plain, limits.plain_len, decompressor)
            .map_err(|source| RepoError::Packed { file: named(), source })
    }
}
