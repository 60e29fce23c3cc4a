//! A file of a snapshot, or a folder as an archive.

use std::io::{self, Write};

pub use manicule_blobs::ArchiveForm;
use manicule_blobs::{
    ArchiveError, ContentError, ContentReader, Id, Index, Kept, Located, OwnedNode, locate,
    put_archive,
};
use manicule_core::go::clean;
use manicule_core::watch::Watch;

use super::error::Error;
use super::ls::root_of;
use super::open::Repository;

/// What is dumped.
#[derive(Clone, Debug)]
pub struct DumpCall {
    /// The folder of the snapshot that is its root here; nothing for all of it.
    pub below: Vec<u8>,
    /// The path of a file, or of a folder; `/` is the root.
    pub path: Vec<u8>,
    /// What becomes of a folder.
    pub form: ArchiveForm,
}

/// Why a dump ended early: what was written is not whole.
#[derive(Debug)]
pub enum DumpError {
    /// The repository, the snapshot or the path.
    Read(Error),
    /// It can't be written.
    Write(io::Error),
}

impl From<Error> for DumpError {
    fn from(error: Error) -> Self {
        DumpError::Read(error)
    }
}

impl std::fmt::Display for DumpError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            DumpError::Read(error) => error.fmt(f),
            DumpError::Write(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for DumpError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            DumpError::Read(error) => error.source(),
            // A program asks it whether a reader has left.
            DumpError::Write(error) => Some(error),
        }
    }
}

impl Repository {
    /// Writes a file's content, or a folder as an archive. Every blob is compared with its id
    /// before it is written.
    pub fn dump(
        &self,
        kept: &Kept,
        call: &DumpCall,
        watch: &Watch<'_>,
        out: &mut dyn Write,
    ) -> Result<(), DumpError> {
        let index = self.index(watch)?;
        let root = root_of(self, &index, kept, &call.below)?;
        let located = locate(&self.engine, &index, root, &call.path).map_err(Error::Unreadable)?;
        let path = clean(&[b"/", &call.path[..]].concat());
        let shown = || String::from_utf8_lossy(&path).into_owned();
        match (located.tree(), located) {
            (Some(tree), _) => {
                put_archive(&self.engine, &index, tree, &path, call.form, watch, out).map_err(
                    |error| match error {
                        ArchiveError::Damaged(why) => Error::Unreadable(why).into(),
                        ArchiveError::Repo(error) => Error::Repo(error).into(),
                        ArchiveError::Write(error) => DumpError::Write(error),
                    },
                )?
            }
            (None, Located::Node(node)) if node.kind == "file" => {
                put_file(self, &index, &node, watch, out)?;
            }
            (None, Located::Absent(gone)) => {
                let path = String::from_utf8_lossy(&gone).into_owned();
                return Err(Error::NoPath { path, of: kept.id }.into());
            }
            (None, Located::Node(node)) => {
                return Err(Error::NoFile { path: shown(), kind: node.kind }.into());
            }
            (None, Located::Root(_)) => return Err(Error::NoFolder(shown()).into()),
        }
        Ok(index.check_cache().map_err(Error::Repo)?)
    }
}

fn put_file(
    repository: &Repository,
    index: &Index,
    node: &OwnedNode,
    watch: &Watch<'_>,
    out: &mut dyn Write,
) -> Result<(), DumpError> {
    let content = node.content.as_deref().unwrap_or_default();
    put_content(repository, index, content, node.size, watch, out)
}

/// Writes blobs after each other, which are `size` bytes together.
pub(super) fn put_content(
    repository: &Repository,
    index: &Index,
    content: &[Id],
    size: u64,
    watch: &Watch<'_>,
    out: &mut dyn Write,
) -> Result<(), DumpError> {
    let mut len = 0;
    let mut reader = ContentReader::new(&repository.engine, index, watch);
    let read = reader.read(content, |plain| {
        len += plain.len() as u64;
        out.write_all(plain)
    });
    match read {
        Ok(()) if len == size => Ok(()),
        Ok(()) => {
            let why = format!("its blobs have {len} bytes, and the file had {size}");
            Err(Error::Unreadable(why).into())
        }
        Err(ContentError::Blob(why)) => Err(Error::Unreadable(why).into()),
        Err(ContentError::Stopped(error)) => Err(Error::Repo(error).into()),
        Err(ContentError::Taker(error)) => Err(DumpError::Write(error)),
    }
}
