//! Single things of a repository, as `restic cat` prints them.

use manicule_blobs::{BlobKind, FileKind, Id, IdPrefix, RepoError, SnapshotFilter, indent};
use manicule_core::go::json::put_string;
use manicule_core::watch::Watch;

use super::choose::snapshot_at;
use super::error::Error;
use super::ls::root_of;
use super::open::Repository;

/// What is printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cat {
    /// The config.
    Config,
    /// The key of everything.
    MasterKey,
    /// A key file, snapshot or lock, as JSON that is laid out; an index file as it is.
    File(FileKind, String),
    /// A pack as it is stored.
    Pack(String),
    /// The plaintext of a blob.
    Blob(String),
    /// The plaintext of a snapshot's root tree, or of a folder's.
    Tree {
        /// The snapshot.
        word: String,
        /// The folder; nothing for the root.
        below: Vec<u8>,
    },
}

/// What was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Printed {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// What is wrong with them, as a sentence: a pack that is damaged is printed as it is.
    pub warning: Option<String>,
}

impl Repository {
    /// Reads a thing, checked as always.
    pub fn cat(&self, what: &Cat, watch: &Watch<'_>) -> Result<Printed, Error> {
        let repository = &self.engine;
        let bytes = match what {
            Cat::Config => lines(&config(self)),
            Cat::MasterKey => lines(&repository.master_key_json()),
            Cat::File(FileKind::Snapshot, word) => {
                let snapshots = self.snapshots(watch)?;
                let at = snapshot_at(&snapshots, word, &SnapshotFilter::any())?;
                lines(&snapshots.kept[at].snapshot.encode())
            }
            Cat::File(FileKind::Key, word) => {
                lines(&repository.key_bytes(&id_of(self, FileKind::Key, word)?)?)
            }
            Cat::File(kind, word) => {
                let json = repository.json_of(*kind, &id_of(self, *kind, word)?)?;
                if *kind == FileKind::Index { with_line_end(json) } else { lines(&json) }
            }
            Cat::Pack(word) => {
                let id = id_of(self, FileKind::Pack, word)?;
                let (bytes, is_sound) = repository.pack_bytes(&id)?;
                let warning = format!("pack {id}: its bytes are not those that it is named by");
                return Ok(Printed { bytes, warning: (!is_sound).then_some(warning) });
            }
            Cat::Blob(word) => blob(self, word, watch)?,
            Cat::Tree { word, below } => {
                let snapshots = self.snapshots(watch)?;
                let at = snapshot_at(&snapshots, word, &SnapshotFilter::any())?;
                let index = self.index(watch)?;
                let tree = root_of(self, &index, &snapshots.kept[at], below)?;
                repository.blob(&index, BlobKind::Tree, &tree).map_err(Error::Unreadable)?
            }
        };
        Ok(Printed { bytes, warning: None })
    }
}

fn blob(repository: &Repository, word: &str, watch: &Watch<'_>) -> Result<Vec<u8>, Error> {
    let id = Id::parse(word.as_bytes()).ok_or_else(|| Error::NotABlob(word.to_owned()))?;
    let index = repository.index(watch)?;
    let kinds = [BlobKind::Data, BlobKind::Tree];
    match kinds.into_iter().find(|kind| index.has(*kind, &id)) {
        Some(kind) => repository.engine.blob(&index, kind, &id).map_err(Error::Unreadable),
        None => Err(Error::NoObject { kind: "blob", word: word.to_owned(), count: 0 }),
    }
}

/// The file of a kind whose id begins so.
fn id_of(repository: &Repository, kind: FileKind, word: &str) -> Result<Id, Error> {
    if let Some(id) = Id::parse(word.as_bytes()) {
        return Ok(id);
    }
    let prefix = IdPrefix::parse(word.as_bytes()).ok_or_else(|| Error::NotAnId(word.to_owned()))?;
    let listed = repository.engine.storage().list(kind).map_err(RepoError::from)?;
    let found: Vec<Id> =
        listed.into_iter().map(|file| file.id).filter(|id| prefix.matches(id)).collect();
    match found[..] {
        [id] => Ok(id),
        _ => {
            let (kind, word) = (kind.folder(), word.to_owned());
            Err(Error::NoObject { kind, word, count: found.len() })
        }
    }
}

/// The config's fields that restic has.
fn config(repository: &Repository) -> Vec<u8> {
    let config = repository.engine.config();
    let mut json = format!("{{\"version\":{},\"id\":", config.version.number()).into_bytes();
    put_string(&config.id, &mut json);
    json.extend_from_slice(b",\"chunker_polynomial\":");
    put_string(&config.chunker_polynomial, &mut json);
    json.push(b'}');
    json
}

fn lines(json: &[u8]) -> Vec<u8> {
    with_line_end(indent(json))
}

fn with_line_end(mut text: Vec<u8>) -> Vec<u8> {
    if text.last() != Some(&b'\n') {
        text.push(b'\n');
    }
    text
}
