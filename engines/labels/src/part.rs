//! A part of a store: a table, and which ids its series have.

use manicule_core::sorted::{Strings, prefix};

use crate::bits::Ranked;
use crate::table::Table;

/// The ids of a table's series.
#[derive(Clone, Debug)]
pub(crate) enum Ids {
    /// One after the other from here on: as they were given.
    From(u32),
    /// Those that were alive when a copy was made.
    Kept(Ranked),
}

/// Series whose ids lie between those of the part before and of the part after.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) table: Table,
    pub(crate) ids: Ids,
    /// Label names in the order of their bytes.
    names: Vec<u32>,
    /// Of each name, its values in the order of their bytes.
    values: Vec<Vec<u32>>,
}

impl Part {
    /// A part without series whose first will have this id.
    pub(crate) fn new(first: u32) -> Self {
        Part::of(Table::default(), Ids::From(first))
    }

    pub(crate) fn of(table: Table, ids: Ids) -> Self {
        Part { table, ids, names: Vec::new(), values: Vec::new() }
    }

    /// The id above all of this part, where the next part begins.
    pub(crate) fn end(&self) -> u32 {
        match &self.ids {
            Ids::From(first) => first + self.table.len(),
            Ids::Kept(kept) => kept.bits().end() as u32,
        }
    }

    /// The id of the series at a place of the table.
    #[inline]
    pub(crate) fn id(&self, place: u32) -> u32 {
        match &self.ids {
            Ids::From(first) => first + place,
            Ids::Kept(kept) => kept.id(place),
        }
    }

    /// The place of an id in the table; `None` if it isn't of this part, or is no more.
    #[inline]
    pub(crate) fn place(&self, id: u32) -> Option<u32> {
        match &self.ids {
            Ids::From(first) => id.checked_sub(*first).filter(|&place| place < self.table.len()),
            Ids::Kept(kept) => kept.place(id),
        }
    }

    /// Brings new names and values into their order. Costs what is new, and a move of the rest.
    pub(crate) fn sort_strings(&mut self) {
        let Part { table, names, values, .. } = self;
        merge_new(table.names(), names);
        values.resize_with(names.len(), Vec::new);
        for (name, order) in values.iter_mut().enumerate() {
            merge_new(table.values(name as u32), order);
        }
    }

    /// The names in order. All of them, if [`Part::sort_strings`] was called after the last one
    /// came.
    pub(crate) fn sorted_names(&self) -> &[u32] {
        &self.names
    }

    /// The values of a name in order.
    pub(crate) fn sorted_values(&self, name: u32) -> &[u32] {
        &self.values[name as usize]
    }

    pub(crate) fn memory_len(&self) -> usize {
        let ids = match &self.ids {
            Ids::From(_) => 0,
            Ids::Kept(kept) => kept.memory_len(),
        };
        let orders = self.values.iter().chain([&self.names]);
        let orders: usize = orders.map(|order| order.capacity() * size_of::<u32>()).sum();
        self.table.memory_len() + ids + orders
    }
}

/// Sorts the strings that `order` doesn't have yet, which are the last ones, and merges them in.
fn merge_new(strings: &impl Strings, order: &mut Vec<u32>) {
    let known = order.len() as u32;
    if known == strings.count() {
        return;
    }
    let mut new: Vec<(u64, u32)> =
        (known..strings.count()).map(|number| (prefix(strings.get(number)), number)).collect();
    new.sort_unstable_by(|left, right| {
        left.0.cmp(&right.0).then_with(|| strings.get(left.1).cmp(strings.get(right.1)))
    });
    let new: Vec<u32> = new.into_iter().map(|(_, number)| number).collect();
    merge(order, &new, |left, right| strings.get(left) < strings.get(right));
}

/// Merges increasing items into increasing items; no two are equal. Gallops, so that a few into
/// many cost few comparisons.
pub(crate) fn merge<T: Copy>(order: &mut Vec<T>, new: &[T], is_less: impl Fn(T, T) -> bool) {
    let mut merged = Vec::with_capacity(order.len() + new.len());
    let mut rest = order.as_slice();
    for &item in new {
        let mut reach = 1;
        while reach < rest.len() && is_less(rest[reach - 1], item) {
            reach *= 2;
        }
        let reach = &rest[..reach.min(rest.len())];
        let smaller = reach.partition_point(|&stood| is_less(stood, item));
        merged.extend_from_slice(&rest[..smaller]);
        merged.push(item);
        rest = &rest[smaller..];
    }
    merged.extend_from_slice(rest);
    *order = merged;
}

#[cfg(test)]
mod tests {
    use super::merge;

    #[test]
    fn merging_is_sorting() {
        for (count, step) in [(0u32, 3u32), (1, 3), (5, 2), (100, 3), (100, 50), (1000, 7)] {
            let mut order: Vec<u32> = (0..count).filter(|number| number % step != 0).collect();
            let new: Vec<u32> =
                (0..count + 9).filter(|number| number % step == 0 || *number >= count).collect();
            merge(&mut order, &new, |left, right| left < right);
            assert!(order.iter().copied().eq(0..count + 9), "{count} {step}");
        }
    }
}
