//! The pairs of a name and a value that series have, each once and in order: a pair's place is its
//! rank.
//!
//! Parts number names and values each by itself, so one pair may have a number in every part. Their
//! strings are in order within each part already; merging them compares each string a few times and
//! hashes none.

use std::ops::Range;

use manicule_core::sorted::Strings;

use crate::bits::Bits;
use crate::part::Part;
use crate::table::varint;

/// A name, and where its pairs begin.
#[derive(Clone, Copy, Debug)]
struct Name {
    part: u32,
    number: u32,
    first: u32,
}

/// Source of the strings of a pair.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source {
    pub(crate) part: u32,
    pub(crate) name: u32,
    pub(crate) value: u32,
}

/// Ranks of the pairs of a part.
#[derive(Clone, Debug, Default)]
struct Ranks {
    /// Of each name, where its values begin in `ranks`.
    starts: Vec<u32>,
    ranks: Vec<u32>,
    /// Number of hidden series with each pair; empty if none is hidden.
    hidden: Vec<u32>,
    /// Of each set of names the `starts` of its names, back to back, and where those of a set end.
    set_starts: Vec<u32>,
    set_ends: Vec<u32>,
}

/// The rank of a pair that no series has that can be found.
const UNUSED: u32 = u32::MAX;

/// See the module.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pairs {
    names: Vec<Name>,
    sources: Vec<Source>,
    parts: Vec<Ranks>,
    /// Parts have come or gone since.
    is_stale: bool,
}

impl Pairs {
    /// Number of pairs.
    pub(crate) fn len(&self) -> u32 {
        self.sources.len() as u32
    }

    pub(crate) fn name_count(&self) -> usize {
        self.names.len()
    }

    /// The part and the number of the name at a place.
    pub(crate) fn name(&self, place: usize) -> (usize, u32) {
        (self.names[place].part as usize, self.names[place].number)
    }

    /// The pairs of the name at a place.
    pub(crate) fn of_name(&self, place: usize) -> Range<u32> {
        let end = self.names.get(place + 1).map_or(self.len(), |next| next.first);
        self.names[place].first..end
    }

    /// Source of the strings of a pair.
    #[inline]
    pub(crate) fn source(&self, rank: u32) -> Source {
        self.sources[rank as usize]
    }

    /// The rank of a part's pair.
    #[inline]
    pub(crate) fn rank(&self, part: usize, name: u32, value: u32) -> u32 {
        let ranks = &self.parts[part];
        ranks.ranks[(ranks.starts[name as usize] + value) as usize]
    }

    /// Appends the ranks of a series: of a part, a set of names, and the values' numbers.
    #[inline]
    pub(crate) fn put_ranks(&self, part: usize, set: u32, mut values: &[u8], out: &mut Vec<u32>) {
        let ranks = &self.parts[part];
        let starts = ranks.set_starts(set);
        out.extend(starts.iter().map(|start| ranks.ranks[(start + varint(&mut values)) as usize]));
    }

    /// For each pair, the number of series that can be found.
    pub(crate) fn count<'p>(&self, parts: impl Iterator<Item = &'p Part>, counts: &mut [u32]) {
        for (part, ranks) in parts.zip(&self.parts) {
            for (pair, count) in ranks.visible_counts(part).enumerate().filter(|pair| pair.1 > 0) {
                counts[ranks.ranks[pair] as usize] += count;
            }
        }
    }

    /// To be called when a part has come or gone.
    pub(crate) fn forget(&mut self) {
        self.is_stale = true;
    }

    /// Whether all pairs of these parts are ranked.
    pub(crate) fn is_current<'p>(&self, parts: impl Iterator<Item = &'p Part>) -> bool {
        let counts = self.parts.iter().map(|ranks| (ranks.ranks.len(), ranks.set_ends.len()));
        let tables = parts.map(|part| &part.table);
        !self.is_stale
            && tables.map(|table| (table.pair_count(), table.sets().count() as usize)).eq(counts)
    }

    /// Ranks the pairs of parts whose strings are sorted, unless that is done already. Pairs that
    /// only hidden series have get no rank.
    pub(crate) fn update(&mut self, parts: &[&Part], hidden: &Bits) {
        if self.is_current(parts.iter().copied()) {
            return;
        }
        let ranks = parts.iter().map(|part| Ranks::new(part, hidden)).collect();
        *self = Pairs { parts: ranks, ..Self::default() };
        let names: Vec<&[u32]> = parts.iter().map(|part| part.sorted_names()).collect();
        let name = |part: usize, number| parts[part].table.names().get(number);
        unite(&names, name, |group| self.add_name(parts, group));
    }

    /// The values of a name, which these parts know by these numbers.
    fn add_name(&mut self, parts: &[&Part], group: &[(usize, u32)]) {
        let first = self.len();
        let values: Vec<&[u32]> =
            group.iter().map(|&(part, name)| parts[part].sorted_values(name)).collect();
        let value = |place: usize, number| {
            let (part, name) = group[place];
            parts[part].table.values(name).get(number)
        };
        unite(&values, value, |equal| {
            let is_used = |&(place, value): &(usize, u32)| {
                let (part, name) = group[place];
                self.parts[part].is_visible(parts[part], name, value)
            };
            if !equal.iter().any(is_used) {
                return;
            }
            let rank = self.len();
            for &(place, value) in equal {
                let (part, name) = group[place];
                let ranks = &mut self.parts[part];
                ranks.ranks[(ranks.starts[name as usize] + value) as usize] = rank;
            }
            let &(place, value) = equal.first().expect("a group has a member");
            let (part, name) = group[place];
            self.sources.push(Source { part: part as u32, name, value });
        });
        if first < self.len() {
            let &(part, number) = group.first().expect("a group has a member");
            self.names.push(Name { part: part as u32, number, first });
        }
    }

    pub(crate) fn memory_len(&self) -> usize {
        let ranks = |part: &Ranks| {
            let Ranks { starts, ranks, hidden, set_starts, set_ends } = part;
            let all = [starts, ranks, hidden, set_starts, set_ends];
            all.iter().map(|numbers| numbers.capacity() * size_of::<u32>()).sum::<usize>()
        };
        let parts: usize = self.parts.iter().map(ranks).sum();
        parts
            + self.names.capacity() * size_of::<Name>()
            + self.sources.capacity() * size_of::<Source>()
    }
}

impl Ranks {
    fn new(part: &Part, hidden: &Bits) -> Self {
        let table = &part.table;
        let mut ranks = Ranks::default();
        let mut end = 0;
        for name in 0..table.names().count() {
            ranks.starts.push(end);
            end += table.values(name).count();
        }
        ranks.ranks = vec![UNUSED; end as usize];
        for set in 0..table.sets().count() {
            let starts = table.set_names(set).map(|name| ranks.starts[name as usize]);
            ranks.set_starts.extend(starts);
            ranks.set_ends.push(ranks.set_starts.len() as u32);
        }
        ranks.count_hidden(part, hidden);
        ranks
    }

    fn count_hidden(&mut self, part: &Part, hidden: &Bits) {
        for place in hidden.iter().filter_map(|id| part.place(id)) {
            self.hidden.resize(self.ranks.len(), 0);
            for (name, value) in part.table.row(place) {
                self.hidden[(self.starts[name as usize] + value) as usize] += 1;
            }
        }
    }

    #[inline]
    fn set_starts(&self, set: u32) -> &[u32] {
        let set = set as usize;
        let start = if set == 0 { 0 } else { self.set_ends[set - 1] };
        &self.set_starts[start as usize..self.set_ends[set] as usize]
    }

    /// For each pair, in the order of `ranks`, the number of series that can be found.
    fn visible_counts(&self, part: &Part) -> impl Iterator<Item = u32> {
        let names = 0..part.table.names().count();
        let counts = names.flat_map(|name| part.table.value_counts(name));
        counts.enumerate().map(|(pair, count)| count - self.hidden.get(pair).copied().unwrap_or(0))
    }

    /// Whether a series that can be found has a pair.
    fn is_visible(&self, part: &Part, name: u32, value: u32) -> bool {
        let hidden = self.hidden.get((self.starts[name as usize] + value) as usize);
        part.table.value_count(name, value) > hidden.copied().unwrap_or(0)
    }
}

/// Walks through sorted lists at once. Each string is given once, with the lists that have it and
/// their numbers for it.
fn unite<'s>(
    lists: &[&[u32]],
    string: impl Fn(usize, u32) -> &'s [u8],
    mut each: impl FnMut(&[(usize, u32)]),
) {
    if let [only] = lists {
        return only.iter().for_each(|&number| each(&[(0, number)]));
    }
    let mut rest = lists.to_vec();
    let mut group: Vec<(usize, u32)> = Vec::with_capacity(lists.len());
    loop {
        let mut least: Option<&[u8]> = None;
        for (list, rest) in rest.iter().enumerate() {
            let Some(&number) = rest.first() else { continue };
            let head = string(list, number);
            let order = least.map_or(std::cmp::Ordering::Less, |least| head.cmp(least));
            if order.is_lt() {
                group.clear();
                least = Some(head);
            }
            if order.is_le() {
                group.push((list, number));
            }
        }
        if least.is_none() {
            return;
        }
        group.iter().for_each(|&(list, _)| rest[list] = &rest[list][1..]);
        each(&group);
    }
}
