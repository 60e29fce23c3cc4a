//! Adding the entries of an index file to the index.

use std::hash::BuildHasher;

use hashbrown::hash_table;
use manicule_core::idmap::{Entry, GrowError, Growing, Lookup, Seed};
use manicule_format_restic::{BlobKind, Id, IndexForm, entry_len, pack_len};
use manicule_store::context::{Context, OverBudget};

use super::file::{IndexFile, MarkedPack};
use super::{Blobs, Index, IndexPart, Indexed, Pack};
use crate::cache::paged::PagedMap;
use crate::storage::Listed;
use crate::stored::{PackNo, Stored};

/// Memory of an entry, its share of the tables counted.
const ENTRY_BYTES: u64 = 57;

impl Index {
    /// An index of nothing. `seed` is random and secret: ids that somebody has chosen can't collide
    /// under it.
    pub fn empty(seed: u64, indexed: Indexed) -> Self {
        Index::empty_of(Seed::new(seed), indexed)
    }

    /// An index of nothing, to be filled from the same repository as this one.
    pub(crate) fn empty_again(&self) -> Self {
        Index::empty_of(self.seed, Indexed::All)
    }

    pub(super) fn empty_of(seed: Seed, indexed: Indexed) -> Self {
        Index {
            seed,
            indexed,
            packs: Vec::new(),
            by_id: Growing::new(seed),
            data: Blobs::new(seed, None),
            trees: Blobs::new(seed, None),
            files: Vec::new(),
            marked: Vec::new(),
            cached_repeats: 0,
            held: Context::current().hold_nothing(),
        }
    }

    /// An index of what a cache holds: packs by their numbers, data blobs and trees.
    pub(crate) fn of_cache(
        seed: Seed,
        packs: Vec<Pack>,
        [data, trees]: [PagedMap; 2],
        files: Vec<IndexFile>,
        marked: Vec<MarkedPack>,
        cached_repeats: u64,
    ) -> Result<Self, GrowError> {
        let mut by_id = Growing::with_capacity(seed, packs.len())?;
        for (number, pack) in (0..).zip(&packs) {
            by_id.insert(pack.id.0, number)?;
        }
        let [data, trees] = [data, trees].map(|cached| Blobs::new(seed, Some(cached)));
        let indexed = Indexed::All;
        let held = Context::current().hold_nothing();
        Ok(Index { seed, indexed, packs, by_id, data, trees, files, marked, cached_repeats, held })
    }

    /// Adds what a file holds; the numbers of its packs become those of the index. After an error,
    /// which is that there is no room for more, the index is of no use.
    pub fn add(
        &mut self,
        file: &Listed,
        form: IndexForm,
        mut part: IndexPart,
    ) -> Result<(), GrowError> {
        self.files.push(part.summary(file, form));
        let numbers = part.packs.iter().map(|id| self.pack_number(id));
        let numbers: Vec<PackNo> = numbers.collect::<Result<_, _>>()?;
        for entries in [&mut part.data, &mut part.trees, &mut part.untyped] {
            entries.iter_mut().for_each(|entry| {
                entry.value.pack = numbers[entry.value.pack.0 as usize];
            });
        }
        for (kind, entries) in [(BlobKind::Data, &part.data), (BlobKind::Tree, &part.trees)] {
            self.add_entries(kind, entries)?;
        }
        for entry in part.untyped {
            let pack = &mut self.packs[entry.value.pack.0 as usize];
            pack.add(&entry.value);
            pack.untyped_count += 1;
        }
        self.marked.append(&mut part.marked);
        Ok(())
    }

    /// Takes the memory for the entries of a file, before they are added.
    pub(super) fn hold_for(&mut self, part: &IndexPart) -> Result<(), OverBudget> {
        let count = part.data.len() + part.trees.len() + part.untyped.len();
        self.held.raise(self.held.bytes() + count as u64 * ENTRY_BYTES)
    }

    /// Makes the tables ready for what is still to come, if it is as dense as what was read:
    /// growing them step by step would take a tenth of the loading.
    pub(super) fn make_room(&mut self, read_len: u64, to_come: u64) -> Result<(), GrowError> {
        for blobs in [&mut self.data, &mut self.trees] {
            let count = u128::from(blobs.map.len());
            // An id is 32 bytes that don't compress: more entries than that can't be.
            let further = (count * u128::from(to_come) / u128::from(read_len.max(1)))
                .min(u128::from(to_come / 32));
            blobs.map.reserve(further as usize)?;
        }
        Ok(())
    }

    fn pack_number(&mut self, id: &Id) -> Result<PackNo, GrowError> {
        let number = match self.by_id.first(&id.0) {
            Some(number) => number,
            None => {
                let number = self.packs.len() as u32;
                self.by_id.insert(id.0, number)?;
                self.packs.push(Pack::empty(*id));
                number
            }
        };
        self.packs[number as usize].named += 1;
        Ok(PackNo(number))
    }

    fn add_entries(&mut self, kind: BlobKind, entries: &[Entry<Stored>]) -> Result<(), GrowError> {
        let blobs = match kind {
            BlobKind::Data => &mut self.data,
            BlobKind::Tree => &mut self.trees,
        };
        let first = blobs.map.len();
        blobs.map.extend(entries)?;
        let repeats = blobs.repeats_from(first);
        for (number, entry) in (first..).zip(entries) {
            if repeats.binary_search(&number).is_ok() {
                continue;
            }
            self.packs[entry.value.pack.0 as usize].add(&entry.value);
        }
        blobs.repeats.extend(repeats);
        Ok(())
    }
}

impl Blobs {
    /// Among the entries from `first` on, those that equal an earlier one in everything.
    fn repeats_from(&mut self, first: u32) -> Vec<u32> {
        let Blobs { map, further, hasher, .. } = self;
        let equals = |one: u32, other: u32| map.entry(one) == map.entry(other);
        let hash_of = |number: u32| {
            let (id, stored) = map.entry(number);
            hasher.hash_one((id, stored.pack, stored.place))
        };
        let mut is_same = |number: &u32| {
            let number = *number;
            let is_first = map.find(map.entry(number).0).is_some_and(|first| equals(first, number));
            if is_first {
                return true;
            }
            match further.entry(
                hash_of(number),
                |&other| equals(other, number),
                |&other| hash_of(other),
            ) {
                hash_table::Entry::Occupied(_) => true,
                hash_table::Entry::Vacant(place) => {
                    place.insert(number);
                    false
                }
            }
        };
        map.repeated_from(first).filter(|number| is_same(number)).collect()
    }
}

impl Pack {
    fn empty(id: Id) -> Self {
        let (len, header_len) = (pack_len([]), pack_len([]));
        Pack { id, blob_count: 0, untyped_count: 0, len, header_len, named: 0 }
    }

    fn add(&mut self, stored: &Stored) {
        let entry_len = u64::from(entry_len(&stored.place));
        self.blob_count += 1;
        self.header_len += entry_len;
        self.len += entry_len + u64::from(stored.place.len);
    }
}
