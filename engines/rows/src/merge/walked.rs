//! A partition of several SSTables that are walked over side by side.

use manicule_format_sstable::{Deletion, Type};
use manicule_store::pages::Reading;

use super::at::{At, Change};
use super::columns::MergedColumns;
use super::places::{Feed, MergedItem, Places};
use super::rows::{Merger, MergerMemory, RowMerge, later};
use crate::RowsError;
use crate::scan::{Passed, Walk};
use crate::slice::{Direction, Head};
use crate::table::Sstable;

/// An SSTable that has the partition.
#[derive(Debug)]
pub(crate) struct WalkedSource<'w, 't> {
    /// The walk, whose last head is that of the partition.
    pub(crate) walk: &'w mut Walk<'t>,
    /// That head.
    pub(crate) head: Head,
    /// Numbers of its regular columns, and of its static ones.
    pub(crate) numbers: &'w [Vec<usize>; 2],
    /// Its number among all SSTables.
    pub(crate) number: usize,
}

#[derive(Debug)]
struct Walked<'w, 't> {
    source: WalkedSource<'w, 't>,
    at: At,
}

/// The partition, merged.
#[derive(Debug)]
pub(crate) struct WalkedPartition<'w, 't> {
    places: Places<Walked<'w, 't>>,
    deletion: Deletion,
}

impl<'w, 't> WalkedPartition<'w, 't> {
    /// Begins the merge.
    pub(crate) fn begin(sources: Vec<WalkedSource<'w, 't>>) -> Self {
        let deletions = sources.iter().map(|source| source.head.deletion);
        let deletion = deletions.fold(Deletion::LIVE, later);
        let walked = |source| Walked { source, at: At::nothing() };
        let sources = sources.into_iter().map(walked).collect();
        let places = Places::new(sources, deletion, Direction::Forward);
        WalkedPartition { places, deletion }
    }

    /// The partition's deletion; live if there is none.
    pub(crate) fn deletion(&self) -> Deletion {
        self.deletion
    }

    /// What `make` makes of the static row; `None` if nothing of it is left.
    pub(crate) fn static_row<T>(
        &self,
        columns: &MergedColumns,
        make: impl FnOnce(&RowMerge<'_>) -> Result<T, RowsError>,
    ) -> Result<Option<T>, RowsError> {
        let mut merger = Merger::new(MergerMemory::default());
        for Walked { source, .. } in self.places.sources() {
            let WalkedSource { walk, head, numbers, number } = source;
            let sstable = walk.sstable();
            let Some(row) = head.static_row(sstable)? else { continue };
            let added = merger.add(&row, sstable.shape(), &numbers[1], *number);
            added.map_err(|error| sstable.data().damaged(error))?;
        }
        let merged = merger.finish(self.deletion, columns.list(true));
        if merged.is_empty() { Ok(None) } else { make(&merged).map(Some) }
    }

    /// The next row, as `make` makes it, or marker.
    pub(crate) fn next<T>(
        &mut self,
        types: &[Type],
        columns: &MergedColumns,
        reading: &mut Reading<'_>,
        make: impl FnMut(&RowMerge<'_>) -> Result<T, RowsError>,
    ) -> Result<Option<MergedItem<T>>, RowsError> {
        self.places.next(types, columns.list(false), reading, make)
    }
}

impl Feed for Walked<'_, '_> {
    fn at(&self) -> &At {
        &self.at
    }

    fn sstable(&self) -> &Sstable {
        self.source.walk.sstable()
    }

    fn number(&self) -> usize {
        self.source.number
    }

    fn numbers(&self) -> &[usize] {
        &self.source.numbers[0]
    }

    fn advance(&mut self, reading: &mut Reading<'_>) -> Result<(), RowsError> {
        let Walked { source, at } = self;
        match source.walk.pass(reading)? {
            Passed::End => at.set_nothing(),
            Passed::Row(frame, bytes) => at.set_row(frame, bytes),
            Passed::Marker(marker) => {
                let change = Change { closes: marker.ends, opens: marker.begins };
                at.set_marker(&marker.prefix, change);
            }
        }
        Ok(())
    }
}
