//! A slice of a partition of several SSTables.
//!
//! Callers: faces/manicule

use std::cmp::Ordering;

use manicule_format_sstable::{Deletion, Prefix, PrefixBuf, Type};
use manicule_store::pages::Reading;

use super::columns::MergedColumns;
use super::markers::{MergedMarker, Open, marker};
use super::row::MergedRow;
use super::rows::{later, merged};
use super::source::{At, Source};
use crate::RowsError;
use crate::slice::{Bounds, Direction, SliceOptions, open_expecting};
use crate::table::Sstable;

/// A row or marker of a merged slice.
#[derive(Clone, Debug)]
pub enum MergedItem {
    /// A row of which something is left.
    Row(MergedRow),
    /// A place where the range deletion that counts changes.
    Marker(MergedMarker),
}

/// A slice that is being merged.
#[derive(Debug)]
pub struct MergedSlice<'t> {
    types: &'t [Type],
    columns: MergedColumns,
    sources: Vec<Source<'t>>,
    open: Open,
    deletion: Deletion,
    static_row: Option<MergedRow>,
    direction: Direction,
    rows_left: u64,
}

/// Opens a slice of the partition with a key in all SSTables of a table; `None` if none of them has it.
///
/// A limit counts merged rows: of what deletions hide nothing counts.
pub fn open_merged<'t>(
    sstables: &[&'t Sstable],
    key: &[u8],
    bounds: &Bounds,
    options: &SliceOptions,
    reading: &mut Reading<'_>,
) -> Result<Option<MergedSlice<'t>>, RowsError> {
    let columns = MergedColumns::of(sstables)?;
    let own = SliceOptions { row_count_max: None, ..*options };
    let mut sources = Vec::new();
    for (number, sstable) in sstables.iter().enumerate() {
        let expected = options.row_count_max;
        if let Some(slice) = open_expecting(sstable, key, bounds.clone(), &own, expected, reading)?
        {
            sources.push(Source::new(slice, number, &columns));
        }
    }
    let Some(first) = sources.first() else { return Ok(None) };
    let types = &sstables[first.number].header().clustering;
    let deletions = sources.iter().map(|source| source.slice.head().deletion);
    let deletion = deletions.fold(Deletion::LIVE, later);
    let mut statics = Vec::new();
    for source in &sources {
        statics.extend(source.static_row(&columns)?);
    }
    let static_row = merged(statics, deletion, columns.list(true));
    let open = Open::new(sources.len(), deletion);
    let (direction, rows_left) = (options.direction, options.row_count_max.unwrap_or(u64::MAX));
    Ok(Some(MergedSlice {
        types,
        columns,
        sources,
        open,
        deletion,
        static_row,
        direction,
        rows_left,
    }))
}

impl MergedSlice<'_> {
    /// The columns by which cells are numbered.
    pub fn columns(&self) -> &MergedColumns {
        &self.columns
    }

    /// Types of the clustering columns.
    pub fn types(&self) -> &[Type] {
        self.types
    }

    /// The partition's deletion; live if there is none.
    pub fn deletion(&self) -> Deletion {
        self.deletion
    }

    /// The static row; `None` if nothing of it is left.
    pub fn static_row(&self) -> Option<&MergedRow> {
        self.static_row.as_ref()
    }

    /// Number of the SSTables that have the partition.
    pub fn source_count(&self) -> usize {
        self.sources.len()
    }

    /// Number of blocks of the partition's indexes that were compared or found so far.
    pub fn block_count(&self) -> u64 {
        self.sources.iter().map(|source| source.slice.block_count()).sum()
    }

    /// From here on no row is the last by the limit.
    pub(super) fn unlimited(self) -> Self {
        MergedSlice { rows_left: u64::MAX, ..self }
    }

    /// The next row or marker in the direction of the slice.
    pub fn next(&mut self, reading: &mut Reading<'_>) -> Result<Option<MergedItem>, RowsError> {
        while self.rows_left > 0 {
            for source in &mut self.sources {
                source.advance(reading)?;
            }
            let Some(place) = self.nearest() else { return Ok(None) };
            let (rows, has_markers, before) = self.take(&place);
            if has_markers {
                let after = self.open.current();
                if let Some(marker) = marker(&place, before, after, self.direction) {
                    return Ok(Some(MergedItem::Marker(marker)));
                }
            }
            if rows.is_empty() {
                continue;
            }
            if let Some(row) = merged(rows, self.open.around(), self.columns.list(false)) {
                self.rows_left -= 1;
                return Ok(Some(MergedItem::Row(row)));
            }
        }
        Ok(None)
    }

    /// The place that comes first of those that the sources are at.
    fn nearest(&self) -> Option<PrefixBuf> {
        let places = self.sources.iter().filter_map(|source| source.at.as_ref());
        let places = places.map(At::prefix);
        let nearest =
            places.reduce(|nearest, place| match (self.compare(place, nearest), self.direction) {
                (Ordering::Less, Direction::Forward) | (Ordering::Greater, Direction::Reverse) => {
                    place
                }
                _ => nearest,
            });
        nearest.cloned()
    }

    fn compare(&self, left: &PrefixBuf, right: &PrefixBuf) -> Ordering {
        Prefix::compare(self.types, &left.as_prefix(), &right.as_prefix())
    }

    /// Takes what the sources have at a place: rows, whether there are markers, the deletion that counted before.
    fn take(&mut self, place: &PrefixBuf) -> (Vec<MergedRow>, bool, Option<Deletion>) {
        let (before, mut rows, mut has_markers) = (self.open.current(), Vec::new(), false);
        for index in 0..self.sources.len() {
            let at = self.sources[index].at.as_ref();
            if !at.is_some_and(|at| self.compare(at.prefix(), place).is_eq()) {
                continue;
            }
            match self.sources[index].take() {
                Some(At::Row(row)) => rows.push(row),
                Some(At::Marker { opens, .. }) => {
                    self.open.set(index, opens);
                    has_markers = true;
                }
                None => {}
            }
        }
        (rows, has_markers, before)
    }
}
