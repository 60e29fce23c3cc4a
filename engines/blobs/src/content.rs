//! The content of a file: its blobs after each other. No index has its SHA-256: a file is known by
//! its blobs.

use manicule_core::watch::Watch;
use manicule_format_restic::{BlobKind, Id, IdHasher, OwnedNode};

use crate::error::RepoError;
use crate::index::{Found, Index};
use crate::packs::{BlobReader, bring_contents};
use crate::repository::Repository;
use crate::storage::Soon;

/// Reads contents; what it holds serves one file after the other.
pub struct ContentReader<'r> {
    reader: BlobReader<'r>,
    repository: &'r Repository,
    index: &'r Index,
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
        ContentReader { reader: BlobReader::new(repository, index), repository, index, watch }
    }

    /// Brings the contents of files that are read one after the other, as much of them as may be in
    /// memory at once, unless the first of them was brought before.
    pub(crate) fn bring<'n>(&self, files: impl Iterator<Item = &'n OwnedNode>) {
        let storage = self.repository.storage();
        if !storage.is_far() {
            return;
        }
        let mut blobs = files.flat_map(|file| file.content.iter().flatten().copied()).peekable();
        let found = blobs.peek().and_then(|first| self.index.places(BlobKind::Data, first).next());
        let is_there = found.is_none_or(|Found { pack, place }| {
            let range = u64::from(place.offset)..place.end();
            storage.has_brought(&Soon::Part(self.index.pack(pack).id, range))
        });
        if !is_there {
            bring_contents(self.repository, self.index, blobs);
        }
    }

    /// Hands out the blobs of a file, each compared with its id, of which one is in memory at a
    /// time.
    pub fn read<E>(
        &mut self,
        content: &[Id],
        mut take: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), ContentError<E>> {
        let mut brought = if self.repository.storage().is_far() { 0 } else { content.len() };
        for (at, id) in content.iter().enumerate() {
            if at >= brought {
                let rest = content[at..].iter().copied();
                brought = at + bring_contents(self.repository, self.index, rest);
            }
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
