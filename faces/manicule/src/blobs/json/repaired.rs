//! What became of index files.

use manicule_blobs::Id;
use manicule_blobs::repair::{ChangedPack, PackChange, RemovedIndex, RepairReport};

use crate::json::{Shown, report};

report!(of: ChangedPack {
    id: Shown(of.id), change: Change::of(&of.change).word, blobs: Change::of(&of.change).blobs,
    blobs_before: Change::of(&of.change).before, error: Change::of(&of.change).error,
});

/// A change of a pack's entries.
struct Change<'c> {
    word: &'static str,
    blobs: u32,
    before: u32,
    error: Option<&'c str>,
}

impl Change<'_> {
    fn of(change: &PackChange) -> Change<'_> {
        let (word, blobs, before, error) = match change {
            PackChange::Added { blobs } => ("added", *blobs, 0, None),
            PackChange::Replaced { blobs, blobs_before } => {
                ("replaced", *blobs, *blobs_before, None)
            }
            PackChange::Missing { blobs_before } => ("missing", 0, *blobs_before, None),
            PackChange::Unreadable { blobs, blobs_before, error } => {
                ("unreadable", *blobs, *blobs_before, Some(&**error))
            }
        };
        Change { word, blobs, before, error }
    }
}

report!(of: RemovedIndex { id: Shown(of.id), change: "removed", error });

/// An index file that was written.
#[derive(Clone, Copy, Debug)]
pub struct WrittenIndex<'w>(pub &'w Id);

report!(of: WrittenIndex<'_> { id: Shown(of.0), change: "written" });

/// Counts of a repair.
#[derive(Clone, Copy, Debug)]
pub struct RepairSummary<'s> {
    /// Whether nothing was written.
    pub dry_run: bool,
    /// The repair.
    pub report: &'s RepairReport,
}

impl RepairSummary<'_> {
    fn unreadable_count(&self) -> usize {
        self.report.index_removed.iter().filter(|file| file.error.is_some()).count()
    }

    fn count(&self, word: &str) -> usize {
        let is_it = |pack: &&ChangedPack| Change::of(&pack.change).word == word;
        self.report.changed.iter().filter(is_it).count()
    }
}

report!(of: RepairSummary<'_> {
    dry_run, index_files_read: of.report.index_read, index_files_kept: of.report.index_kept,
    index_files_written: of.report.index_written,
    index_files_removed: of.report.index_removed.len(),
    index_files_unreadable: of.unreadable_count(), entries_written: of.report.entries_written,
    packs: of.report.packs, pack_headers_read: of.report.headers_read,
    packs_added: of.count("added"), packs_replaced: of.count("replaced"),
    packs_missing: of.count("missing"), packs_unreadable: of.count("unreadable"),
    packs_marked: of.report.marked,
});
