//! A map from ids to values that grows: entries in the order in which they were added, found by a
//! seeded hash.

use super::blocks::Blocks;
use super::lookup::GROUP_LEN;
use super::prefetch::prefetch;
use super::repeats::Repeats;
use super::table::{Glance, Table};
use super::{GrowError, IdBytes, Lookup, Seed};

/// An id and what it stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Entry<V> {
    /// The id.
    pub id: IdBytes,
    /// Its value.
    pub value: V,
}

/// Entries that never move, in blocks without pointers, and a table of their numbers. See the
/// [module](super) for what it costs.
///
/// An entry is added whatever there is: an id may have any number of entries, each of them found,
/// and a million entries of one id cost no more than a million ids.
#[derive(Debug)]
pub struct Growing<V> {
    seed: Seed,
    entries: Blocks<Entry<V>>,
    /// The first entry of each id.
    table: Table,
    repeats: Repeats,
}

impl<V: Copy> Growing<V> {
    /// An empty map; it takes no memory until something is added. Maps with the same seed may be
    /// many.
    pub fn new(seed: Seed) -> Self {
        let (table, repeats) = (Table::default(), Repeats::default());
        Growing { seed, entries: Blocks::new(), table, repeats }
    }

    /// An empty map with room for a number of entries ([`Growing::reserve`]).
    pub fn with_capacity(seed: Seed, count: usize) -> Result<Self, GrowError> {
        let mut map = Growing::new(seed);
        map.reserve(count)?;
        Ok(map)
    }

    /// Makes the table ready for a number of further entries: 6.4 bytes for each are taken at once.
    /// Entries themselves get their blocks as they come. A count that somebody else claims has to
    /// be bounded by the bytes that it came with.
    pub fn reserve(&mut self, further_count: usize) -> Result<(), GrowError> {
        let wanted = self.table.count().saturating_add(further_count);
        if wanted <= self.table.room() {
            return Ok(());
        }
        self.rebuild(wanted)
    }

    /// Makes room in the table for further entries, and for more of them than asked: in all, an
    /// entry is placed again two to three times.
    #[inline]
    fn make_room(&mut self, further_count: usize) -> Result<(), GrowError> {
        let wanted = self.table.count() + further_count;
        if wanted <= self.table.room() {
            return Ok(());
        }
        self.rebuild(wanted.max(self.table.room_after()))
    }

    /// Places all entries in a new table. They are read in their order; only the table is written
    /// at random.
    #[cold]
    fn rebuild(&mut self, count: usize) -> Result<(), GrowError> {
        let mut table = Table::with_room_for(count)?;
        let mut repeated = self.repeats.numbers().peekable();
        let mut group = [(0, 0); GROUP_LEN];
        let mut group_len = 0;
        for (number, entry) in (0..).zip(self.entries.iter()) {
            if repeated.next_if_eq(&number).is_some() {
                continue;
            }
            let hash = self.seed.hash(&entry.id);
            table.prefetch(hash);
            group[group_len] = (hash, number);
            group_len += 1;
            if group_len == GROUP_LEN {
                place(&mut table, &group);
                group_len = 0;
            }
        }
        place(&mut table, &group[..group_len]);
        self.table = table;
        Ok(())
    }

    /// Adds an entry, and gives its number. If its id is there already, it comes after the others
    /// of that id.
    #[inline]
    pub fn insert(&mut self, id: IdBytes, value: V) -> Result<u32, GrowError> {
        self.make_room(1)?;
        let hash = self.seed.hash(&id);
        self.insert_hashed(hash, Entry { id, value })
    }

    #[inline(always)]
    fn insert_hashed(&mut self, hash: u64, entry: Entry<V>) -> Result<u32, GrowError> {
        let number = self.entries.make_room()?;
        let entries = &self.entries;
        let is = |other: u32| entries.get(other).id == entry.id;
        if let Some(first) = self.table.find_or_add(hash, number, is) {
            self.repeats.add(first, number)?;
        }
        self.entries.push(entry);
        Ok(number)
    }

    /// [`Growing::insert`] for many entries, in less than half the time. After an error the first
    /// of them are there.
    pub fn extend(&mut self, entries: &[Entry<V>]) -> Result<(), GrowError> {
        self.make_room(entries.len())?;
        let mut hashes = [0; GROUP_LEN];
        for group in entries.chunks(GROUP_LEN) {
            for (hash, entry) in hashes.iter_mut().zip(group) {
                *hash = self.seed.hash(&entry.id);
                self.table.prefetch(*hash);
            }
            for (&hash, &entry) in hashes.iter().zip(group) {
                self.insert_hashed(hash, entry)?;
            }
        }
        Ok(())
    }

    /// Adds all entries of another map, in their order. After an error the first of them are there.
    pub fn append(&mut self, other: &Growing<V>) -> Result<(), GrowError> {
        self.make_room(other.table.count())?;
        other.entries.slices().try_for_each(|block| self.extend(block))
    }

    /// Numbers of the entries whose id an earlier one has, from a number on, rising.
    pub fn repeated_from(&self, number: u32) -> impl Iterator<Item = u32> {
        self.repeats.from(number)
    }

    /// Memory held, in bytes.
    pub fn memory(&self) -> usize {
        self.entries.memory() + self.table.memory() + self.repeats.memory()
    }

    #[inline(always)]
    fn find_hashed(&self, hash: u64, id: &IdBytes) -> Option<u32> {
        self.table.find(hash, |number| self.entries.get(number).id == *id)
    }
}

/// Adds entries that aren't in the table.
#[inline]
fn place(table: &mut Table, group: &[(u64, u32)]) {
    for &(hash, number) in group {
        table.add(hash, number);
    }
}

impl<V: Copy> Lookup for Growing<V> {
    type Value = V;

    fn len(&self) -> u32 {
        self.entries.count()
    }

    #[inline]
    fn entry(&self, number: u32) -> (&IdBytes, V) {
        let entry = self.entries.get(number);
        (&entry.id, entry.value)
    }

    #[inline]
    fn find(&self, id: &IdBytes) -> Option<u32> {
        self.find_hashed(self.seed.hash(id), id)
    }

    #[inline]
    fn find_all(&self, id: &IdBytes) -> impl Iterator<Item = u32> {
        let first = self.find(id);
        let repeats = first.map(|first| self.repeats.of(first));
        first.into_iter().chain(repeats.into_iter().flatten())
    }

    fn find_each(&self, ids: &[IdBytes], mut visit: impl FnMut(usize, Option<u32>)) {
        let (mut hashes, mut glances) = ([0; GROUP_LEN], [Glance::Absent; GROUP_LEN]);
        let mut candidates: [Option<&Entry<V>>; GROUP_LEN] = [None; GROUP_LEN];
        for (group_at, group) in ids.chunks(GROUP_LEN).enumerate() {
            for (hash, id) in hashes.iter_mut().zip(group) {
                *hash = self.seed.hash(id);
                self.table.prefetch(*hash);
            }
            for (at, &hash) in hashes[..group.len()].iter().enumerate() {
                glances[at] = self.table.glance(hash);
                if let Glance::Perhaps(number) = glances[at] {
                    let entry = self.entries.get(number);
                    prefetch(entry);
                    candidates[at] = Some(entry);
                }
            }
            for (at, id) in group.iter().enumerate() {
                let found = match (glances[at], candidates[at]) {
                    (Glance::Absent, _) => None,
                    (Glance::Perhaps(number), Some(entry)) if entry.id == *id => Some(number),
                    _ => self.find_hashed(hashes[at], id),
                };
                visit(group_at * GROUP_LEN + at, found);
            }
        }
    }

    #[inline]
    fn iter(&self) -> impl ExactSizeIterator<Item = (&IdBytes, V)> + Clone {
        self.entries.iter().map(|entry| (&entry.id, entry.value))
    }
}
