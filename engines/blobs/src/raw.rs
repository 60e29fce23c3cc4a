//! Single files and blobs of a repository, as they are when they are opened.

use manicule_format_restic::{BlobKind, FileKind, Id};

use crate::error::RepoError;
use crate::index::Index;
use crate::packs::BlobReader;
use crate::repository::{INDEX_LIMITS, Repository, Unpacking};
use crate::storage::FileName;

/// Maximum length of a pack that is read whole: restic's largest, and rustic's.
const PACK_LEN_MAX: u64 = 4 << 30;

impl Repository {
    /// The JSON of an index file, snapshot or lock, checked as always.
    pub fn json_of(&self, kind: FileKind, id: &Id) -> Result<Vec<u8>, RepoError> {
        let mut buffers = Unpacking::default();
        self.read_unpacked(kind, id, INDEX_LIMITS, &mut buffers).map(<[u8]>::to_vec)
    }

    /// The bytes of a pack as they are stored, and whether they are those that it is named by.
    pub fn pack_bytes(&self, id: &Id) -> Result<(Vec<u8>, bool), RepoError> {
        let mut bytes = Vec::new();
        self.storage().read(FileName::Of(FileKind::Pack, *id), PACK_LEN_MAX, &mut bytes)?;
        let is_sound = Id::of(&bytes) == *id;
        Ok((bytes, is_sound))
    }

    /// The JSON of a key file, which is checked against its name.
    pub fn key_bytes(&self, id: &Id) -> Result<Vec<u8>, RepoError> {
        let (mut bytes, file) = (Vec::new(), FileName::Of(FileKind::Key, *id));
        self.storage().read(file, 64 << 10, &mut bytes)?;
        let got = Id::of(&bytes);
        if got == *id {
            Ok(bytes)
        } else {
            Err(RepoError::Damaged { file: self.storage().name(file), got })
        }
    }

    /// The JSON of the master key.
    pub fn master_key_json(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.key().put_json(&mut out);
        out
    }

    /// The plaintext of a blob, compared with its id. The error is a sentence.
    pub fn blob(&self, index: &Index, kind: BlobKind, id: &Id) -> Result<Vec<u8>, String> {
        let mut reader = BlobReader::new(self, index);
        let read = reader.read(kind, id, |plain| plain.map(<[u8]>::to_vec));
        read.map_err(|error| format!("{kind} blob {id}: {error}"))
    }
}
