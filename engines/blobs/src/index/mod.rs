//! The index in memory: every stored blob with its place, from all index files.
//!
//! An entry is 48 bytes: id, pack, offset, stored length, length of the plaintext. Data blobs and
//! trees have a map each, as the same id may name one of each. Entries are numbered in the order of
//! index files by their ids, and in a file as they come, so that every conclusion that depends on
//! an order is the same each time.
//!
//! Bytes:   docs/formats/restic.md, "Index files"

mod add;
mod file;
mod kinds;
mod load;
mod part;

use std::hash::RandomState;

use hashbrown::HashTable;
use manicule_core::idmap::{Growing, IdBytes, Lookup, Seed};
use manicule_format_restic::{BlobKind, Id, Place};
use manicule_store::context::Held;

use crate::cache::paged::PagedMap;
use crate::error::RepoError;
use crate::stored::Stored;

pub use file::{IndexFile, MarkedPack};
pub use kinds::PackKind;
pub use load::{read_files, read_listed};
pub use part::{IndexPart, Indexed};

pub use crate::stored::PackNo;

/// A pack that index files name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pack {
    /// Its id.
    pub id: Id,
    /// Number of its blobs.
    pub blob_count: u32,
    /// Those of its blobs that have no type: to restic the pack is mixed then.
    pub untyped_count: u32,
    /// Length of its file, as its blobs make it.
    pub len: u64,
    /// Length of its header with the envelope and the length behind it.
    pub header_len: u64,
    /// Number of times that index files name it.
    pub named: u32,
}

/// A blob at one of its places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// The pack.
    pub pack: PackNo,
    /// The place in it.
    pub place: Place,
}

/// Entries of one kind.
#[derive(Debug)]
pub(crate) struct Blobs {
    /// Those that a cache holds; they come before the others.
    cached: Option<PagedMap>,
    map: Growing<Stored>,
    /// Numbers of entries that equal an earlier one in everything, rising: index files that list a
    /// pack once more.
    repeats: Vec<u32>,
    /// Further places of blobs: entries whose id came before, and that equal no earlier one.
    further: HashTable<u32>,
    /// Seeded: who writes an index file can't make entries collide in `further`.
    hasher: RandomState,
}

/// All entries of all index files.
#[derive(Debug)]
pub struct Index {
    seed: Seed,
    indexed: Indexed,
    packs: Vec<Pack>,
    by_id: Growing<u32>,
    data: Blobs,
    trees: Blobs,
    files: Vec<IndexFile>,
    marked: Vec<MarkedPack>,
    /// Entries of a cache that equal an earlier one in everything: it leaves them out.
    cached_repeats: u64,
    /// Memory of the entries that no cache holds.
    held: Held,
}

impl Index {
    /// The packs, by their numbers.
    pub fn packs(&self) -> &[Pack] {
        &self.packs
    }

    /// A pack.
    pub fn pack(&self, pack: PackNo) -> &Pack {
        &self.packs[pack.0 as usize]
    }

    /// The number of a pack.
    pub fn find_pack(&self, id: &Id) -> Option<PackNo> {
        self.by_id.first(&id.0).map(PackNo)
    }

    /// The files that it was read from, ordered by id.
    pub fn files(&self) -> &[IndexFile] {
        &self.files
    }

    /// Packs that are marked for deletion.
    pub fn marked(&self) -> &[MarkedPack] {
        &self.marked
    }

    /// Number of entries, repeated ones among them.
    pub fn entry_count(&self) -> u64 {
        let ends = [&self.data, &self.trees].map(|blobs| blobs.numbers_end() as u64);
        ends.iter().sum::<u64>() + self.cached_repeats
    }

    /// Fails if a page of the cache was broken and could not be mended from the repository: then
    /// answers that the index has given may lack something. To be asked after the last of them.
    pub fn check_cache(&self) -> Result<(), RepoError> {
        match [&self.data, &self.trees]
            .iter()
            .find_map(|blobs| blobs.cached.as_ref()?.pages().trouble())
        {
            Some(why) => Err(RepoError::Cache { why: why.to_owned() }),
            None => Ok(()),
        }
    }

    /// Whether a blob is stored.
    pub fn has(&self, kind: BlobKind, id: &Id) -> bool {
        self.of(kind).number(id).is_some()
    }

    /// The places of a blob, in the order of their entries.
    pub fn places(&self, kind: BlobKind, id: &Id) -> impl Iterator<Item = Found> {
        let blobs = self.of(kind);
        blobs.numbers(id).map(|number| {
            let Stored { pack, place } = blobs.entry(number).1;
            Found { pack, place }
        })
    }

    /// All blobs of a kind with their places, in the order of their entries. A blob that is stored
    /// twice comes twice.
    pub fn blobs(&self, kind: BlobKind) -> impl Iterator<Item = (Id, Found)> {
        let entries = self.of(kind).entries();
        entries.map(|(_, id, Stored { pack, place })| (id, Found { pack, place }))
    }

    /// Numbers of a blob's entries, those that repeat another left out.
    pub(crate) fn entry_numbers(&self, kind: BlobKind, id: &Id) -> impl Iterator<Item = u32> {
        self.of(kind).numbers(id)
    }

    pub(crate) fn of(&self, kind: BlobKind) -> &Blobs {
        match kind {
            BlobKind::Data => {
                assert!(self.indexed == Indexed::All, "an index of trees knows no data blob");
                &self.data
            }
            BlobKind::Tree => &self.trees,
        }
    }
}

impl Blobs {
    fn new(seed: Seed, cached: Option<PagedMap>) -> Self {
        let (repeats, further, hasher) = (Vec::new(), HashTable::new(), RandomState::new());
        Blobs { cached, map: Growing::new(seed), repeats, further, hasher }
    }

    /// The number of the first entry that no cache holds.
    fn map_start(&self) -> u32 {
        self.cached.as_ref().map_or(0, PagedMap::len)
    }

    /// Above every number of an entry.
    pub(crate) fn numbers_end(&self) -> usize {
        self.map_start() as usize + self.map.len() as usize
    }

    /// The number by which a blob goes: that of its first entry.
    pub(crate) fn number(&self, id: &Id) -> Option<u32> {
        let cached = self.cached.as_ref().and_then(|cached| cached.find(&id.0));
        cached.or_else(|| Some(self.map_start() + self.map.find(&id.0)?))
    }

    /// [`Blobs::number`] for many ids: `visit` receives the place of each, in order, and its
    /// number.
    pub(crate) fn find_each(&self, ids: &[IdBytes], mut visit: impl FnMut(usize, Option<u32>)) {
        match &self.cached {
            None => self.map.find_each(ids, visit),
            Some(cached) if self.map.is_empty() => cached.find_each(ids, visit),
            Some(_) => {
                ids.iter().enumerate().for_each(|(at, id)| visit(at, self.number(&Id(*id))));
            }
        }
    }

    /// Numbers of a blob's entries, those that repeat another left out.
    fn numbers(&self, id: &Id) -> impl Iterator<Item = u32> {
        let (start, cached) = (self.map_start(), self.cached.as_ref());
        let grown =
            self.map.find_all(&id.0).filter(|number| self.repeats.binary_search(number).is_err());
        let cached = cached.map_or(0..0, |cached| cached.numbers(&id.0));
        cached.chain(grown.map(move |number| start + number))
    }

    /// The id and place of an entry.
    pub(crate) fn entry(&self, number: u32) -> (Id, Stored) {
        let (id, stored) = match (&self.cached, number.checked_sub(self.map_start())) {
            (Some(cached), None) => cached.entry(number),
            (_, number) => self.map.entry(number.unwrap_or(0)),
        };
        (Id(*id), stored)
    }

    /// All entries in the order of index files, with their numbers, those that repeat another left
    /// out.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (u32, Id, Stored)> {
        let in_cache = self.cached.iter().flat_map(|cached| {
            cached.in_order().iter().map(|&number| {
                let (id, stored) = cached.entry(number);
                (number, Id(*id), stored)
            })
        });
        let start = self.map_start();
        in_cache
            .chain(self.grown().map(move |(number, id, stored)| (start + number, Id(*id), stored)))
    }

    /// The same, each after the number by which its blob goes. Only entries that may share their id
    /// are looked up.
    pub(crate) fn entries_by_blob(&self) -> impl Iterator<Item = (u32, u32, Id, Stored)> {
        let repeated: Vec<u32> = self.map.repeated_from(0).collect();
        self.entries().map(move |(number, id, stored)| {
            let is_first = match &self.cached {
                None => repeated.binary_search(&number).is_err(),
                // Ordered by ids.
                Some(cached) => {
                    number < cached.len()
                        && number
                            .checked_sub(1)
                            .is_none_or(|before| *cached.entry(before).0 != id.0)
                }
            };
            let first = if is_first { None } else { self.number(&id) };
            (first.unwrap_or(number), number, id, stored)
        })
    }

    /// Entries that no cache holds, those that repeat another left out.
    pub(crate) fn grown(&self) -> impl Iterator<Item = (u32, &IdBytes, Stored)> + Clone {
        let mut repeats = self.repeats.iter().peekable();
        (0..).zip(self.map.iter()).filter_map(move |(number, (id, stored))| {
            repeats.next_if_eq(&&number).is_none().then_some((number, id, stored))
        })
    }

    /// Number of those that repeat another.
    pub(crate) fn repeat_count(&self) -> usize {
        self.repeats.len()
    }
}
