//! Rows and markers of several sources as one sequence.
//!
//! Callers: reader, walked

use std::cmp::Ordering;

use manicule_format_sstable::{Deletion, Prefix, PrefixBuf, Type};
use manicule_store::pages::Reading;

use super::at::At;
use super::columns::MergedColumn;
use super::markers::{MergedMarker, Open, marker};
use super::row::MergedRow;
use super::rows::{Merger, MergerMemory, RowMerge};
use crate::RowsError;
use crate::slice::Direction;
use crate::table::Sstable;

/// A row or marker of several SSTables.
#[derive(Clone, Debug)]
pub enum MergedItem<R = MergedRow> {
    /// A row of which something is left, or what was made of it.
    Row(R),
    /// A place where the range deletion that counts changes.
    Marker(MergedMarker),
}

/// Rows and markers of one SSTable.
pub(super) trait Feed {
    /// Goes to the next row or marker.
    fn advance(&mut self, reading: &mut Reading<'_>) -> Result<(), RowsError>;

    /// What it is at.
    fn at(&self) -> &At;

    /// The SSTable.
    fn sstable(&self) -> &Sstable;

    /// Its number among all.
    fn number(&self) -> usize;

    /// The numbers of its regular columns among those of all.
    fn numbers(&self) -> &[usize];
}

/// The sources, and which range deletions are open in them.
#[derive(Debug)]
pub(super) struct Places<S> {
    sources: Vec<S>,
    /// Which of them are at the place that came last, and go on when the next is asked for: it may never be. At first all.
    nearest: Vec<usize>,
    open: Open,
    direction: Direction,
    memory: MergerMemory,
}

impl<S: Feed> Places<S> {
    /// Of a partition with a deletion.
    pub(super) fn new(sources: Vec<S>, deletion: Deletion, direction: Direction) -> Self {
        let open = Open::new(sources.len(), deletion);
        let (nearest, memory) = ((0..sources.len()).collect(), MergerMemory::default());
        Places { sources, nearest, open, direction, memory }
    }

    pub(super) fn sources(&self) -> &[S] {
        &self.sources
    }

    /// The next row of which something is left, as `make` makes it, or the next marker.
    pub(super) fn next<T>(
        &mut self,
        types: &[Type],
        columns: &[MergedColumn],
        reading: &mut Reading<'_>,
        mut make: impl FnMut(&RowMerge<'_>) -> Result<T, RowsError>,
    ) -> Result<Option<MergedItem<T>>, RowsError> {
        loop {
            for &index in &self.nearest {
                self.sources[index].advance(reading)?;
            }
            self.find_nearest(types);
            if self.nearest.is_empty() {
                return Ok(None);
            }
            let before = self.open.current();
            if let Some(place) = self.pass_markers() {
                let after = self.open.current();
                if let Some(marker) = marker(&place.as_prefix(), before, after, self.direction) {
                    return Ok(Some(MergedItem::Marker(marker)));
                }
                continue;
            }
            if let Some(made) = self.row(columns, &mut make)? {
                return Ok(Some(MergedItem::Row(made)));
            }
        }
    }

    /// Notes which sources are at the place that comes first.
    fn find_nearest(&mut self, types: &[Type]) {
        self.nearest.clear();
        let mut nearest: Option<Prefix<'_>> = None;
        for (index, source) in self.sources.iter().enumerate() {
            let Some(place) = source.at().prefix() else { continue };
            let order = nearest.as_ref().map(|nearest| Prefix::compare(types, &place, nearest));
            match (order, self.direction) {
                (Some(Ordering::Equal), _) => self.nearest.push(index),
                (None, _)
                | (Some(Ordering::Less), Direction::Forward)
                | (Some(Ordering::Greater), Direction::Reverse) => {
                    nearest = Some(place);
                    self.nearest.clear();
                    self.nearest.push(index);
                }
                _ => {}
            }
        }
    }

    /// Notes what the markers of the place change, and returns it; `None` if it is one of rows.
    fn pass_markers(&mut self) -> Option<PrefixBuf> {
        let mut place = None;
        for &index in &self.nearest {
            let at = self.sources[index].at();
            if let Some(change) = at.change() {
                self.open.set(index, change.opens);
                place = place.or_else(|| at.prefix().as_ref().map(PrefixBuf::of));
            }
        }
        place
    }

    /// What is made of the rows of the place; `None` if nothing of them is left.
    fn row<T>(
        &mut self,
        columns: &[MergedColumn],
        make: &mut impl FnMut(&RowMerge<'_>) -> Result<T, RowsError>,
    ) -> Result<Option<T>, RowsError> {
        let mut merger = Merger::new(std::mem::take(&mut self.memory));
        for &index in &self.nearest {
            let source = &self.sources[index];
            let (sstable, shape) = (source.sstable(), source.sstable().shape());
            let added = source.at().row(shape).and_then(|row| match row {
                Some(row) => merger.add(&row, shape, source.numbers(), source.number()),
                None => Ok(()),
            });
            added.map_err(|error| sstable.data().damaged(error))?;
        }
        let merged = merger.finish(self.open.around(), columns);
        let made = if merged.is_empty() { None } else { Some(make(&merged)?) };
        self.memory = merged.into_memory();
        Ok(made)
    }
}
