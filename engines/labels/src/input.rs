//! An index of what a store holds: strings, label pairs and series as an index writer takes them.
//!
//! In every state of the store a pair has one number, its place in the order of names and values,
//! whatever parts it lies in; pairs that only dead series have are not among them. So the writer
//! meets the same numbers in each state, and works the same for them.

use std::ops::Deref;

use manicule_core::lists::NumberLists;
use manicule_core::sorted::Strings;

use crate::id::SeriesId;
use crate::settle::RowPlace;
use crate::store::LabelStore;
use crate::view::View;

/// The strings of a store's label pairs: the empty one, the names in order, then the value of each
/// pair in order.
///
/// The store is lent or shared; it must be settled ([`LabelStore::settle`]).
#[derive(Clone, Debug)]
pub struct StoreStrings<D>(D);

/// The series of a store in the order of their labels, as numbers of label pairs.
#[derive(Clone, Debug)]
pub struct StoreSeries<D> {
    store: D,
    ids: Selected,
    block: Block,
}

/// Series that were decoded together, from a place on.
#[derive(Clone, Debug, Default)]
struct Block {
    start: u64,
    ids: Vec<SeriesId>,
    found: Vec<RowPlace>,
    /// The pairs of all of them, back to back.
    pairs: Vec<u32>,
    /// End of the pairs of each.
    ends: Vec<usize>,
}

/// Number of series decoded at once. Their rows lie all over the store when they came in another
/// order; asked for one by one, each would be waited for.
const BLOCK_LEN: usize = 128;

/// Series of a store that are written.
#[derive(Clone, Debug)]
pub enum Selected {
    /// All that can be found.
    All,
    /// These, which are in the order of their labels.
    These(Vec<SeriesId>),
}

impl View<'_> {
    /// The series that `has_chunks` takes, in the order of labels: those with chunks in the window
    /// of a block.
    pub fn select(&self, mut has_chunks: impl FnMut(SeriesId) -> bool) -> Selected {
        Selected::These(self.sorted().filter(|&id| has_chunks(id)).collect())
    }
}

/// Input of an index writer, from a store's series; their chunks are the caller's.
#[derive(Clone, Debug)]
pub struct StoreInput<D> {
    /// The strings.
    pub strings: StoreStrings<D>,
    /// The numbers of the name and the value of each pair among the strings.
    pub pairs: Vec<(u32, u32)>,
    /// The series.
    pub series: StoreSeries<D>,
}

impl<D: Deref<Target = LabelStore> + Clone> StoreInput<D> {
    /// The input of an index of these series.
    ///
    /// # Panics
    /// If something was inserted or frozen since the store was settled.
    pub fn new(store: D, ids: Selected) -> Self {
        assert!(store.is_settled(), "the store is settled before it is written");
        let pairs = label_pairs(&store);
        let series = StoreSeries { store: store.clone(), ids, block: Block::default() };
        StoreInput { strings: StoreStrings(store), pairs, series }
    }
}

/// The numbers of the name and the value of each pair among the [`StoreStrings`].
fn label_pairs(store: &LabelStore) -> Vec<(u32, u32)> {
    let names = store.pairs.name_count() as u32;
    let of_name = |name: u32| {
        let pairs = store.pairs.of_name(name as usize);
        pairs.map(move |pair| (1 + name, 1 + names + pair))
    };
    (0..names).flat_map(of_name).collect()
}

impl<D: Deref<Target = LabelStore>> Strings for StoreStrings<D> {
    fn count(&self) -> u32 {
        1 + self.0.pairs.name_count() as u32 + self.0.pairs.len()
    }

    #[inline]
    fn get(&self, number: u32) -> &[u8] {
        let Some(number) = number.checked_sub(1) else { return b"" };
        let view = View::of(&self.0);
        let names = self.0.pairs.name_count() as u32;
        match number.checked_sub(names) {
            None => view.name(number as usize),
            Some(pair) => view.pair(pair).1,
        }
    }
}

impl<D: Deref<Target = LabelStore>> StoreSeries<D> {
    /// The series at a place; `None` after the last.
    #[inline]
    pub fn id(&self, place: u64) -> Option<SeriesId> {
        self.ids(place).first().copied()
    }

    /// The series from a place on.
    fn ids(&self, place: u64) -> &[SeriesId] {
        let all = match &self.ids {
            Selected::All => self.store.order.ids(),
            Selected::These(ids) => ids,
        };
        all.get(place as usize..).unwrap_or_default()
    }

    /// Decodes the block that begins at a place.
    fn fill(&mut self, place: u64) {
        let mut block = std::mem::take(&mut self.block);
        block.ids.clear();
        let ids = self.ids(place);
        block.ids.extend_from_slice(&ids[..ids.len().min(BLOCK_LEN)]);
        block.decode(place, &self.store);
        self.block = block;
    }
}

impl Block {
    fn decode(&mut self, start: u64, store: &LabelStore) {
        let Block { ids, found, pairs, ends, .. } = self;
        pairs.clear();
        ends.clear();
        store.find_rows(ids, found);
        for row in found {
            store.put_ranks(row, pairs);
            ends.push(pairs.len());
        }
        self.start = start;
    }

    fn has(&self, place: u64) -> bool {
        (self.start..self.start + self.ends.len() as u64).contains(&place)
    }

    fn get(&self, place: u64) -> Option<&[u32]> {
        let place = (place - self.start) as usize;
        let end = *self.ends.get(place)?;
        let start = if place == 0 { 0 } else { self.ends[place - 1] };
        Some(&self.pairs[start..end])
    }
}

impl<D: Deref<Target = LabelStore>> NumberLists for StoreSeries<D> {
    #[inline]
    fn list(&mut self, place: u64) -> Option<&[u32]> {
        if !self.block.has(place) {
            self.fill(place);
        }
        self.block.get(place)
    }

    fn count(&mut self, counts: &mut [u32]) -> Option<u64> {
        let Selected::All = self.ids else { return None };
        self.store.pairs.count(self.store.parts(), counts);
        Some(self.store.len().into())
    }
}
