//! Label sets to ids, ids to label sets, and marks of life.

use crate::id::{Refused, SeriesId};
use crate::part::Part;
use crate::store::LabelStore;
use crate::table::{Label, Row};

impl LabelStore {
    /// The series with these labels. If it is new, it gets the next id. It is marked as alive.
    pub fn find_or_insert(&mut self, labels: &[Label<'_>]) -> Result<SeriesId, Refused> {
        let id = match self.find_closed(labels) {
            Some(id) => id,
            None => {
                let memo = self.memos.last_mut().expect("a memo for each part");
                if self.open.end() == u32::MAX {
                    return Err(Refused::Full);
                }
                let (place, _) = self.open.table.find_or_insert(labels, memo)?;
                self.open.id(place)
            }
        };
        self.alive.set(id);
        Ok(SeriesId(id))
    }

    /// The series with these labels. Labels out of order are not found.
    pub fn find(&mut self, labels: &[Label<'_>]) -> Option<SeriesId> {
        let closed = self.find_closed(labels);
        let id = closed.or_else(|| {
            let memo = self.memos.last_mut().expect("a memo for each part");
            Some(self.open.id(self.open.table.find(labels, memo)?))
        });
        id.map(SeriesId)
    }

    #[inline]
    fn find_closed(&mut self, labels: &[Label<'_>]) -> Option<u32> {
        let LabelStore { older, memos, hidden, .. } = self;
        older.iter().zip(memos).find_map(|(part, memo)| {
            let id = part.id(part.table.find(labels, memo)?);
            (!hidden.get(id)).then_some(id)
        })
    }

    /// The labels of a series in the order of their names; none if there is no such series, or it
    /// is no more.
    ///
    /// A hidden series keeps its labels until the snapshot without it is in place.
    pub fn labels(&self, id: SeriesId) -> Labels<'_> {
        let part = self.part(self.part_of(id.0));
        Labels { part, row: part.place(id.0).map(|place| part.table.row(place)) }
    }

    /// Marks a series as alive in this generation. `false` if it can't be found any more.
    pub fn touch(&mut self, id: SeriesId) -> bool {
        let is_there = self.can_find(id);
        if is_there {
            self.alive.set(id.0);
        }
        is_there
    }

    /// Whether a series can be found.
    pub(crate) fn can_find(&self, id: SeriesId) -> bool {
        let part = self.part(self.part_of(id.0));
        part.place(id.0).is_some() && self.is_visible(id.0)
    }

    /// Whether a series was touched in this generation.
    pub fn is_alive(&self, id: SeriesId) -> bool {
        self.alive.get(id.0)
    }

    /// Forgets all marks of life: a new generation begins.
    pub fn begin_generation(&mut self) {
        self.alive.clear();
    }
}

/// The labels of a series.
#[derive(Clone, Debug)]
pub struct Labels<'a> {
    part: &'a Part,
    row: Option<Row<'a>>,
}

impl<'a> Iterator for Labels<'a> {
    type Item = Label<'a>;

    #[inline]
    fn next(&mut self) -> Option<Label<'a>> {
        let (name, value) = self.row.as_mut()?.next()?;
        Some(self.part.table.label(name, value))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.row.as_ref().map_or((0, Some(0)), Row::size_hint)
    }
}

impl ExactSizeIterator for Labels<'_> {}
