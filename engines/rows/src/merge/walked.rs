//! A partition of several SSTables that are walked over side by side.
//!
//! Callers: write

use manicule_format_sstable::{Deletion, PrefixBuf, Type, Unfiltered};
use manicule_store::pages::Reading;

use super::at::At;
use super::columns::MergedColumns;
use super::places::{Feed, MergedItem, Places};
use super::row::MergedRow;
use super::rows::{later, merged};
use crate::RowsError;
use crate::scan::Walk;
use crate::slice::{Direction, Head};

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
    at: Option<At>,
    is_taken: bool,
}

/// The partition, merged.
#[derive(Debug)]
pub(crate) struct WalkedPartition<'w, 't> {
    places: Places<Walked<'w, 't>>,
    deletion: Deletion,
    static_row: Option<MergedRow>,
}

impl<'w, 't> WalkedPartition<'w, 't> {
    /// Begins the merge.
    pub(crate) fn begin(
        sources: Vec<WalkedSource<'w, 't>>,
        columns: &MergedColumns,
    ) -> Result<Self, RowsError> {
        let deletions = sources.iter().map(|source| source.head.deletion);
        let deletion = deletions.fold(Deletion::LIVE, later);
        let mut statics = Vec::new();
        for WalkedSource { walk, head, numbers, number } in &sources {
            let sstable = walk.sstable();
            let Some(row) = head.static_row(sstable)? else { continue };
            let copy = MergedRow::copy(&row, sstable.shape(), &numbers[1], *number);
            statics.push(copy.map_err(|error| sstable.data().damaged(error))?);
        }
        let static_row = merged(statics, deletion, columns.list(true));
        let walked = |source| Walked { source, at: None, is_taken: true };
        let sources = sources.into_iter().map(walked).collect();
        let places = Places::new(sources, deletion, Direction::Forward);
        Ok(WalkedPartition { places, deletion, static_row })
    }

    /// The partition's deletion; live if there is none.
    pub(crate) fn deletion(&self) -> Deletion {
        self.deletion
    }

    /// The static row; `None` if nothing of it is left.
    pub(crate) fn static_row(&self) -> Option<&MergedRow> {
        self.static_row.as_ref()
    }

    /// The next row or marker.
    pub(crate) fn next(
        &mut self,
        types: &[Type],
        columns: &MergedColumns,
        reading: &mut Reading<'_>,
    ) -> Result<Option<MergedItem>, RowsError> {
        self.places.next(types, columns.list(false), reading)
    }
}

impl Feed for Walked<'_, '_> {
    fn at(&self) -> Option<&At> {
        self.at.as_ref()
    }

    fn take(&mut self) -> Option<At> {
        self.is_taken = true;
        self.at.take()
    }

    fn advance(&mut self, reading: &mut Reading<'_>) -> Result<(), RowsError> {
        if !std::mem::take(&mut self.is_taken) {
            return Ok(());
        }
        let WalkedSource { walk, numbers, number, .. } = &mut self.source;
        let sstable = walk.sstable();
        self.at = match walk.next(reading)? {
            None | Some(Unfiltered::End) => None,
            Some(Unfiltered::Row(row)) => {
                let copy = MergedRow::copy(&row, sstable.shape(), &numbers[0], *number);
                Some(At::Row(copy.map_err(|error| sstable.data().damaged(error))?))
            }
            Some(Unfiltered::Marker(marker)) => {
                let prefix = PrefixBuf::of(&marker.prefix);
                Some(At::Marker { prefix, closes: marker.ends, opens: marker.begins })
            }
        };
        Ok(())
    }
}
