//! What a repository shows without a password: its files by their kinds, and what its key files say
//! in the clear.
//!
//! Bytes:   docs/formats/restic.md, "The folder", "Keys"

use manicule_format_restic::{FileKind, Id, KeyFile};

use crate::error::RepoError;
use crate::repository::{read_config, read_key};
use crate::storage::Storage;

/// A repository's files, and its keys.
#[derive(Debug)]
pub struct Inspection {
    /// The files of each kind, in the order of [`FileKind::ALL`].
    pub files: Vec<FileCount>,
    /// The key files, ordered by id. One that can't be read is a sentence.
    pub keys: Vec<(Id, Result<KeyFile, String>)>,
}

/// Files of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileCount {
    /// The kind.
    pub kind: FileKind,
    /// Number of files.
    pub count: u64,
    /// Their length in bytes, together.
    pub len: u64,
}

impl Inspection {
    /// Lists all files and reads the key files. Nothing is derived or decrypted.
    pub fn of(storage: &dyn Storage) -> Result<Inspection, RepoError> {
        read_config(storage)?;
        let (mut files, mut keys) = (Vec::new(), Vec::new());
        for kind in FileKind::ALL {
            let listed = storage.list(kind)?;
            let len = listed.iter().map(|file| file.len).sum();
            files.push(FileCount { kind, count: listed.len() as u64, len });
            if kind == FileKind::Key {
                keys = listed.iter().map(|key| (key.id, read_key(storage, key.id))).collect();
            }
        }
        Ok(Inspection { files, keys })
    }
}
