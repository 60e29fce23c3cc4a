//! The store: its parts, which of its series are alive, and which are hidden.

use std::sync::Arc;

use crate::bits::Bits;
use crate::id::SeriesId;
use crate::order::Order;
use crate::pairs::Pairs;
use crate::part::Part;
use crate::table::Memo;

/// State of a store in its life cycle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// Everything is in one part.
    Normal,
    /// Dead series are hidden, and wait to be left out of a copy.
    Fixed,
    /// The frozen part is a copy without the dead.
    Shrunk,
}

/// Label sets in memory.
///
/// Labels are given in the order of their names, as bytes; a label with an empty value counts as
/// absent.
#[derive(Clone, Debug)]
pub struct LabelStore {
    /// Closed parts, ids increasing from one to the next.
    pub(crate) older: Vec<Arc<Part>>,
    pub(crate) open: Part,
    /// Of each part what the label set before was, the open part's last.
    pub(crate) memos: Vec<Memo>,
    /// Touched in this generation.
    pub(crate) alive: Bits,
    /// Below the boundary and dead when that was frozen.
    pub(crate) hidden: Bits,
    pub(crate) hidden_count: u32,
    pub(crate) boundary: u32,
    pub(crate) is_fixed: bool,
    pub(crate) order: Order,
    pub(crate) pairs: Pairs,
}

impl Default for LabelStore {
    fn default() -> Self {
        Self::new()
    }
}

impl LabelStore {
    /// A store without series.
    pub fn new() -> Self {
        LabelStore::of(Vec::new(), Part::new(0))
    }

    pub(crate) fn of(older: Vec<Arc<Part>>, open: Part) -> Self {
        LabelStore {
            memos: vec![Memo::default(); older.len() + 1],
            older,
            open,
            alive: Bits::default(),
            hidden: Bits::default(),
            hidden_count: 0,
            boundary: 0,
            is_fixed: false,
            order: Order::default(),
            pairs: Pairs::default(),
        }
    }

    /// State of the store in its life cycle.
    pub fn state(&self) -> State {
        match (self.is_fixed, self.older.is_empty()) {
            (true, _) => State::Fixed,
            (false, false) => State::Shrunk,
            (false, true) => State::Normal,
        }
    }

    /// The id that the next new series gets.
    pub fn next_id(&self) -> SeriesId {
        SeriesId(self.open.end())
    }

    /// Number of series that can be found.
    pub fn len(&self) -> u32 {
        self.parts().map(|part| part.table.len()).sum::<u32>() - self.hidden_count
    }

    /// Whether no series can be found.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Memory held by its tables, in bytes; of shared parts as if it were alone.
    pub fn memory_len(&self) -> usize {
        let bits = self.alive.memory_len() + self.hidden.memory_len();
        let parts: usize = self.parts().map(Part::memory_len).sum();
        parts + bits + self.order.memory_len() + self.pairs.memory_len()
    }

    /// All parts, ids increasing.
    pub(crate) fn parts(&self) -> impl Iterator<Item = &Part> {
        self.older.iter().map(|part| &**part).chain([&self.open])
    }

    /// A part by its place, the open one last.
    #[inline]
    pub(crate) fn part(&self, place: usize) -> &Part {
        self.older.get(place).map_or(&self.open, |part| part)
    }

    /// Number of the part that an id is of, if of any.
    #[inline]
    pub(crate) fn part_of(&self, id: u32) -> usize {
        self.older.partition_point(|part| part.end() <= id)
    }

    #[inline]
    pub(crate) fn is_visible(&self, id: u32) -> bool {
        !self.hidden.get(id)
    }
}
