//! What a table's statistics are made of, gathered again from its rows.
//!
//! Bytes:   docs/formats/sstable.md, "Statistics"
//! Callers: partitions, statistics

use manicule_core::bytes::DecodeError;
use manicule_format_sstable::{
    Cell, Deletion, Histogram, Liveness, NO_LOCAL_TIME, Row, RowPart, RowShape, Statistics,
    Unfiltered,
};

/// Least and greatest of what was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) least: i64,
    pub(super) greatest: i64,
}

impl Span {
    const NONE: Span = Span { least: i64::MAX, greatest: i64::MIN };

    #[inline]
    fn add(&mut self, number: i64) {
        self.least = self.least.min(number);
        self.greatest = self.greatest.max(number);
    }
}

/// Times, counts and sizes.
#[derive(Clone, Debug)]
pub(super) struct Gathered {
    /// Of row liveness, cells and deletions, in microseconds since 1970.
    pub(super) timestamps: Span,
    /// Of the same, in seconds since 1970; what lives on counts as [`NO_LOCAL_TIME`].
    pub(super) local_times: Span,
    /// Of row liveness and cells, in seconds; none counts as 0.
    pub(super) ttls: Span,
    pub(super) row_count: u64,
    pub(super) column_count: u64,
    pub(super) cell_count: u64,
    pub(super) partition_sizes: Histogram,
    pub(super) cell_counts: Histogram,
    pub(super) has_partition_deletions: bool,
    /// Number of cells when the present partition began.
    cells_before: u64,
}

impl Gathered {
    /// Nothing yet, in the buckets of the table's own histograms.
    pub(super) fn new(statistics: Option<&Statistics>) -> Self {
        let like = |of: fn(&Statistics) -> &Histogram| {
            Histogram::new(statistics.map_or(1, |statistics| of(statistics).buckets().len()))
        };
        Gathered {
            timestamps: Span::NONE,
            local_times: Span::NONE,
            ttls: Span::NONE,
            row_count: 0,
            column_count: 0,
            cell_count: 0,
            partition_sizes: like(|statistics| &statistics.partition_sizes),
            cell_counts: like(|statistics| &statistics.cell_counts),
            has_partition_deletions: false,
            cells_before: 0,
        }
    }

    pub(super) fn begin(&mut self, deletion: Deletion) {
        self.has_partition_deletions |= !deletion.is_live();
        self.deletion(deletion);
        self.cells_before = self.cell_count;
    }

    pub(super) fn end(&mut self, len: u64) {
        self.partition_sizes.add(len as i64, 1);
        self.cell_counts.add((self.cell_count - self.cells_before) as i64, 1);
    }

    /// What a partition has next. An empty static row counts for nothing.
    ///
    /// # Errors
    /// Cells that can't be read; those before them are counted.
    pub(super) fn unfiltered(
        &mut self,
        unfiltered: &Unfiltered<'_>,
        shape: &RowShape,
    ) -> Result<(), DecodeError> {
        match unfiltered {
            Unfiltered::Row(row) if row.is_static && row.is_empty() => Ok(()),
            Unfiltered::Row(row) => self.row(row, shape),
            Unfiltered::Marker(marker) => {
                let deletions = [marker.ends, marker.begins];
                deletions.into_iter().flatten().for_each(|deletion| self.deletion(deletion));
                Ok(())
            }
            Unfiltered::End => Ok(()),
        }
    }

    fn row(&mut self, row: &Row<'_>, shape: &RowShape) -> Result<(), DecodeError> {
        self.row_count += 1;
        if let Some(Liveness { timestamp, ttl, expires }) = row.liveness {
            self.timestamps.add(timestamp);
            self.local_times.add(expires);
            self.ttls.add(ttl.into());
        }
        self.deletion(row.deletion);
        self.deletion(row.shadowable);
        for part in row.cells(shape) {
            match part? {
                RowPart::Complex { deletion, cell_count, .. } => {
                    self.column_count += u64::from(cell_count > 0);
                    self.deletion(deletion);
                }
                RowPart::Cell(cell) => self.cell(&cell),
            }
        }
        Ok(())
    }

    #[inline]
    fn cell(&mut self, cell: &Cell<'_>) {
        self.cell_count += 1;
        self.column_count += u64::from(cell.path.is_none());
        self.timestamps.add(cell.timestamp);
        self.local_times.add(cell.local_time);
        self.ttls.add(cell.ttl.into());
    }

    #[inline]
    fn deletion(&mut self, deletion: Deletion) {
        if !deletion.is_live() {
            self.timestamps.add(deletion.marked_at);
            self.local_times.add(deletion.local_time);
        }
    }

    /// Whether nothing that has a time was seen.
    pub(super) fn is_empty(&self) -> bool {
        self.timestamps == Span::NONE
    }
}

/// A local deletion time for people.
pub(super) fn shown_local_time(seconds: i64) -> String {
    if seconds == NO_LOCAL_TIME { "none".to_owned() } else { seconds.to_string() }
}
