//! Who has the tombstones: counts by kind and age, of the table and of the partitions that have most of them.
//!
//! One pass over Data.db. Rows are parsed and no value is looked at.
//!
//! Callers: faces/manicule

use manicule_core::watch::{Phase, Unit, Watch};
use manicule_format_sstable::{Cell, Deletion, Marker, Row, RowPart, RowShape, Unfiltered};
use manicule_store::pages::Reading;

use super::top::Top;
use super::walk::Walk;
use crate::RowsError;
use crate::slice::Head;
use crate::table::Sstable;

manicule_core::counts! {
    /// Tombstones by kind.
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
        /// Rows, whether they have tombstones or not.
        rows,
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

    /// All tombstones.
    pub fn total(&self) -> u64 {
        self.partition_deletions + self.range_deletions + self.of_rows() + self.of_cells()
    }
}

/// What is counted, and how many partitions are listed.
#[derive(Clone, Debug)]
pub struct TombstoneOptions {
    /// The present, in seconds since 1970.
    pub now: i64,
    /// Seconds after which a tombstone may be dropped: the table's `gc_grace_seconds`, of which no file knows.
    pub gc_grace_s: i64,
    /// Ages in seconds, ascending, at which classes of ages end.
    pub age_limits_s: Vec<i64>,
    /// Number of partitions that are listed for rows, ranges and cells.
    pub listed_count_max: usize,
}

/// A partition and its tombstones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartitionTombstones {
    /// Its key as it lies in the file.
    pub key: Vec<u8>,
    /// Offset in the uncompressed data.
    pub position: u64,
    /// Its tombstones.
    pub counts: TombstoneCounts,
}

/// The tombstones of an SSTable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tombstones {
    /// Number of partitions.
    pub partition_count: u64,
    /// All tombstones.
    pub counts: TombstoneCounts,
    /// Number of tombstones of each class of ages; the last is of those older than the last limit.
    pub ages: Vec<u64>,
    /// Partitions with the most tombstones of rows.
    pub by_rows: Vec<PartitionTombstones>,
    /// With the most of ranges, the partition's own deletion included.
    pub by_ranges: Vec<PartitionTombstones>,
    /// With the most of cells.
    pub by_cells: Vec<PartitionTombstones>,
}

/// Counts the tombstones of an SSTable.
///
/// Cost: Data.db is read once. Memory: a window and the partitions listed.
pub fn tombstones(
    sstable: &Sstable,
    options: &TombstoneOptions,
    reading: &mut Reading<'_>,
    watch: &Watch<'_>,
) -> Result<Tombstones, RowsError> {
    let mut walk = Walk::new(sstable);
    let mut all = Tombstones {
        partition_count: 0,
        counts: TombstoneCounts::default(),
        ages: vec![0; options.age_limits_s.len() + 1],
        by_rows: Vec::new(),
        by_ranges: Vec::new(),
        by_cells: Vec::new(),
    };
    let [mut by_rows, mut by_ranges, mut by_cells] =
        [(); 3].map(|()| Top::new(options.listed_count_max));
    let meter = watch.phase(Phase::Reading, Unit::Bytes, sstable.data_len());
    while let Some(head) = walk.begin(reading)? {
        let counts = TombstoneCounts::default();
        let mut tally = Tally { options, counts, ages: &mut all.ages };
        tally.head(&head, sstable)?;
        while let Some(unfiltered) = walk.next(reading)? {
            tally.unfiltered(&unfiltered, sstable)?;
        }
        let counts = tally.counts;
        let listed =
            || PartitionTombstones { key: walk.key().to_vec(), position: head.position, counts };
        by_rows.offer(counts.of_rows(), listed);
        by_ranges.offer(counts.range_deletions + counts.partition_deletions, listed);
        by_cells.offer(counts.of_cells(), listed);
        all.counts.add(&counts);
        all.partition_count += 1;
        meter.step(walk.at() - head.position)?;
    }
    meter.end();
    (all.by_rows, all.by_ranges) = (by_rows.into_items(), by_ranges.into_items());
    all.by_cells = by_cells.into_items();
    Ok(all)
}

/// Counts of one partition.
struct Tally<'o> {
    options: &'o TombstoneOptions,
    counts: TombstoneCounts,
    ages: &'o mut [u64],
}

impl Tally<'_> {
    fn head(&mut self, head: &Head, sstable: &Sstable) -> Result<(), RowsError> {
        if !head.deletion.is_live() {
            self.counts.partition_deletions += 1;
            self.age(head.deletion.local_time);
        }
        match head.static_row(sstable)? {
            Some(row) => {
                let counted = self.row(&row, sstable.shape());
                counted.map_err(|error| sstable.data().damaged(error))
            }
            None => Ok(()),
        }
    }

    fn unfiltered(
        &mut self,
        unfiltered: &Unfiltered<'_>,
        sstable: &Sstable,
    ) -> Result<(), RowsError> {
        match unfiltered {
            Unfiltered::Row(row) => {
                self.counts.rows += 1;
                let counted = self.row(row, sstable.shape());
                counted.map_err(|error| sstable.data().damaged(error))
            }
            Unfiltered::Marker(Marker { begins: Some(begins), .. }) => {
                self.counts.range_deletions += 1;
                self.age(begins.local_time);
                Ok(())
            }
            Unfiltered::Marker(_) | Unfiltered::End => Ok(()),
        }
    }

    fn row(
        &mut self,
        row: &Row<'_>,
        shape: &RowShape,
    ) -> Result<(), manicule_core::bytes::DecodeError> {
        for deletion in [row.deletion, row.shadowable].iter().filter(|it| !it.is_live()) {
            self.counts.row_deletions += 1;
            self.age(deletion.local_time);
        }
        let expires = row.liveness.filter(|liveness| liveness.ttl != 0);
        if let Some(liveness) = expires.filter(|liveness| liveness.expires <= self.options.now) {
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
        if cell.is_deleted {
            self.counts.cell_tombstones += 1;
            self.age(cell.local_time);
        } else if cell.ttl != 0 && cell.local_time <= self.options.now {
            self.counts.expired_cells += 1;
            self.age(cell.local_time);
        }
    }

    /// Counts a tombstone made at a time by its age.
    fn age(&mut self, local_time: i64) {
        let age_s = self.options.now.saturating_sub(local_time);
        let class = self.options.age_limits_s.partition_point(|limit| *limit <= age_s);
        self.ages[class] += 1;
        self.counts.droppable += u64::from(age_s >= self.options.gc_grace_s);
    }
}
