//! Tombstones: of partitions, of tables, and how old they are.

use std::path::Path;

use manicule_rows::scan::{PartitionTombstones, Times, TombstoneCounts, Tombstones};

use crate::json::{Counts, list, report};
use crate::rows::{AGE_LIMITS_S, TombstoneKind, TombstoneReport};

report!(of: TombstoneCounts { tombstones: of.total(); Counts(&of.fields()) });

/// A partition of a list, with its key as CQL writes it.
#[derive(Clone, Copy, Debug)]
pub struct PartitionWithTombstones<'p> {
    /// What the list counts.
    pub kind: TombstoneKind,
    /// The key.
    pub key: &'p str,
    /// The partition.
    pub partition: &'p PartitionTombstones,
}

report!(of: PartitionWithTombstones<'_> {
    by: of.kind.word(), key, sstables: of.partition.sstable_count, oldest: of.partition.oldest;
    of.partition.counts,
});

/// All tombstones of a table.
#[derive(Clone, Copy, Debug)]
pub struct TombstoneSums<'s> {
    /// The report.
    pub report: &'s TombstoneReport,
    /// The times by which they may be dropped.
    pub times: Times,
    /// Number of SSTables.
    pub sstable_count: usize,
}

report!(of: TombstoneSums<'_> {
    now: of.times.now, gc_grace_seconds: of.times.gc_grace_s, sstables = sstable_count,
    ages: list(ages(&of.report.all));
    Affected(&of.report.all), of.report.all.counts,
});

/// Tombstones up to an age; without one, of any age above the others.
struct Age {
    under: Option<&'static i64>,
    count: u64,
}

report!(of: Age { under_seconds = under, tombstones = count });

fn ages(all: &Tombstones) -> impl Iterator<Item = Age> {
    let ages = all.ages.iter().enumerate();
    ages.map(|(place, count)| Age { under: AGE_LIMITS_S.get(place), count: *count })
}

struct Affected<'a>(&'a Tombstones);

report!(of: Affected<'_> {
    partitions: of.0.partition_count, partitions_with_tombstones: of.0.affected_count,
});

/// All tombstones of one of several tables.
#[derive(Clone, Copy, Debug)]
pub struct TableTombstones<'t> {
    /// The table.
    pub path: &'t Path,
    /// Its tombstones.
    pub all: &'t Tombstones,
    /// Number of its SSTables.
    pub sstable_count: usize,
}

report!(of: TableTombstones<'_> {
    path: of.path.to_string_lossy(), sstables = sstable_count; Affected(of.all), of.all.counts,
});
