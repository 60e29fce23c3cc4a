//! The content of a file: its blobs after each other. No index has its SHA-256: a file is known by
//! its blobs.

use manicule_core::watch::Watch;
use manicule_format_restic::{BlobKind, Id, IdHasher};

use crate::error::RepoError;
use crate::index::Index;
use crate::packs::BlobReader;
use crate::repository::Repository;

/// Reads contents; what it holds serves one file after the other.
pub struct ContentReader<'r> {
    reader: BlobReader<'r>,
    watch: &'r Watch<'r>,
}

/// Why a content ended early.
#[derive(Debug)]
pub enum ContentError<E> {
    /// A blob can't be read; a sentence.
    Blob(String),
    /// The watch of the call stopped it.
    Stopped(RepoError),
    /// The taker failed.
    Taker(E),
}

impl<'r> ContentReader<'r> {
    /// A reader of the blobs that an index knows.
    pub fn new(repository: &'r Repository, index: &'r Index, watch: &'r Watch<'r>) -> Self {
        ContentReader { reader: BlobReader::new(repository, index), watch }
    }

    /// Hands out the blobs of a file, each compared with its id, of which one is in memory at a
    /// time.
    pub fn read<E>(
        &mut self,
        content: &[Id],
        mut take: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), ContentError<E>> {
        for id in content {
            self.watch.check().map_err(|stopped| ContentError::Stopped(stopped.into()))?;
            let wrong = |error| ContentError::Blob(format!("blob {id}: {error}"));
            self.reader.read(BlobKind::Data, id, |plain| match plain {
                Ok(plain) => take(plain).map_err(ContentError::Taker),
                Err(error) => Err(wrong(error)),
            })?;
        }
        Ok(())
    }
}

/// The SHA-256 of a file's whole content. The first blob that can't be read is an error, as a
/// sentence.
pub fn hash_content(
    repository: &Repository,
    index: &Index,
    content: &[Id],
    watch: &Watch<'_>,
) -> Result<Result<Id, String>, RepoError> {
    let mut hasher = IdHasher::new();
    let mut reader = ContentReader::new(repository, index, watch);
    let read = reader.read(content, |plain| {
        hasher.update(plain);
        Ok::<(), std::convert::Infallible>(())
    });
    match read {
        Ok(()) => Ok(Ok(hasher.finish())),
        Err(ContentError::Blob(why)) => Ok(Err(why)),
        Err(ContentError::Stopped(error)) => Err(error),
        Err(ContentError::Taker(never)) => match never {},
    }
}
