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
use super::rows::merged;
use crate::RowsError;
use crate::slice::Direction;

/// A row or marker of several SSTables.
#[derive(Clone, Debug)]
pub enum MergedItem {
    /// A row of which something is left.
    Row(MergedRow),
    /// A place where the range deletion that counts changes.
    Marker(MergedMarker),
}

/// Rows and markers of one SSTable.
pub(super) trait Feed {
    /// Goes to the next row or marker, if the one before was taken.
    fn advance(&mut self, reading: &mut Reading<'_>) -> Result<(), RowsError>;

    /// What it is at; `None` after the last.
    fn at(&self) -> Option<&At>;

    /// Takes what it is at.
    fn take(&mut self) -> Option<At>;
}

/// The sources, and which range deletions are open in them.
#[derive(Debug)]
pub(super) struct Places<S> {
    sources: Vec<S>,
    open: Open,
    direction: Direction,
}

impl<S: Feed> Places<S> {
    /// Of a partition with a deletion.
    pub(super) fn new(sources: Vec<S>, deletion: Deletion, direction: Direction) -> Self {
        let open = Open::new(sources.len(), deletion);
        Places { sources, open, direction }
    }

    pub(super) fn sources(&self) -> &[S] {
        &self.sources
    }

    /// The next row of which something is left, or the next marker.
    pub(super) fn next(
        &mut self,
        types: &[Type],
        columns: &[MergedColumn],
        reading: &mut Reading<'_>,
    ) -> Result<Option<MergedItem>, RowsError> {
        loop {
            for source in &mut self.sources {
                source.advance(reading)?;
            }
            let Some(place) = self.nearest(types) else { return Ok(None) };
            let (rows, has_markers, before) = self.take(&place, types);
            if has_markers {
                let after = self.open.current();
                if let Some(marker) = marker(&place, before, after, self.direction) {
                    return Ok(Some(MergedItem::Marker(marker)));
                }
            }
            if rows.is_empty() {
                continue;
            }
            if let Some(row) = merged(rows, self.open.around(), columns) {
                return Ok(Some(MergedItem::Row(row)));
            }
        }
    }

    /// The place that comes first of those that the sources are at.
    fn nearest(&self, types: &[Type]) -> Option<PrefixBuf> {
        let places = self.sources.iter().filter_map(Feed::at).map(At::prefix);
        let nearest = places.reduce(|nearest, place| {
            match (compare(types, place, nearest), self.direction) {
                (Ordering::Less, Direction::Forward) | (Ordering::Greater, Direction::Reverse) => {
                    place
                }
                _ => nearest,
            }
        });
        nearest.cloned()
    }

    /// Takes what the sources have at a place: rows, whether there are markers, the deletion that counted before.
    fn take(
        &mut self,
        place: &PrefixBuf,
        types: &[Type],
    ) -> (Vec<MergedRow>, bool, Option<Deletion>) {
        let (before, mut rows, mut has_markers) = (self.open.current(), Vec::new(), false);
        for (index, source) in self.sources.iter_mut().enumerate() {
            if !source.at().is_some_and(|at| compare(types, at.prefix(), place).is_eq()) {
                continue;
            }
            match source.take() {
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

fn compare(types: &[Type], left: &PrefixBuf, right: &PrefixBuf) -> Ordering {
    Prefix::compare(types, &left.as_prefix(), &right.as_prefix())
}
