//! A slice of a partition of several SSTables.

use manicule_format_sstable::{Deletion, Type};
use manicule_store::pages::Reading;

use super::columns::MergedColumns;
use super::places::{MergedItem, Places};
use super::row::MergedRow;
use super::rows::{Merger, MergerMemory, later};
use super::source::Source;
use crate::RowsError;
use crate::slice::{Bounds, SliceOptions, open_expecting};
use crate::table::{Sstable, together};

/// A slice that is being merged.
#[derive(Debug)]
pub struct MergedSlice<'t> {
    types: &'t [Type],
    columns: MergedColumns,
    places: Places<Source<'t>>,
    deletion: Deletion,
    static_row: Option<MergedRow>,
    rows_left: u64,
}

/// Opens a slice of the partition with a key in all SSTables of a table; `None` if none of them has
/// it.
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
    foresee(sstables, key, bounds, options, reading);
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
    let static_row = static_row(&sources, deletion, &columns)?;
    let places = Places::new(sources, deletion, options.direction);
    let rows_left = options.row_count_max.unwrap_or(u64::MAX);
    Ok(Some(MergedSlice { types, columns, places, deletion, static_row, rows_left }))
}

/// Has at hand what a slice of several SSTables begins with, where they are at an address: their
/// searches run side by side. What fails here fails again where it is wanted.
pub fn foresee(
    sstables: &[&Sstable],
    key: &[u8],
    bounds: &Bounds,
    options: &SliceOptions,
    reading: &mut Reading<'_>,
) {
    let Some(store) = sstables.first().map(|first| first.store()).filter(|it| it.is_far()) else {
        return;
    };
    let own = SliceOptions { row_count_max: None, ..*options };
    together(store, sstables.len(), reading, |number, reading| {
        let (bounds, count) = (bounds.clone(), options.row_count_max);
        let opened = open_expecting(sstables[number], key, bounds, &own, count, reading);
        if let Ok(Some(mut slice)) = opened {
            // Its rows are read again by who merges them.
            drop(slice.step(reading));
        }
    });
}

/// The static rows of all as one; `None` if nothing of them is left.
fn static_row(
    sources: &[Source<'_>],
    deletion: Deletion,
    columns: &MergedColumns,
) -> Result<Option<MergedRow>, RowsError> {
    let mut merger = Merger::new(MergerMemory::default());
    for source in sources {
        let Some(row) = source.static_row()? else { continue };
        let sstable = source.slice.sstable();
        let numbers = columns.numbers(sstable.header(), true);
        let added = merger.add(&row, sstable.shape(), &numbers, source.number);
        added.map_err(|error| sstable.data().damaged(error))?;
    }
    let merged = merger.finish(deletion, columns.list(true));
    Ok((!merged.is_empty()).then(|| MergedRow::of(&merged)))
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
        self.places.sources().len()
    }

    /// Number of blocks of the partition's indexes that were compared or found so far.
    pub fn block_count(&self) -> u64 {
        self.places.sources().iter().map(|source| source.slice.block_count()).sum()
    }

    /// From here on no row is the last by the limit.
    pub(super) fn unlimited(self) -> Self {
        MergedSlice { rows_left: u64::MAX, ..self }
    }

    /// The next row or marker in the direction of the slice.
    pub fn next(&mut self, reading: &mut Reading<'_>) -> Result<Option<MergedItem>, RowsError> {
        if self.rows_left == 0 {
            return Ok(None);
        }
        let next = {
            let columns = self.columns.list(false);
            self.places.next(self.types, columns, reading, |row| Ok(MergedRow::of(row)))?
        };
        self.rows_left -= u64::from(matches!(next, Some(MergedItem::Row(_))));
        Ok(next)
    }
}
