//! What a table's statistics are made of, gathered again from its rows.
//!
//! Bytes:   docs/formats/sstable.md, "Statistics"

use manicule_core::bytes::DecodeError;
use manicule_format_sstable::{
    Cell, Deletion, Histogram, Liveness, NO_LOCAL_TIME, RowHead, RowPart, RowShape, Statistics,
    TombstoneBins, Unfiltered,
};

/// Least and greatest of what was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) least: i64,
    pub(crate) greatest: i64,
}

impl Span {
    const NONE: Span = Span { least: i64::MAX, greatest: i64::MIN };

    #[inline]
    fn add(&mut self, number: i64) {
        self.least = self.least.min(number);
        self.greatest = self.greatest.max(number);
    }

    /// Itself, or `none` if nothing was seen.
    pub(crate) fn or(self, none: Span) -> Span {
        if self.least <= self.greatest { self } else { none }
    }
}

/// Times, counts and sizes.
#[derive(Clone, Debug)]
pub(crate) struct Gathered {
    /// Of row liveness, cells and deletions, in microseconds since 1970.
    pub(crate) timestamps: Span,
    /// Of the same, in seconds since 1970; what lives on counts as [`NO_LOCAL_TIME`].
    pub(crate) local_times: Span,
    /// Of row liveness and cells, in seconds; none counts as 0.
    pub(crate) ttls: Span,
    pub(crate) row_count: u64,
    pub(crate) column_count: u64,
    pub(crate) cell_count: u64,
    pub(crate) partition_sizes: Histogram,
    pub(crate) cell_counts: Histogram,
    pub(crate) has_partition_deletions: bool,
    /// Whether some counter has local or remote shards: noted by who looks at values.
    pub(crate) has_legacy_counters: bool,
    /// Number of cells when the present partition began.
    cells_before: u64,
    /// When tombstones were made and cells expire, where that is wanted.
    pub(crate) tombstones: Option<TombstoneBins>,
}

impl Gathered {
    /// Nothing yet, in the buckets of the table's own histograms.
    pub(crate) fn like(statistics: Option<&Statistics>) -> Self {
        let like = |of: fn(&Statistics) -> &Histogram| {
            statistics.map_or(1, |statistics| of(statistics).buckets().len())
        };
        Gathered::new([like(|it| &it.partition_sizes), like(|it| &it.cell_counts)])
    }

    /// Nothing yet, in so many buckets of partition sizes and of numbers of cells.
    pub(crate) fn new([sizes, cells]: [usize; 2]) -> Self {
        Gathered {
            timestamps: Span::NONE,
            local_times: Span::NONE,
            ttls: Span::NONE,
            row_count: 0,
            column_count: 0,
            cell_count: 0,
            partition_sizes: Histogram::new(sizes),
            cell_counts: Histogram::new(cells),
            has_partition_deletions: false,
            has_legacy_counters: false,
            cells_before: 0,
            tombstones: None,
        }
    }

    pub(crate) fn begin(&mut self, deletion: Deletion) {
        self.has_partition_deletions |= !deletion.is_live();
        self.deletion(deletion);
        self.cells_before = self.cell_count;
    }

    pub(crate) fn end(&mut self, len: u64) {
        self.partition_sizes.add(len as i64, 1);
        self.cell_counts.add((self.cell_count - self.cells_before) as i64, 1);
    }

    /// What a partition has next. An empty static row counts for nothing.
    ///
    /// # Errors
    /// Cells that can't be read; those before them are counted.
    pub(crate) fn unfiltered(
        &mut self,
        unfiltered: &Unfiltered<'_>,
        shape: &RowShape,
    ) -> Result<(), DecodeError> {
        match unfiltered {
            Unfiltered::Row(row) if row.is_static && row.is_empty() => Ok(()),
            Unfiltered::Row(row) => self.row(&RowHead::of(row), row.cells(shape)),
            Unfiltered::Marker(marker) => {
                self.marker([marker.ends, marker.begins]);
                Ok(())
            }
            Unfiltered::End => Ok(()),
        }
    }

    /// A marker with the deletions that end and begin at it.
    pub(crate) fn marker(&mut self, deletions: [Option<Deletion>; 2]) {
        deletions.into_iter().flatten().for_each(|deletion| self.deletion(deletion));
    }

    /// A row that says something, with its cells.
    pub(crate) fn row<'p>(
        &mut self,
        row: &RowHead<'_>,
        parts: impl Iterator<Item = Result<RowPart<'p>, DecodeError>>,
    ) -> Result<(), DecodeError> {
        self.row_count += 1;
        if let Some(Liveness { timestamp, ttl, expires }) = row.liveness {
            self.timestamps.add(timestamp);
            self.local_time(expires);
            self.ttls.add(ttl.into());
        }
        self.deletion(row.deletion);
        self.deletion(row.shadowable);
        for part in parts {
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
        self.local_time(cell.local_time);
        self.ttls.add(cell.ttl.into());
    }

    #[inline]
    fn local_time(&mut self, time: i64) {
        self.local_times.add(time);
        if time != NO_LOCAL_TIME
            && let Some(tombstones) = &mut self.tombstones
        {
            tombstones.add(time);
        }
    }

    #[inline]
    fn deletion(&mut self, deletion: Deletion) {
        if !deletion.is_live() {
            self.timestamps.add(deletion.marked_at);
            self.local_time(deletion.local_time);
        }
    }

    /// Whether nothing that has a time was seen.
    pub(crate) fn is_empty(&self) -> bool {
        self.timestamps == Span::NONE
    }
}

/// A local deletion time for people.
pub(crate) fn shown_local_time(seconds: i64) -> String {
    if seconds == NO_LOCAL_TIME { "none".to_owned() } else { seconds.to_string() }
}
