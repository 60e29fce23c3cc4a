//! Counts of what partitions hold: rows, cells, tombstones by kind and age. Rows are parsed and no
//! value is looked at.

use manicule_core::bytes::DecodeError;
use manicule_format_sstable::{Cell, Deletion, Marker, Row, RowPart, RowShape, Unfiltered};
use manicule_store::pages::Reading;

use super::walk::Walk;
use crate::RowsError;
use crate::slice::Head;
use crate::table::Sstable;

manicule_core::counts! {
    /// What partitions hold, tombstones by kind.
    pub struct TombstoneCounts {
        /// Deletions of partitions.
        partition_deletions,
        /// Deletions of rows.
        row_deletions,
        /// Deletions of ranges of rows, counted where they begin.
        range_deletions,
        /// Deletions of collections: each overwriting of one has one.
        collection_deletions,
        /// Deleted cells.
        cell_tombstones,
        /// Cells whose time to live is over.
        expired_cells,
        /// Rows whose time to live is over.
        expired_rows,
        /// Those of all kinds that a compaction may drop: older than the grace period.
        droppable,
        /// Rows, whether they have tombstones or not; static rows aren't counted.
        rows,
        /// Cells, tombstones among them; those of static rows too.
        cells,
    }
}

impl TombstoneCounts {
    /// Those of cells: deleted and expired ones, and deletions of collections.
    pub fn of_cells(&self) -> u64 {
        self.cell_tombstones + self.expired_cells + self.collection_deletions
    }

    /// Those of rows.
    pub fn of_rows(&self) -> u64 {
        self.row_deletions + self.expired_rows
    }

    /// Those of ranges, deletions of partitions among them.
    pub fn of_ranges(&self) -> u64 {
        self.range_deletions + self.partition_deletions
    }

    /// All tombstones.
    pub fn total(&self) -> u64 {
        self.of_ranges() + self.of_rows() + self.of_cells()
    }
}

/// By which times tombstones are judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// The present, in seconds since 1970.
    pub now: i64,
    /// Age in seconds up to which no compaction drops a tombstone: the table's `gc_grace_seconds`,
    /// of which no file knows.
    pub gc_grace_s: i64,
}

/// The counts so far.
#[derive(Debug)]
pub(super) struct Tally<'o> {
    times: Times,
    age_limits_s: &'o [i64],
    /// Since they were taken last.
    pub(super) counts: TombstoneCounts,
    /// When the oldest of these was made, in seconds since 1970.
    pub(super) oldest: Option<i64>,
    /// Tombstones of each class of ages, of all partitions; the last is of those as old as the last
    /// limit.
    pub(super) ages: Vec<u64>,
}

impl<'o> Tally<'o> {
    /// With ages in seconds, ascending, at which classes of ages end.
    pub(super) fn new(times: Times, age_limits_s: &'o [i64]) -> Self {
        let ages = vec![0; age_limits_s.len() + 1];
        Tally { times, age_limits_s, counts: TombstoneCounts::default(), oldest: None, ages }
    }

    /// Counts a partition whose head was read: the walk is taken to its end.
    pub(super) fn partition(
        &mut self,
        head: &Head,
        walk: &mut Walk<'_>,
        sstable: &Sstable,
        reading: &mut Reading<'_>,
    ) -> Result<(), RowsError> {
        let (shape, damaged) = (sstable.shape(), |error| sstable.data().damaged(error));
        if !head.deletion.is_live() {
            self.counts.partition_deletions += 1;
            self.age(head.deletion.local_time);
        }
        if let Some(row) = head.static_row(sstable)? {
            self.row(&row, shape).map_err(damaged)?;
        }
        while let Some(unfiltered) = walk.next(reading)? {
            match unfiltered {
                Unfiltered::Row(row) => {
                    self.counts.rows += 1;
                    self.row(&row, shape).map_err(damaged)?;
                }
                Unfiltered::Marker(Marker { begins: Some(begins), .. }) => {
                    self.counts.range_deletions += 1;
                    self.age(begins.local_time);
                }
                Unfiltered::Marker(_) | Unfiltered::End => {}
            }
        }
        Ok(())
    }

    fn row(&mut self, row: &Row<'_>, shape: &RowShape) -> Result<(), DecodeError> {
        for deletion in [row.deletion, row.shadowable].iter().filter(|it| !it.is_live()) {
            self.counts.row_deletions += 1;
            self.age(deletion.local_time);
        }
        let expires = row.liveness.filter(|liveness| liveness.ttl != 0);
        if let Some(liveness) = expires.filter(|liveness| liveness.expires <= self.times.now) {
            self.counts.expired_rows += 1;
            self.age(liveness.expires);
        }
        for part in row.cells(shape) {
            match part? {
                RowPart::Complex { deletion: Deletion::LIVE, .. } => {}
                RowPart::Complex { deletion, .. } => {
                    self.counts.collection_deletions += 1;
                    self.age(deletion.local_time);
                }
                RowPart::Cell(cell) => self.cell(&cell),
            }
        }
        Ok(())
    }

    #[inline]
    fn cell(&mut self, cell: &Cell<'_>) {
        self.counts.cells += 1;
        if cell.is_deleted {
            self.counts.cell_tombstones += 1;
            self.age(cell.local_time);
        } else if cell.ttl != 0 && cell.local_time <= self.times.now {
            self.counts.expired_cells += 1;
            self.age(cell.local_time);
        }
    }

    /// Counts a tombstone made at a time by its age.
    fn age(&mut self, local_time: i64) {
        let age_s = self.times.now.saturating_sub(local_time);
        let class = self.age_limits_s.partition_point(|limit| *limit <= age_s);
        self.ages[class] += 1;
        self.counts.droppable += u64::from(age_s > self.times.gc_grace_s);
        self.oldest = Some(self.oldest.map_or(local_time, |oldest| oldest.min(local_time)));
    }
}
