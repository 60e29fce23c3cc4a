//! Who has the tombstones.

use manicule_core::watch::Watch;
use manicule_rows::scan::{self, TombstoneOptions};

use super::error::Error;
use super::keys::key_text;
use super::partitions::Times;
use super::table::Table;

pub use manicule_rows::scan::{PartitionTombstones, Tombstones};

/// Ages in seconds that end a class: an hour, a day, ten days, which is the default of
/// `gc_grace_seconds`, 30 and 90 days, a year.
pub const AGE_LIMITS_S: [i64; 6] = [3600, 86_400, 864_000, 30 * 86_400, 90 * 86_400, 365 * 86_400];

/// `gc_grace_seconds` of a table that says nothing else.
pub const GC_GRACE_S: i64 = 864_000;

/// Arguments of a count of tombstones.
#[derive(Clone, Copy, Debug)]
pub struct TombstonesCall {
    /// By which times tombstones are judged.
    pub times: Times,
    /// Number of partitions that are listed for tombstones of rows, ranges and cells.
    pub top: usize,
}

/// Tombstones of a table.
#[derive(Clone, Debug)]
pub struct TombstoneReport {
    /// All of them, with the ages that [`AGE_LIMITS_S`] end.
    pub all: Tombstones,
    /// Lists of partitions by the kind of their tombstones, each partition with its key as CQL
    /// writes it, the most first.
    pub lists: [(TombstoneKind, Vec<(String, PartitionTombstones)>); 3],
}

/// What tombstones are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TombstoneKind {
    /// Rows: deleted, or their time to live is over.
    Rows,
    /// Ranges of rows, and whole partitions.
    Ranges,
    /// Cells and collections.
    Cells,
}

impl TombstoneKind {
    /// The word for programs.
    pub fn word(self) -> &'static str {
        match self {
            TombstoneKind::Rows => "rows",
            TombstoneKind::Ranges => "ranges",
            TombstoneKind::Cells => "cells",
        }
    }

    /// Number of a partition's tombstones of this kind.
    pub fn count(self, partition: &PartitionTombstones) -> u64 {
        match self {
            TombstoneKind::Rows => partition.counts.of_rows(),
            TombstoneKind::Ranges => partition.counts.of_ranges(),
            TombstoneKind::Cells => partition.counts.of_cells(),
        }
    }
}

impl Table {
    /// Counts the tombstones of all its SSTables and of the partitions that have most of them, each
    /// united from all that have it.
    ///
    /// The data are read once; no value is decoded. Memory: what is listed, and a window of at most
    /// 1 MiB for each SSTable.
    pub fn tombstones(
        &self,
        call: &TombstonesCall,
        watch: &Watch<'_>,
    ) -> Result<TombstoneReport, Error> {
        let (sstables, _) = self.opened()?;
        let options = TombstoneOptions {
            times: call.times,
            age_limits_s: AGE_LIMITS_S.to_vec(),
            listed_count_max: call.top,
        };
        let all = self.reading(|reading| scan::tombstones(&sstables, &options, reading, watch))?;
        let named = |listed: &[PartitionTombstones]| {
            listed.iter().map(|one| (key_text(&sstables[0], &one.key), one.clone())).collect()
        };
        let lists = [
            (TombstoneKind::Rows, named(&all.by_rows)),
            (TombstoneKind::Ranges, named(&all.by_ranges)),
            (TombstoneKind::Cells, named(&all.by_cells)),
        ];
        Ok(TombstoneReport { all, lists })
    }
}
