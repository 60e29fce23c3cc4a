//! The label store: label sets in memory, each with a number that it keeps.
//!
//! A store goes through its states again and again:
//!
//! ```text
//! Normal --freeze(b)--> Fixed --finish(snapshot)--> Shrunk --freeze(b)--> Fixed ...
//!                         | ^
//!                         +-+ freeze(b) again
//! ```
//!
//! *Normal*: one part holds everything. [`LabelStore::freeze`] closes it, hides the series below
//! the boundary that nobody touched in this generation, and opens a part for what comes: *Fixed*.
//! [`Frozen::copy`] copies what is left of the closed parts into a [`Snapshot`] with tables of its
//! own, on another thread if the caller likes. [`LabelStore::finish`] puts it in their place:
//! *Shrunk*. Ids of living series never change. Dead ones have no labels any more, and a dead
//! series that returns is a new one.
//!
//! A reader that must not see any of this holds a clone: closed parts are shared, only the open one
//! is copied.

mod bits;
mod file;
mod find;
mod id;
mod life;
mod lists;
mod order;
mod pairs;
mod part;
mod settle;
mod table;
mod view;
mod write;

pub use id::{Refused, SeriesId};

use std::sync::Arc;

use bits::Bits;
use order::Order;
use pairs::Pairs;
use part::Part;
use table::Memo;

pub use file::LoadError;
pub use life::{FreezeError, Frozen, Snapshot, StaleSnapshot};
pub use table::Label;
pub use view::View;
pub use write::{Selected, StoreInput, StoreSource, StoreStrings, StoreWriter, TellChunks};

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
    older: Vec<Arc<Part>>,
    open: Part,
    /// Of each part what the label set before was, the open part's last.
    memos: Vec<Memo>,
    /// Touched in this generation.
    alive: Bits,
    /// Below the boundary and dead when that was frozen.
    hidden: Bits,
    hidden_count: u32,
    boundary: u32,
    is_fixed: bool,
    order: Order,
    pairs: Pairs,
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

    fn of(older: Vec<Arc<Part>>, open: Part) -> Self {
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
    fn parts(&self) -> impl Iterator<Item = &Part> {
        self.older.iter().map(|part| &**part).chain([&self.open])
    }

    /// A part by its place, the open one last.
    #[inline]
    fn part(&self, place: usize) -> &Part {
        self.older.get(place).map_or(&self.open, |part| part)
    }

    /// Number of the part that an id is of, if of any.
    #[inline]
    fn part_of(&self, id: u32) -> usize {
        self.older.partition_point(|part| part.end() <= id)
    }

    #[inline]
    fn is_visible(&self, id: u32) -> bool {
        !self.hidden.get(id)
    }
}
