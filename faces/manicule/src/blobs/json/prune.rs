//! What a prune would do.

use manicule_blobs::usage::{Amount, Fate, PackRow, PrunePlan};
use manicule_blobs::{Index, Listed};

use crate::json::{Json, Shown, report};

/// A pack with the index that names it.
#[derive(Clone, Copy, Debug)]
pub struct PlannedPack<'p> {
    /// The pack.
    pub row: &'p PackRow,
    /// The index.
    pub index: &'p Index,
}

impl PlannedPack<'_> {
    /// Word for what becomes of it.
    pub fn fate(&self) -> &'static str {
        self.row.fate.word()
    }
}

report!(of: PlannedPack<'_> {
    id: Shown(of.index.pack(of.row.pack).id), fate: of.fate(), used_bytes: of.row.used_bytes,
    unused_bytes: of.row.unused.bytes, header_bytes: of.row.header_bytes,
});

/// A pack that no index file lists.
#[derive(Clone, Copy, Debug)]
pub struct UnreferencedPack<'p>(pub &'p Listed);

report!(of: UnreferencedPack<'_> {
    id: Shown(of.0.id), fate: "unreferenced", unused_bytes: of.0.len,
});

/// What is left after a prune, and in all.
#[derive(Clone, Copy, Debug)]
pub struct PruneTotals {
    /// All blobs, and all bytes of packs.
    pub total: Amount,
    /// What would be removed.
    pub removed: Amount,
    /// What would remain.
    pub remaining: Amount,
    /// Unused bytes of that.
    pub remaining_unused: u64,
    /// Number of packs that would be kept.
    pub keep: u64,
    /// Number of packs that would be repacked.
    pub repack: u64,
    /// Number of packs of the index that would be removed.
    pub remove: u64,
}

impl PruneTotals {
    /// Those of a plan.
    pub fn of(plan: &PrunePlan) -> Self {
        let sums = &plan.sums;
        let total = Amount {
            blobs: sums.used.blobs + sums.duplicate.blobs + sums.unused.blobs,
            bytes: sums.used.bytes
                + sums.duplicate.bytes
                + sums.unused.bytes
                + sums.unreferenced_bytes,
        };
        let removed = Amount {
            blobs: sums.remove.blobs + sums.repack_remove.blobs,
            bytes: sums.remove.bytes + sums.repack_remove.bytes + sums.unreferenced_bytes,
        };
        let remaining =
            Amount { blobs: total.blobs - removed.blobs, bytes: total.bytes - removed.bytes };
        let count = |fate: Fate| plan.packs.iter().filter(|row| row.fate == fate).count() as u64;
        PruneTotals {
            total,
            removed,
            remaining,
            remaining_unused: remaining.bytes - sums.used.bytes,
            keep: count(Fate::Keep),
            repack: count(Fate::Repack),
            remove: count(Fate::Remove),
        }
    }
}

report!(of: PrunePlan {
    message_type: "summary", blobs: Json(Blobs(of, PruneTotals::of(of))),
    bytes: Json(Bytes(of, PruneTotals::of(of))), packfiles: Json(Packs(of, PruneTotals::of(of))),
});

struct Blobs<'p>(&'p PrunePlan, PruneTotals);

report!(of: Blobs<'_> {
    used: of.0.sums.used.blobs, duplicate: of.0.sums.duplicate.blobs,
    unused: of.0.sums.unused.blobs, total: of.1.total.blobs, repack: of.0.sums.repack.blobs,
    repack_remove: of.0.sums.repack_remove.blobs, remove: of.0.sums.remove.blobs,
    remove_total: of.1.removed.blobs, remaining: of.1.remaining.blobs,
});

struct Bytes<'p>(&'p PrunePlan, PruneTotals);

report!(of: Bytes<'_> {
    used: of.0.sums.used.bytes, duplicate: of.0.sums.duplicate.bytes,
    unused: of.0.sums.unused.bytes, unreferenced: of.0.sums.unreferenced_bytes,
    uncompressed: of.0.sums.uncompressed_bytes, total: of.1.total.bytes,
    repack: of.0.sums.repack.bytes, repack_remove: of.0.sums.repack_remove.bytes,
    remove: of.0.sums.remove.bytes, remove_total: of.1.removed.bytes,
    remaining: of.1.remaining.bytes, remaining_unused: of.1.remaining_unused,
});

struct Packs<'p>(&'p PrunePlan, PruneTotals);

report!(of: Packs<'_> {
    used: of.0.sums.packs_used, unused: of.0.sums.packs_unused,
    partly_used: of.0.sums.packs_partly_used, unreferenced: of.0.sums.packs_unreferenced,
    total: of.0.sums.packs_used + of.0.sums.packs_partly_used + of.0.sums.packs_unused
        + of.0.sums.packs_unreferenced,
    keep: of.1.keep, repack: of.1.repack, remove: of.1.remove,
    remove_total: of.1.remove + of.0.sums.packs_unreferenced,
});
