//! Statistics.db beside what was gathered from the rows: bounds that readers rely on, and counts
//! that they estimate by.
//!
//! Bytes:   docs/formats/sstable.md, "Statistics"

use std::cmp::Ordering;

use manicule_format_sstable::{
    ClusteringBounds, Component, Partitioner, Prefix, PrefixBuf, PrefixKind, Statistics,
    StatisticsFile, Type,
};
use manicule_store::pages::Reading;

use super::checked::Checked;
use super::notes::{Notes, Spot};
use crate::RowsError;
use crate::gathered::{Gathered, Span, shown_local_time};
use crate::table::Sstable;

/// Section of findings about it.
const STATISTICS: &str = "statistics";

impl Checked<'_> {
    /// Reads it; what can't be read is noted.
    pub(super) fn statistics(
        &mut self,
        reading: &mut Reading<'_>,
    ) -> Result<Option<Statistics>, RowsError> {
        let bytes = self.whole(&Component::Statistics, reading)?.unwrap_or_default();
        let read = StatisticsFile::open(&bytes, self.listed.descriptor.version);
        if let Ok(Err(error)) = read.as_ref().map(StatisticsFile::cardinality) {
            // Only compaction estimates by it.
            let spot = Spot::at(&Component::Statistics, STATISTICS, error.at());
            let (want, got) = error.want_and_got();
            self.notes.odd(spot, format_args!("{}: wanted {want}, got {got}", error.what()));
        }
        if let Ok(Ok(validation)) = read.as_ref().map(StatisticsFile::validation)
            && !Partitioner::is_known_class(&validation.partitioner)
        {
            let class = &validation.partitioner;
            let what =
                format!("partitioner {class:?}: none of Cassandra's, and keys have no order");
            self.notes.wrong(Spot::whole(&Component::Statistics, "validation"), what);
        }
        let read = read.map_err(Into::into).and_then(|file| file.statistics());
        Ok(read
            .map_err(|error| {
                self.notes.text_error(&Component::Statistics, STATISTICS, &error);
            })
            .ok())
    }
}

/// Between which places the rows of a table lie, as its statistics say.
#[derive(Debug)]
pub(super) struct Bounds<'t> {
    kinds: &'t [Type],
    start: PrefixBuf,
    end: PrefixBuf,
}

impl<'t> Bounds<'t> {
    /// `None` where they don't hold in this version, or can't be.
    pub(super) fn new(
        statistics: &Statistics,
        sstable: &'t Sstable,
        notes: &mut Notes,
    ) -> Option<Self> {
        let kinds = &sstable.header().clustering[..];
        if !sstable.version().has_true_bounds() {
            return None;
        }
        match &statistics.bounds {
            ClusteringBounds::Slice { types, start, end } if types == kinds => {
                Some(Bounds { kinds, start: start.clone(), end: end.clone() })
            }
            ClusteringBounds::Slice { .. } => {
                notes.wrong(spot(), "clustering types are not those of the header");
                None
            }
            ClusteringBounds::Values { min, max } => {
                let start = bound(PrefixKind::InclusiveStart, kinds, min);
                let end = bound(PrefixKind::InclusiveEnd, kinds, max);
                let bounds = start.zip(end).map(|(start, end)| Bounds { kinds, start, end });
                if bounds.is_none() {
                    notes.wrong(spot(), "clustering bounds are not of the clustering's types");
                }
                bounds
            }
        }
    }

    /// Whether a row or marker lies between them.
    #[inline]
    pub(super) fn hold(&self, place: &Prefix<'_>) -> bool {
        let is_not_after = |left: &Prefix<'_>, right: &Prefix<'_>| {
            Prefix::compare(self.kinds, left, right) != Ordering::Greater
        };
        is_not_after(&self.start.as_prefix(), place) && is_not_after(place, &self.end.as_prefix())
    }
}

fn bound(kind: PrefixKind, kinds: &[Type], values: &[Vec<u8>]) -> Option<PrefixBuf> {
    let fits = |(kind, value): (&Type, &Vec<u8>)| {
        value.is_empty() || kind.fixed_width().is_none_or(|width| width == value.len())
    };
    let is_sound = values.len() <= kinds.len() && kinds.iter().zip(values).all(fits);
    let values: Vec<_> = values.iter().map(|value| Some(&value[..])).collect();
    is_sound.then(|| PrefixBuf::new(kind, kinds, &values))
}

fn spot() -> Spot<'static> {
    Spot::whole(&Component::Statistics, STATISTICS)
}

/// Compares the statistics with what the whole table has.
pub(super) fn compare(
    statistics: &Statistics,
    gathered: &Gathered,
    first: &[u8],
    last: &[u8],
    notes: &mut Notes,
) {
    if !gathered.is_empty() {
        let Statistics { min_timestamp, max_timestamp, .. } = *statistics;
        let stated = Span { least: min_timestamp, greatest: max_timestamp };
        compare_span("timestamp", stated, gathered.timestamps, notes, plain);
        let Statistics { min_local_time, max_local_time, .. } = *statistics;
        let stated = Span { least: min_local_time, greatest: max_local_time };
        let (what, seen) = ("local deletion time", gathered.local_times);
        compare_span(what, stated, seen, notes, shown_local_time);
    }
    if gathered.ttls.least <= gathered.ttls.greatest {
        // Some writers count a TTL of none, some don't.
        let greatest = Span { least: gathered.ttls.greatest, ..gathered.ttls };
        let stated = Span { least: 0, greatest: statistics.max_ttl.into() };
        compare_span("TTL", stated, greatest, notes, plain);
    }
    if statistics.has_partition_deletions == Some(false) && gathered.has_partition_deletions {
        notes.wrong(spot(), "say that no partition is deleted, and one is");
    }
    if let Some(keys) = &statistics.keys
        && (&keys.0[..], &keys.1[..]) != (first, last)
    {
        notes.wrong(spot(), "first and last key are not those of the table");
    }
    compare_counts(statistics, gathered, notes);
}

fn plain(number: i64) -> String {
    number.to_string()
}

/// Readers leave a table out by these: all has to lie between them.
fn compare_span(what: &str, stated: Span, seen: Span, notes: &mut Notes, shown: fn(i64) -> String) {
    if seen.least < stated.least {
        let want = format!("{} at most", shown(seen.least));
        notes.differs(spot(), format_args!("least {what}"), want, shown(stated.least));
    }
    if seen.greatest > stated.greatest {
        let want = format!("{} at least", shown(seen.greatest));
        notes.differs(spot(), format_args!("greatest {what}"), want, shown(stated.greatest));
    }
}

/// Only estimates are made of these.
fn compare_counts(statistics: &Statistics, gathered: &Gathered, notes: &mut Notes) {
    for (what, want, got) in [
        ("number of rows", gathered.row_count, statistics.row_count),
        ("number of columns that are set", gathered.column_count, statistics.column_count),
    ] {
        if want != got {
            notes.odd(spot(), format_args!("{what}: wanted {want}, got {got}"));
        }
    }
    for (what, is_same) in [
        ("sizes of partitions", gathered.partition_sizes == statistics.partition_sizes),
        ("numbers of cells", gathered.cell_counts == statistics.cell_counts),
    ] {
        if !is_same {
            notes.odd(spot(), format_args!("histogram of {what} is not that of the table"));
        }
    }
}
