//! Sources of documents: a folder, or commits of a git repository.

use std::fs::File;
use std::path::PathBuf;

use super::super::git::GitError;
use super::document::Document;
use super::options::IndexOptions;
use super::seen::{Seen, Witness};
use super::walk::{Found, Root, WalkError, Within};

/// A document, before it is read.
#[derive(Clone, Copy, Debug)]
pub(in crate::shards) struct Listed<'s> {
    /// Its path, with `/` in between.
    pub(in crate::shards) name: &'s [u8],
    /// Its bytes when it was listed. It may have others when it is read.
    pub(in crate::shards) len: u64,
    /// The branches of its repository that hold it, a bit each.
    pub(in crate::shards) branch_mask: u64,
    /// Number of the sub-repository of its repository that it is of; 0 for none.
    pub(in crate::shards) sub_repository: u32,
}

/// Error of reading a document.
#[derive(Debug)]
pub(in crate::shards) enum ReadError {
    Folder(WalkError),
    #[cfg_attr(not(feature = "git"), expect(dead_code, reason = "commits alone are read so"))]
    Git(GitError),
}

/// Documents of a run, in the order in which shards take them.
pub(in crate::shards) trait Source: Sync {
    /// Number of documents.
    fn document_count(&self) -> usize;

    /// The document at an index.
    fn document(&self, index: usize) -> Listed<'_>;

    /// A reader of its documents, for one thread.
    fn reader(&self) -> Box<dyn Reader + '_>;
}

/// Reads documents of a source, by their indices.
pub(in crate::shards) trait Reader {
    /// Reads the content of a document into `content`, which is empty, and gives up after more than
    /// `len_max` bytes.
    fn read(
        &mut self,
        index: usize,
        len_max: u64,
        content: &mut Vec<u8>,
    ) -> Result<Within, ReadError>;

    /// The document as a shard has it that is about to be replaced, if it is still that one.
    fn kept(&mut self, _index: usize) -> Option<Document> {
        None
    }
}

/// A folder, walked.
pub(super) struct Folder {
    root: Root,
    found: Vec<Found>,
    branch_mask: u64,
    witness: Witness,
}

impl Folder {
    /// What was found below a root after the clock stood at `now_ns`. All of it is on the first
    /// `branch_count` branches.
    pub(super) fn new(root: Root, found: Vec<Found>, branch_count: usize, now_ns: u64) -> Self {
        let branch_mask = u64::MAX.checked_shr(64 - branch_count as u32).unwrap_or(0);
        let witness = Witness::of(&root, &found, now_ns);
        Folder { root, found, branch_mask, witness }
    }

    /// Sum of what was seen by now, and of the shards at `paths`.
    pub(super) fn seen(&self, paths: &[PathBuf], options: &IndexOptions<'_>) -> Seen {
        Seen::of(&self.found, &self.witness, paths, options)
    }
}

impl Source for Folder {
    fn document_count(&self) -> usize {
        self.found.len()
    }

    fn document(&self, index: usize) -> Listed<'_> {
        let Found { name, len, .. } = &self.found[index];
        Listed { name, len: *len, branch_mask: self.branch_mask, sub_repository: 0 }
    }

    fn reader(&self) -> Box<dyn Reader + '_> {
        Box::new(self)
    }
}

impl Reader for &Folder {
    fn read(
        &mut self,
        index: usize,
        len_max: u64,
        content: &mut Vec<u8>,
    ) -> Result<Within, ReadError> {
        let document = &self.found[index];
        let opened = |file: &File| self.witness.ask(file, &document.seen);
        self.root.read_opened(document, len_max, content, &opened).map_err(ReadError::Folder)
    }
}
