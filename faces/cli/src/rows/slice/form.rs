//! What rows look like in every form: which of their times are shown, their names, their columns.

use std::borrow::Cow;

use manicule::rows::{
    MergedCell, MergedCells, MergedColumn, MergedColumns, PrefixBuf, Slice, SliceItem, Type,
};

/// What is shown beside values.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Shown {
    pub(super) has_times: bool,
    pub(super) has_sources: bool,
    /// Whether rows are each SSTable's own, with tombstones.
    pub(super) is_own: bool,
    /// Whether the slice is the whole partition: of one without rows the static row is what a
    /// reader sees.
    pub(super) is_whole: bool,
    /// The time in seconds since 1970 from which what is left is counted.
    pub(super) now: i64,
}

/// What prints the parts of a slice: each as lines, which are appended to a buffer.
pub(super) trait Rows {
    /// Appends the lines of a part.
    fn part(&mut self, slice: &Slice, item: SliceItem<'_>, out: &mut String);
    /// Appends what comes after the last part.
    fn end(&mut self, slice: &Slice, out: &mut String);
    /// Number of rows and other things of the partition that were printed.
    fn count(&self) -> u64;
}

/// Name, type and value of the partition key's columns.
pub(super) fn key(slice: &Slice) -> impl Iterator<Item = (&str, &Type, Option<&[u8]>)> {
    let names = slice.named.names.partition_key.iter();
    names.zip(slice.key()).map(|(name, (kind, value))| (name.as_str(), kind, Some(value)))
}

/// Name, type and value of clustering columns, as many as a row or a bound has.
pub(super) fn clustering<'s>(
    slice: &'s Slice,
    prefix: &'s PrefixBuf,
) -> impl Iterator<Item = (&'s str, &'s Type, Option<&'s [u8]>)> {
    let (names, types) = (slice.named.names.clustering.iter(), slice.clustering());
    let values = prefix.as_prefix().values(types);
    names.zip(types).zip(values).map(|((name, kind), value)| (name.as_str(), kind, value))
}

/// A column by its number.
pub(super) fn column<'c>(
    columns: &'c MergedColumns,
    is_static: bool,
    cells: &MergedCells,
) -> &'c MergedColumn {
    &columns.list(is_static)[cells.column]
}

/// A column's name.
pub(super) fn name(column: &MergedColumn) -> Cow<'_, str> {
    String::from_utf8_lossy(&column.name)
}

/// Seconds until a cell expires; `None` of one that doesn't.
pub(super) fn seconds_left(cell: &MergedCell, now: i64) -> Option<i64> {
    (cell.ttl != 0).then(|| cell.local_time.saturating_sub(now).max(0))
}
