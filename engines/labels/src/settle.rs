//! The order of a store's series brought up to date: new ones sorted by the ranks of their labels,
//! then merged in.

use std::sync::OnceLock;

use crate::id::SeriesId;
use crate::order::Order;
use crate::part::merge;
use crate::store::LabelStore;

/// Maximum number of equal labels of series sorted as numbers: each few of them take a call more,
/// and a pass over the labels before.
const SORTED_DEPTH_MAX: usize = 64;

/// Place of a series' row: its part, and the bytes of its table's rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowPlace {
    part: u32,
    start: u32,
    end: u32,
}

impl LabelStore {
    /// Brings everything that reading in order needs up to date. [`LabelStore::view`] does so too.
    pub fn settle(&mut self) {
        self.open.sort_strings();
        let mut pairs = std::mem::take(&mut self.pairs);
        let parts: Vec<_> = self.parts().collect();
        pairs.update(&parts, &self.hidden);
        self.pairs = pairs;
        let next = self.next_id().0;
        if self.order.after == next {
            return;
        }
        let mut new = self.visible_from(self.order.after);
        self.sort(&mut new);
        let mut ids = std::mem::take(&mut self.order.ids);
        merge(&mut ids, &new, |left, right| self.is_before(left, right));
        self.order = Order { ids, after: next, places: OnceLock::new() };
    }

    /// Whether nothing has changed since the store was settled.
    pub(crate) fn is_settled(&self) -> bool {
        self.order.after == self.next_id().0 && self.pairs.is_current(self.parts())
    }

    /// The series that can be found whose ids are `first` or larger, increasing.
    fn visible_from(&self, first: u32) -> Vec<SeriesId> {
        let mut ids = Vec::new();
        for part in self.parts().filter(|part| part.end() > first) {
            let all = (0..part.table.len()).map(|place| part.id(place));
            ids.extend(all.filter(|&id| id >= first && self.is_visible(id)).map(SeriesId));
        }
        ids
    }

    /// The ranks of a series' labels, whose order is that of the series.
    #[inline]
    pub(crate) fn ranks(&self, SeriesId(id): SeriesId) -> impl ExactSizeIterator<Item = u32> {
        let place = self.part_of(id);
        let part = self.part(place);
        let row = part.table.row(part.place(id).expect("an id of this store"));
        row.map(move |(name, value)| self.pairs.rank(place, name, value))
    }

    /// Places of the rows of many series. Step by step for all of them: no look into memory waits
    /// for that of another series.
    pub(crate) fn find_rows(&self, ids: &[SeriesId], rows: &mut Vec<RowPlace>) {
        rows.clear();
        rows.extend(ids.iter().map(|&SeriesId(id)| {
            let part = self.part_of(id);
            let place = self.part(part).place(id).expect("an id of this store");
            RowPlace { part: part as u32, start: place, end: 0 }
        }));
        for row in rows.iter_mut() {
            let bounds = self.part(row.part as usize).table.row_bounds(row.start);
            (row.start, row.end) = (bounds.start, bounds.end);
        }
        let touched = rows.iter().fold(0, |touched, row| {
            touched ^ self.part(row.part as usize).table.rows()[row.start as usize]
        });
        std::hint::black_box(touched);
    }

    /// Appends the [`LabelStore::ranks`] of a series whose row was found.
    #[inline]
    pub(crate) fn put_ranks(&self, row: &RowPlace, ranks: &mut Vec<u32>) {
        let part = row.part as usize;
        let (set, values) = self.part(part).table.set_and_values(row.start..row.end);
        self.pairs.put_ranks(part, set, values, ranks);
    }

    fn is_before(&self, left: SeriesId, right: SeriesId) -> bool {
        self.ranks(left).lt(self.ranks(right))
    }

    /// Sorts series by their labels.
    ///
    /// As many ranks as fit are packed into 64 bits and sorted as one number; runs that are equal
    /// so far take the next ranks, and after many labels are compared one by one.
    pub(crate) fn sort(&self, ids: &mut [SeriesId]) {
        let mut keyed: Vec<(u64, SeriesId)> = ids.iter().map(|&id| (0, id)).collect();
        let rank_bits = u32::BITS - (self.pairs.len() + 1).leading_zeros();
        self.sort_run(&mut keyed, 0, rank_bits);
        ids.iter_mut().zip(keyed).for_each(|(place, (_, id))| *place = id);
    }

    /// Sorts series whose first `depth` labels are equal.
    fn sort_run(&self, run: &mut [(u64, SeriesId)], depth: usize, rank_bits: u32) {
        if depth >= SORTED_DEPTH_MAX {
            let rest = |id| self.ranks(id).skip(depth);
            return run.sort_unstable_by(|left, right| rest(left.1).cmp(rest(right.1)));
        }
        let rank_count = u64::BITS / rank_bits;
        for (key, id) in run.iter_mut() {
            let mut ranks = self.ranks(*id).skip(depth);
            // 0 is the end of a series: the shorter one comes first.
            *key = (0..rank_count).fold(0, |key, _| {
                key << rank_bits | ranks.next().map_or(0, |rank| u64::from(rank) + 1)
            });
        }
        run.sort_unstable();
        for equal in run.chunk_by_mut(|left, right| left.0 == right.0) {
            // No two series are equal, so one of those whose labels have come to an end is alone.
            if equal.len() > 1 {
                self.sort_run(equal, depth + rank_count as usize, rank_bits);
            }
        }
    }
}
