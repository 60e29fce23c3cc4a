//! An entry of an archive: a node and its content.

use std::io;

use manicule_format_restic::OwnedNode;

use crate::content::{ContentError, ContentReader};
use crate::error::RepoError;

/// Why an archive ended early: it is none then.
#[derive(Debug)]
pub enum ArchiveError {
    /// A tree or a blob can't be read; a sentence.
    Damaged(String),
    /// The repository, or the watch of the call.
    Repo(RepoError),
    /// It can't be written.
    Write(io::Error),
}

impl From<io::Error> for ArchiveError {
    fn from(error: io::Error) -> Self {
        ArchiveError::Write(error)
    }
}

/// An archive on its way out.
pub(super) trait Archive {
    /// Writes a node and its content; `path` is without a slash in front.
    fn put(
        &mut self,
        path: &[u8],
        node: &OwnedNode,
        content: &mut Content<'_, '_>,
    ) -> Result<(), ArchiveError>;

    /// Writes what comes after the last one.
    fn end(&mut self) -> Result<(), ArchiveError>;
}

/// The content of a node, to be read once.
pub(super) struct Content<'c, 'r> {
    pub(super) contents: &'c mut ContentReader<'r>,
    pub(super) path: &'c [u8],
    pub(super) node: &'c OwnedNode,
}

impl Content<'_, '_> {
    /// Hands out its blobs, which have the length that a file's node says. Comes back with that
    /// length.
    pub(super) fn read(
        &mut self,
        mut take: impl FnMut(&[u8]) -> io::Result<()>,
    ) -> Result<u64, ArchiveError> {
        let mut len = 0;
        let blobs = self.node.content.as_deref().unwrap_or_default();
        let read = self.contents.read(blobs, |plain| {
            len += plain.len() as u64;
            take(plain)
        });
        let shown = || String::from_utf8_lossy(self.path).into_owned();
        match read {
            Ok(()) if len == self.node.size || self.node.kind != "file" => Ok(len),
            Ok(()) => {
                let want = self.node.size;
                let why =
                    format!("{}: its blobs have {len} bytes, and the file had {want}", shown());
                Err(ArchiveError::Damaged(why))
            }
            Err(ContentError::Blob(why)) => {
                Err(ArchiveError::Damaged(format!("{}: {why}", shown())))
            }
            Err(ContentError::Stopped(error)) => Err(ArchiveError::Repo(error)),
            Err(ContentError::Taker(error)) => Err(ArchiveError::Write(error)),
        }
    }
}
