//! Reading a store: series in order, names and values in order, and who has them.

use std::ops::Range;

use manicule_core::postings::DocSet;
use manicule_core::sorted::Strings;

use crate::id::SeriesId;
use crate::part::Part;
use crate::store::LabelStore;
use crate::table::Label;

/// A store with everything in order, as long as nothing is inserted. See [`LabelStore::view`].
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    store: &'a LabelStore,
}

impl LabelStore {
    /// Sorts what came since the last view, and gives the means to read.
    pub fn view(&mut self) -> View<'_> {
        self.settle();
        View { store: self }
    }
}

impl<'a> View<'a> {
    /// The view of a store that is settled.
    pub(crate) fn of(store: &'a LabelStore) -> Self {
        View { store }
    }

    /// The store.
    pub fn store(&self) -> &'a LabelStore {
        self.store
    }

    /// All series in the order of their labels.
    pub fn sorted(&self) -> impl ExactSizeIterator<Item = SeriesId> + use<'a> {
        self.store.order.ids().iter().copied()
    }

    /// Whether a series can be found.
    pub fn contains(&self, id: SeriesId) -> bool {
        self.store.can_find(id)
    }

    /// Sorts series by their labels.
    ///
    /// # Panics
    /// If a series can't be found in the store.
    pub fn sort(&self, ids: &mut [SeriesId]) {
        let order = &self.store.order;
        if order.sorts_by_places(ids.len()) {
            let places = order.places();
            return ids.sort_unstable_by_key(|id| places[id.0 as usize]);
        }
        self.store.sort(ids);
    }

    /// The label names that series have, in order.
    pub fn names(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let view = *self;
        (0..view.store.pairs.name_count()).map(move |place| view.name(place))
    }

    /// The values of a label name that begin with `prefix`, in order. Costs the search for the
    /// first, and what it gives.
    pub fn values(
        &self,
        name: &[u8],
        prefix: &'a [u8],
    ) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let view = *self;
        view.ranks(name, prefix).map(move |rank| view.value(rank))
    }

    /// The series with a value, increasing.
    pub fn with_value(
        &self,
        name: &[u8],
        value: &[u8],
    ) -> impl Iterator<Item = SeriesId> + use<'a> {
        let view = *self;
        let places = view.store.parts().map(|part| {
            let name = part.table.names().find(name)?;
            Some((name, part.table.values(name).find(value)?))
        });
        let places: Vec<Option<(u32, u32)>> = places.collect();
        let parts = view.store.parts().zip(places);
        parts.filter_map(|(part, label)| Some((part, label?))).flat_map(move |(part, label)| {
            view.visible(part, part.table.with_value(label.0, label.1))
        })
    }

    /// The series that have a label with this name, increasing.
    pub fn with_name(&self, name: &[u8]) -> Vec<SeriesId> {
        let mut ids = Vec::new();
        for part in self.store.parts() {
            let Some(name) = part.table.names().find(name) else { continue };
            let mut places = DocSet::empty(part.table.len());
            for (mut names, list) in part.table.with_sets() {
                if names.any(|member| member == name) {
                    list.for_each(|place| places.insert(place));
                }
            }
            ids.extend(self.visible(part, places.iter()));
        }
        ids
    }

    /// The series that have a value of a name that begins with `prefix` and that `is_wanted` takes,
    /// increasing.
    ///
    /// `is_wanted` is asked once for each value, in order: a regular expression, for example, whose
    /// matches all begin with `prefix`.
    pub fn with_values(
        &self,
        name: &[u8],
        prefix: &[u8],
        mut is_wanted: impl FnMut(&[u8]) -> bool,
    ) -> Vec<SeriesId> {
        let values = self.ranks(name, prefix).map(|rank| self.value(rank));
        let values: Vec<&[u8]> = values.filter(|value| is_wanted(value)).collect();
        let mut ids = Vec::new();
        for part in self.store.parts() {
            let Some(name) = part.table.names().find(name) else { continue };
            let mut places = DocSet::empty(part.table.len());
            for value in values.iter().filter_map(|value| part.table.values(name).find(value)) {
                part.table.with_value(name, value).for_each(|place| places.insert(place));
            }
            ids.extend(self.visible(part, places.iter()));
        }
        ids
    }

    /// The labels of a series. See [`LabelStore::labels`].
    pub fn labels(&self, id: SeriesId) -> impl ExactSizeIterator<Item = Label<'a>> + use<'a> {
        self.store.labels(id)
    }

    /// Number of distinct pairs of a name and a value.
    pub fn pair_count(&self) -> u32 {
        self.store.pairs.len()
    }

    /// The pairs of a series, increasing: a pair's number is its place in the order of names and
    /// values.
    ///
    /// # Panics
    /// If the series can't be found in the store.
    #[inline]
    pub fn pairs(&self, id: SeriesId) -> impl ExactSizeIterator<Item = u32> + use<'a> {
        assert!(self.contains(id), "a series that can be found");
        self.store.ranks(id)
    }

    /// The strings of a pair.
    pub fn pair(&self, pair: u32) -> Label<'a> {
        let source = self.store.pairs.source(pair);
        self.store.part(source.part as usize).table.label(source.name, source.value)
    }

    fn visible<P: Iterator<Item = u32>>(
        &self,
        part: &'a Part,
        places: P,
    ) -> impl Iterator<Item = SeriesId> + use<'a, P> {
        let store = self.store;
        let ids = places.map(|place| part.id(place));
        ids.filter(|&id| store.is_visible(id)).map(SeriesId)
    }

    pub(crate) fn name(&self, place: usize) -> &'a [u8] {
        let (part, number) = self.store.pairs.name(place);
        self.store.part(part).table.names().get(number)
    }

    fn value(&self, rank: u32) -> &'a [u8] {
        self.pair(rank).1
    }

    /// The pairs of a name whose values begin with `prefix`.
    fn ranks(&self, name: &[u8], prefix: &[u8]) -> Range<u32> {
        let (mut low, mut high) = (0, self.store.pairs.name_count());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.name(middle) < name { low = middle + 1 } else { high = middle }
        }
        if low == self.store.pairs.name_count() || self.name(low) != name {
            return 0..0;
        }
        let all = self.store.pairs.of_name(low);
        let start = partition(all.clone(), |rank| self.value(rank) < prefix);
        let end = partition(start..all.end, |rank| self.value(rank).starts_with(prefix));
        start..end
    }
}

/// The first of the range for which `is_before` no longer holds.
fn partition(range: Range<u32>, is_before: impl Fn(u32) -> bool) -> u32 {
    let (mut low, mut high) = (range.start, range.end);
    while low < high {
        let middle = low + (high - low) / 2;
        if is_before(middle) { low = middle + 1 } else { high = middle }
    }
    low
}
