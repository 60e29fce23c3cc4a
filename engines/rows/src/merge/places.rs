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
    /// Which of them are at the place that comes first.
    nearest: Vec<usize>,
    open: Open,
    direction: Direction,
}

impl<S: Feed> Places<S> {
    /// Of a partition with a deletion.
    pub(super) fn new(sources: Vec<S>, deletion: Deletion, direction: Direction) -> Self {
        let open = Open::new(sources.len(), deletion);
        Places { sources, nearest: Vec::new(), open, direction }
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
            if !self.find_nearest(types) {
                return Ok(None);
            }
            let before = self.open.current();
            let (rows, place) = self.take();
            if let Some(place) = place {
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

    /// Notes which sources are at the place that comes first; whether any is.
    fn find_nearest(&mut self, types: &[Type]) -> bool {
        self.nearest.clear();
        let mut nearest: Option<&PrefixBuf> = None;
        for (index, source) in self.sources.iter().enumerate() {
            let Some(place) = source.at().map(At::prefix) else { continue };
            let order = nearest.map(|nearest| compare(types, place, nearest));
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
        nearest.is_some()
    }

    /// Takes what the nearest sources have: rows, and the place of markers if there are any.
    fn take(&mut self) -> (Vec<MergedRow>, Option<PrefixBuf>) {
        let mut place = None;
        let mut rows = Vec::with_capacity(self.nearest.len());
        for &index in &self.nearest {
            match self.sources[index].take() {
                Some(At::Row(row)) => rows.push(row),
                Some(At::Marker { prefix, opens, .. }) => {
                    self.open.set(index, opens);
                    place.get_or_insert(prefix);
                }
                None => {}
            }
        }
        (rows, place)
    }
}

fn compare(types: &[Type], left: &PrefixBuf, right: &PrefixBuf) -> Ordering {
    Prefix::compare(types, &left.as_prefix(), &right.as_prefix())
}
