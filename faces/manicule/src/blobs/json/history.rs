//! Versions of a path.

use manicule_blobs::Kept;

use crate::blobs::history::{Entry as Content, EntryNode, VersionRow};
use crate::json::{Entry, Shown, report};

use super::ids;

/// A version with the snapshots that it is of.
#[derive(Clone, Copy, Debug)]
pub struct HistoryVersion<'v> {
    /// The version.
    pub row: &'v VersionRow,
    /// All snapshots that were asked.
    pub kept: &'v [Kept],
}

impl HistoryVersion<'_> {
    /// Its first snapshot.
    pub fn first(&self) -> &Kept {
        self.at(self.row.version.snapshots.first())
    }

    /// Its last snapshot.
    pub fn last(&self) -> &Kept {
        self.at(self.row.version.snapshots.last())
    }

    fn at(&self, snapshot: Option<&usize>) -> &Kept {
        &self.kept[*snapshot.expect("a version has a snapshot")]
    }

    /// Word for what the path is.
    pub fn state(&self) -> &str {
        self.row.version.entry.word()
    }

    /// The file that it is, if it is one.
    pub fn file(&self) -> Option<&EntryNode> {
        match &self.row.version.entry {
            Content::Is(node) if node.kind_word == "file" => Some(node),
            Content::Is(_) | Content::Absent | Content::Unknown { .. } => None,
        }
    }
}

report!(of: HistoryVersion<'_> {
    hostname: of.row.version.hostname, state: of.state(), first: Shown(of.first().id),
    last: Shown(of.last().id), snapshots: of.row.version.snapshots.len(),
    mtimes: of.row.version.mtime_count;
    Entry("size", of.file().map(|node| node.size)),
    Entry("blobs", of.file().map(|node| node.content.len())),
    Entry("new_to_path", of.file().map(|_| ids(&of.row.version.new_to_path))),
    Entry("sha256", of.row.sha256.as_ref().and_then(|hash| hash.as_ref().ok()).map(Shown)),
    Entry("new_to_repository", of.row.new_to_repository.as_ref().map(|(new, _)| ids(new))),
    Entry("new_bytes", of.row.new_to_repository.as_ref().map(|(_, bytes)| bytes)),
});
