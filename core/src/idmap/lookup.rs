//! Questions to a map from ids to values, whatever its shape.

/// What things are known by: 32 bytes, mostly a SHA-256.
pub type IdBytes = [u8; 32];

/// Entries with numbers from 0, found by their ids. Several entries may have one id.
///
/// Numbers are dense and stay as they are, so that a caller can keep a bit or a word for each entry
/// beside the map.
pub trait Lookup {
    /// What an id stands for.
    type Value: Copy;

    /// Number of entries.
    fn len(&self) -> u32;

    /// The id and the value of an entry.
    ///
    /// # Panics
    /// If there is none of that number.
    fn entry(&self, number: u32) -> (&IdBytes, Self::Value);

    /// The number of an id's first entry.
    fn find(&self, id: &IdBytes) -> Option<u32>;

    /// The numbers of all entries of an id, in the order in which they were added.
    fn find_all(&self, id: &IdBytes) -> impl Iterator<Item = u32>;

    /// [`Lookup::find`] for many ids: `visit` receives the place of each in `ids`, in order, and
    /// its number. Memory is loaded for several ids at once, which takes little more than half the
    /// time of asking for one after the other.
    fn find_each(&self, ids: &[IdBytes], visit: impl FnMut(usize, Option<u32>));

    /// All entries in the order of their numbers.
    fn iter(&self) -> impl ExactSizeIterator<Item = (&IdBytes, Self::Value)> + Clone;

    /// Whether there are no entries.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether an id has an entry.
    #[inline]
    fn contains(&self, id: &IdBytes) -> bool {
        self.find(id).is_some()
    }

    /// The value of an id's first entry.
    #[inline]
    fn first(&self, id: &IdBytes) -> Option<Self::Value> {
        self.find(id).map(|number| self.entry(number).1)
    }

    /// The values of an id, in the order in which they were added.
    #[inline]
    fn all(&self, id: &IdBytes) -> impl Iterator<Item = Self::Value> {
        self.find_all(id).map(move |number| self.entry(number).1)
    }

    /// [`Lookup::first`] for many ids, appended in their order, as fast as [`Lookup::find_each`].
    fn batch(&self, ids: &[IdBytes], out: &mut Vec<Option<Self::Value>>) {
        out.reserve(ids.len());
        self.find_each(ids, |_, number| out.push(number.map(|number| self.entry(number).1)));
    }
}

/// Number of ids for which memory is loaded at once: more than a processor has requests under way
/// (10 to 48).
pub(super) const GROUP_LEN: usize = 32;
