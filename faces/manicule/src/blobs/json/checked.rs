//! What a check found. `message_type` distinguishes the objects, as in restic's.

use manicule_blobs::check::{
    BrokenPack, Checked, DamagedFile, Finding, Level, LostPaths, Missing, UnreadableFolder,
};

use super::ids;
use crate::json::{Counts, Entry, Shown, list, report};

report!(of: Finding {
    message_type: "finding", kind: of.kind.word(), level: word(of.level()), message = what;
    Entry(of.kind.subject(), of.id.map(Shown)), Entry("blob", of.blob.map(Shown)),
    Entry("offset", of.offset),
});

fn word(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warning => "warning",
    }
}

// `type` lists the kinds of its blobs.
report!(of: BrokenPack {
    message_type: "broken_pack", pack: Shown(of.id), bytes = len,
    type: of.kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>(), blobs = blob_count,
    lost_blobs, lost_used_blobs; of.lost,
});

report!(of: Missing { message_type: "missing", data_blobs, trees; of.lost });

report!(of: LostPaths {
    snapshots: ids(&of.snapshots), damaged_files: of.damaged.len(),
    unreadable_folders: of.unreadable.len(), damaged: list(&of.damaged),
    unreadable: list(&of.unreadable), cut = is_cut,
});

report!(of: DamagedFile {
    snapshot: Shown(of.snapshot), path: String::from_utf8_lossy(&of.path), lost_bytes, size,
});

report!(of: UnreadableFolder {
    snapshot: Shown(of.snapshot), path: String::from_utf8_lossy(&of.path),
});

/// Summary of a check.
#[derive(Clone, Copy, Debug)]
pub struct CheckSummary<'c>(pub &'c Checked);

impl CheckSummary<'_> {
    /// restic's encoder writes no list where there is none.
    fn broken_packs(&self) -> Option<Vec<Shown<String>>> {
        let packs = self.0.packs_to_salvage();
        let packs: Vec<_> = packs.iter().map(|pack| Shown(pack.to_string())).collect();
        Some(packs).filter(|packs| !packs.is_empty())
    }
}

report!(of: CheckSummary<'_> {
    message_type: "summary", num_errors: of.0.error_count(), broken_packs: of.broken_packs(),
    suggest_repair_index: of.0.suggests_repair_index(), suggest_prune: of.0.suggests_prune();
    Counts(&of.0.counts.fields()),
});
