//! SSTables side by side: listed, expired, holding a partition, marked, verified.

use std::path::Path;

use manicule_rows::table::{Blocker, Expired, Overview};
use manicule_rows::write::Marked;

use crate::inspect::Verified;
use crate::json::{Counts, list, report};
use crate::rows::Holders;

/// An SSTable among those of its table.
#[derive(Clone, Copy, Debug)]
pub struct ListedSstable<'l> {
    /// The SSTable.
    pub one: &'l Overview,
    /// All of its table.
    pub all: &'l [Overview],
    /// What was deleted before may be dropped, in seconds since 1970.
    pub gc_before: i64,
}

impl ListedSstable<'_> {
    fn overlaps(&self) -> Option<Vec<String>> {
        let name = |&other: &usize| self.all[other].stats.descriptor.to_string();
        self.one.overlaps.as_ref().map(|others| others.iter().map(name).collect())
    }
}

report!(of: ListedSstable<'_> {
    sstable: of.one.stats.descriptor.to_string(), path: of.one.path.to_string_lossy(),
    bytes: of.one.len, level: of.one.stats.statistics.level,
    repaired_at: of.one.stats.statistics.repaired_at,
    pending_repair: of.one.stats.statistics.pending_repair.is_some(),
    min_timestamp: of.one.stats.statistics.min_timestamp,
    max_timestamp: of.one.stats.statistics.max_timestamp,
    first_token: of.one.tokens.map(|tokens| tokens.0.0),
    last_token: of.one.tokens.map(|tokens| tokens.1.0),
    droppable_tombstones: of.one.stats.statistics.droppable_ratio(of.gc_before),
    overlaps: of.overlaps(),
});

/// An expired SSTable among those of its table.
#[derive(Clone, Copy, Debug)]
pub struct ExpiredSstable<'e> {
    /// The SSTable.
    pub expired: &'e Expired,
    /// All of its table.
    pub all: &'e [Overview],
}

impl ExpiredSstable<'_> {
    fn own(&self) -> &Overview {
        &self.all[self.expired.sstable]
    }
}

report!(of: ExpiredSstable<'_> {
    sstable: of.own().stats.descriptor.to_string(), path: of.own().path.to_string_lossy(),
    bytes: of.own().len, max_local_deletion_time: of.own().stats.statistics.max_local_time,
    max_timestamp: of.own().stats.statistics.max_timestamp, droppable: of.expired.is_droppable(),
    blockers: list(of.expired.blockers.iter().map(|blocker| Blocking { blocker, all: of.all })),
});

struct Blocking<'b> {
    blocker: &'b Blocker,
    all: &'b [Overview],
}

report!(of: Blocking<'_> {
    sstable: of.all[of.blocker.sstable].stats.descriptor.to_string(),
    overlaps: of.blocker.overlaps,
    min_timestamp: of.all[of.blocker.sstable].stats.statistics.min_timestamp,
});

/// An SSTable that holds a partition.
#[derive(Clone, Copy, Debug)]
pub struct Holder<'h> {
    /// Path of its Data.db.
    pub path: &'h Path,
    /// Offset of the partition in its uncompressed data.
    pub offset: u64,
}

report!(of: Holder<'_> { path: of.path.to_string_lossy(), offset });

report!(of: Holders {
    sstables = sstable_count, admitted = admitted_count, holding: of.list.len(),
});

/// An SSTable whose level or repair was changed: values before and after.
#[derive(Clone, Copy, Debug)]
pub struct MarkedSstable<'m> {
    /// Its path.
    pub path: &'m Path,
    /// What has changed.
    pub marked: &'m Marked,
}

report!(of: MarkedSstable<'_> {
    path: of.path.to_string_lossy(), changed: of.marked.is_changed,
    level: [of.marked.before.level, of.marked.after.level],
    repaired_at: [of.marked.before.repaired_at, of.marked.after.repaired_at],
    pending_repair: [&of.marked.before, &of.marked.after].map(|it| it.pending_repair.is_some()),
});

/// The result of the verification of one of several tables.
#[derive(Clone, Copy, Debug)]
pub struct VerifiedTable<'v> {
    /// The table.
    pub path: &'v Path,
    /// The result.
    pub verified: &'v Verified,
    /// Number of SSTables that could not be read.
    pub unread_count: u64,
}

report!(of: VerifiedTable<'_> {
    path: of.path.to_string_lossy(),
    ok: of.verified.verdict.findings.count + of.unread_count == 0,
    findings: of.verified.verdict.findings.count, unread = unread_count;
    Counts(&of.verified.counts),
});
