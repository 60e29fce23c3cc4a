//! Sources of series for the writer.

use manicule_core::lists::NumberLists;
use manicule_format_prometheus::ChunkMeta;

use super::WriteError;

/// Series in the order of their labels, each a few numbers of label pairs.
///
/// The writer makes a pass to count, one to write, and one for each further window of postings;
/// each begins at place 0 and goes on by one. So a source may answer any place, or keep a cursor
/// that starts again at 0.
pub trait Source {
    /// The label pairs of the series at a place, in the order of names; `None` after the last.
    fn labels(&mut self, place: u64) -> Result<Option<&[u32]>, WriteError>;

    /// Says how many series have each pair, and how many series there are, if that is known without
    /// a pass over them.
    fn count(&mut self, _counts: &mut [u32]) -> Option<u64> {
        None
    }

    /// The chunks of the series whose labels were asked for last. Asked for in the writing pass
    /// only.
    fn chunks(&mut self, place: u64) -> Result<&[ChunkMeta], WriteError>;
}

impl<T: Source + ?Sized> Source for &mut T {
    #[inline]
    fn labels(&mut self, place: u64) -> Result<Option<&[u32]>, WriteError> {
        (**self).labels(place)
    }

    fn count(&mut self, counts: &mut [u32]) -> Option<u64> {
        (**self).count(counts)
    }

    #[inline]
    fn chunks(&mut self, place: u64) -> Result<&[ChunkMeta], WriteError> {
        (**self).chunks(place)
    }
}

impl NumberLists for &Rows<u32> {
    #[inline]
    fn list(&mut self, place: u64) -> Option<&[u32]> {
        self.get(place)
    }
}

/// Lists back to back: the label pairs of series, or their chunks.
#[derive(Clone, Debug)]
pub struct Rows<T> {
    items: Vec<T>,
    /// End of each list.
    ends: Vec<u64>,
}

impl<T> Default for Rows<T> {
    fn default() -> Self {
        Rows { items: Vec::new(), ends: Vec::new() }
    }
}

impl<T: Copy> Rows<T> {
    /// Adds a list.
    #[inline]
    pub fn push(&mut self, items: impl IntoIterator<Item = T>) {
        self.items.extend(items);
        self.ends.push(self.items.len() as u64);
    }

    /// Adds a list of what `item` makes of each of `items` and of the item at the same place of the
    /// list before.
    #[inline]
    pub(super) fn push_behind<I>(
        &mut self,
        items: impl IntoIterator<Item = I>,
        mut item: impl FnMut(Option<T>, I) -> T,
    ) {
        let end = self.items.len();
        let first = self.start(self.ends.len().saturating_sub(1));
        for (before, given) in (first..).zip(items) {
            let behind = (before < end).then(|| self.items[before]);
            self.items.push(item(behind, given));
        }
        self.ends.push(self.items.len() as u64);
    }

    /// Start of a list.
    #[inline]
    fn start(&self, place: usize) -> usize {
        if place == 0 { 0 } else { self.ends[place - 1] as usize }
    }

    /// Forgets all lists, but not their memory.
    pub fn clear(&mut self) {
        self.items.clear();
        self.ends.clear();
    }

    /// Number of lists.
    pub fn count(&self) -> u64 {
        self.ends.len() as u64
    }

    /// The list at a place; `None` after the last.
    #[inline]
    pub fn get(&self, place: u64) -> Option<&[T]> {
        let place = place as usize;
        let end = *self.ends.get(place)?;
        Some(&self.items[self.start(place)..end as usize])
    }

    /// Memory held, in bytes.
    pub fn memory(&self) -> usize {
        self.items.capacity() * size_of::<T>() + self.ends.capacity() * size_of::<u64>()
    }
}

/// Source of the chunks of series, when it is not that of their labels.
pub trait ChunkSource {
    /// The chunks of the series at a place; asked for in order, once each.
    fn chunks(&mut self, place: u64) -> Result<&[ChunkMeta], WriteError>;
}

impl ChunkSource for &Rows<ChunkMeta> {
    #[inline]
    fn chunks(&mut self, place: u64) -> Result<&[ChunkMeta], WriteError> {
        Ok(self.get(place).unwrap_or_default())
    }
}

/// Chunks given by a function, series by series.
#[derive(Clone, Debug)]
pub struct ChunksBy<F> {
    tell: F,
    chunks: Vec<ChunkMeta>,
}

impl<F: FnMut(u64, &mut Vec<ChunkMeta>)> ChunksBy<F> {
    /// Chunks as `tell` appends them for the series at a place.
    pub fn new(tell: F) -> Self {
        ChunksBy { tell, chunks: Vec::new() }
    }
}

impl<F: FnMut(u64, &mut Vec<ChunkMeta>)> ChunkSource for ChunksBy<F> {
    #[inline]
    fn chunks(&mut self, place: u64) -> Result<&[ChunkMeta], WriteError> {
        self.chunks.clear();
        (self.tell)(place, &mut self.chunks);
        Ok(&self.chunks)
    }
}

/// Label pairs from one place and chunks from another: a source.
#[derive(Clone, Debug)]
pub struct Joined<L, C> {
    /// The label pairs of each series.
    pub labels: L,
    /// Their chunks.
    pub chunks: C,
}

impl<L: NumberLists, C: ChunkSource> Source for Joined<L, C> {
    #[inline]
    fn labels(&mut self, place: u64) -> Result<Option<&[u32]>, WriteError> {
        Ok(self.labels.list(place))
    }

    fn count(&mut self, counts: &mut [u32]) -> Option<u64> {
        self.labels.count(counts)
    }

    #[inline]
    fn chunks(&mut self, place: u64) -> Result<&[ChunkMeta], WriteError> {
        self.chunks.chunks(place)
    }
}
