//! The SHA-256 of a file's whole content, which no index has: a file is known by its blobs.
//!
//! Callers: faces/manicule

use manicule_core::watch::Watch;
use manicule_format_restic::{BlobKind, Id, IdHasher};

use crate::error::RepoError;
use crate::index::Index;
use crate::packs::BlobReader;
use crate::repository::Repository;

/// The SHA-256 of blobs after each other, of which one is in memory at a time. The first that can't be read is an error, as a sentence.
pub fn hash_content(
    repository: &Repository,
    index: &Index,
    content: &[Id],
    watch: &Watch<'_>,
) -> Result<Result<Id, String>, RepoError> {
    let (mut reader, mut hasher) = (BlobReader::new(repository, index), IdHasher::new());
    for id in content {
        watch.check()?;
        let read = reader.read(BlobKind::Data, id, |plain| plain.map(|plain| hasher.update(plain)));
        if let Err(error) = read {
            return Ok(Err(format!("blob {id}: {error}")));
        }
    }
    Ok(Ok(hasher.finish()))
}
