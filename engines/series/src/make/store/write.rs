//! An index of what a store holds: strings, label pairs and series as the index writer takes them.
//!
//! In every state of the store a pair has one number, its place in the order of names and values,
//! whatever parts it lies in; pairs that only dead series have are not among them. So the writer
//! meets the same numbers in each state, and works the same for them.

use std::ops::Deref;

use manicule_core::sorted::Strings;
use manicule_format_prometheus::ChunkMeta;

use super::LabelStore;
use super::id::SeriesId;
use super::settle::RowPlace;
use super::view::View;
use crate::make::write::{IndexWriter, Rows, Source, WriteError, WriteOptions};

/// The strings of a store's label pairs: the empty one, the names in order, then the value of each
/// pair in order.
///
/// The store is lent or shared; it must be settled ([`LabelStore::settle`]).
#[derive(Clone, Debug)]
pub struct StoreStrings<D>(D);

/// The series of a store in the order of their labels, each with its chunks.
#[derive(Clone, Debug)]
pub struct StoreSource<D, C> {
    store: D,
    ids: Selected,
    block: Block,
    chunks: Vec<ChunkMeta>,
    tell: C,
}

/// Series that were decoded together, from a place on.
#[derive(Clone, Debug, Default)]
struct Block {
    rows: Rows<u32>,
    start: u64,
    ids: Vec<SeriesId>,
    found: Vec<RowPlace>,
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

/// Tells the chunks of a series: appends them to the list.
pub trait TellChunks: FnMut(SeriesId, &mut Vec<ChunkMeta>) -> Result<(), WriteError> {}

impl<F: FnMut(SeriesId, &mut Vec<ChunkMeta>) -> Result<(), WriteError>> TellChunks for F {}

/// Writer of a store's index.
pub type StoreWriter<D, C> = IndexWriter<StoreStrings<D>, StoreSource<D, C>>;

impl View<'_> {
    /// The series that `has_chunks` takes, in the order of labels: those with chunks in the window
    /// of a block.
    pub fn select(&self, mut has_chunks: impl FnMut(SeriesId) -> bool) -> Selected {
        Selected::These(self.sorted().filter(|&id| has_chunks(id)).collect())
    }
}

/// Input of the index writer, from a store's series.
#[derive(Clone, Debug)]
pub struct StoreInput<D, C> {
    /// The strings.
    pub strings: StoreStrings<D>,
    /// The numbers of the name and the value of each pair among the strings.
    pub pairs: Vec<(u32, u32)>,
    /// The series.
    pub source: StoreSource<D, C>,
}

impl<D: Deref<Target = LabelStore> + Clone, C: TellChunks> StoreInput<D, C> {
    /// The input of an index of these series, whose chunks `tell` gives in the order of labels.
    ///
    /// # Panics
    /// If something was inserted or frozen since the store was settled.
    pub fn new(store: D, ids: Selected, tell: C) -> Self {
        assert!(store.is_settled(), "the store is settled before it is written");
        let pairs = label_pairs(&store);
        let (block, chunks) = (Block::default(), Vec::new());
        let source = StoreSource { store: store.clone(), ids, block, chunks, tell };
        StoreInput { strings: StoreStrings(store), pairs, source }
    }

    /// A writer of the index, whose steps the caller takes.
    pub fn writer(self, options: WriteOptions) -> StoreWriter<D, C> {
        IndexWriter::new(self.strings, self.pairs, self.source, options)
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

impl<D: Deref<Target = LabelStore>, C> StoreSource<D, C> {
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
        let Block { rows, ids, found, .. } = self;
        rows.clear();
        store.find_rows(ids, found);
        found.iter().for_each(|row| rows.push_with(|items| store.put_ranks(row, items)));
        self.start = start;
    }

    fn has(&self, place: u64) -> bool {
        (self.start..self.start + self.rows.count()).contains(&place)
    }

    fn get(&self, place: u64) -> Option<&[u32]> {
        self.rows.get(place - self.start)
    }
}

impl<D: Deref<Target = LabelStore>, C: TellChunks> Source for StoreSource<D, C> {
    #[inline]
    fn labels(&mut self, place: u64) -> Result<Option<&[u32]>, WriteError> {
        if !self.block.has(place) {
            self.fill(place);
        }
        Ok(self.block.get(place))
    }

    fn count(&mut self, counts: &mut [u32]) -> Option<u64> {
        let Selected::All = self.ids else { return None };
        self.store.pairs.count(self.store.parts(), counts);
        Some(self.store.len().into())
    }

    #[inline]
    fn chunks(&mut self, place: u64) -> Result<&[ChunkMeta], WriteError> {
        let id = *self.ids(place).first().expect("a series whose labels were given");
        self.chunks.clear();
        (self.tell)(id, &mut self.chunks)?;
        Ok(&self.chunks)
    }
}
