//! Rows and markers of several sources as one sequence.

use std::cmp::Ordering;

use manicule_format_sstable::{Deletion, Prefix, PrefixBuf, Type, Unfiltered};
use manicule_store::pages::Reading;

use super::at::At;
use super::columns::MergedColumn;
use super::markers::{MergedMarker, Open, marker};
use super::row::MergedRow;
use super::rows::{Merger, MergerMemory, RowMerge};
use super::turn::Turn;
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
    /// Which of them come next; those at the place that came last go on when the next is asked for:
    /// it may never be.
    turn: Turn,
    /// Which of them are at the place that came last.
    nearest: Vec<usize>,
    /// The one of these that names the place: values of it may be equal and differ in bytes.
    naming: usize,
    open: Open,
    direction: Direction,
    memory: MergerMemory,
}

impl<S: Feed> Places<S> {
    /// Of a partition with a deletion.
    pub(super) fn new(sources: Vec<S>, deletion: Deletion, direction: Direction) -> Self {
        let open = Open::new(sources.len(), deletion);
        let turn = Turn::new(sources.iter().map(Feed::number));
        let (nearest, memory) = (Vec::new(), MergerMemory::default());
        Places { sources, turn, nearest, naming: 0, open, direction, memory }
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
            self.go_on(types, reading)?;
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

    /// Has the sources go on that were at the last place, and notes which are at the one that comes
    /// next.
    fn go_on(&mut self, types: &[Type], reading: &mut Reading<'_>) -> Result<(), RowsError> {
        let Places { sources, turn, nearest, direction, .. } = self;
        let mut end = turn.due_len();
        while let Some((place, source)) = turn.due(end) {
            let mut is_left = false;
            if let Some(source) = source {
                sources[source].advance(reading)?;
                is_left = !sources[source].at().is_nothing();
            }
            turn.moved(place, is_left, |left, right| {
                order(sources, [left, right], types, *direction)
            });
            end = place;
        }
        turn.take(nearest);
        self.naming = nearest.last().copied().unwrap_or_default();
        // What is added up doesn't depend on the order in which they are met.
        nearest.sort_unstable();
        Ok(())
    }

    /// Notes what the markers of the place change, and returns it; `None` if it is one of rows.
    fn pass_markers(&mut self) -> Option<PrefixBuf> {
        let mut is_marker = false;
        for &index in &self.nearest {
            let at = self.sources[index].at();
            if let Some(change) = at.change() {
                self.open.set(index, change.opens);
                is_marker = true;
            }
        }
        if !is_marker {
            return None;
        }
        self.sources[self.naming].at().prefix().as_ref().map(PrefixBuf::of)
    }

    /// What is made of the rows of the place; `None` if nothing of them is left.
    fn row<T>(
        &mut self,
        columns: &[MergedColumn],
        make: &mut impl FnMut(&RowMerge<'_>) -> Result<T, RowsError>,
    ) -> Result<Option<T>, RowsError> {
        let mut merger = Merger::new(std::mem::take(&mut self.memory));
        let mut named = None;
        for &index in &self.nearest {
            let source = &self.sources[index];
            let (sstable, shape) = (source.sstable(), source.sstable().shape());
            let damaged = |error| sstable.data().damaged(error);
            let opened = source.at().row(shape).map_err(damaged)?;
            let Unfiltered::Row(row) = &opened else { continue };
            if index == self.naming {
                named = Some(row.components);
            }
            let added = merger.add(row, shape, source.numbers(), source.number());
            added.map_err(damaged)?;
        }
        if let Some(components) = named {
            merger.name(components);
        }
        let merged = merger.finish(self.open.around(), columns);
        let made = if merged.is_empty() { None } else { Some(make(&merged)?) };
        self.memory = merged.into_memory();
        Ok(made)
    }
}

/// The order of the places of two sources.
fn order<S: Feed>(
    sources: &[S],
    [left, right]: [usize; 2],
    types: &[Type],
    direction: Direction,
) -> Ordering {
    let [left, right] = [left, right].map(|source| sources[source].at().prefix());
    // One that has nothing left comes no more.
    let (Some(left), Some(right)) = (left, right) else { return Ordering::Equal };
    let order = Prefix::compare(types, &left, &right);
    match direction {
        Direction::Forward => order,
        Direction::Reverse => order.reverse(),
    }
}
