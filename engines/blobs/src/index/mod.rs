//! The index in memory: every stored blob with its place, from all index files.
//!
//! An entry is 48 bytes: id, pack, offset, stored length, length of the plaintext. Data blobs and trees have a map each, as the same id
//! may name one of each. Entries are numbered in the order of index files by their ids, and in a file as they come, so that every
//! conclusion that depends on an order is the same each time.
//!
//! Bytes:   docs/formats/restic.md, "Index files"
//! Callers: all of this engine

mod add;
mod file;
mod load;
mod part;

use std::hash::RandomState;

use hashbrown::HashTable;
use manicule_core::idmap::{Growing, Lookup, Seed};
use manicule_format_restic::{BlobKind, Id, Place};

pub use file::{IndexFile, MarkedPack};
pub use load::read_files;
pub use part::IndexPart;

/// Number of a pack among those that index files name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PackNo(pub u32);

/// What the index keeps of a blob beside its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct Stored {
    pub(crate) pack: PackNo,
    pub(crate) place: Place,
}

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
    map: Growing<Stored>,
    /// Numbers of entries that equal an earlier one in everything, rising: index files that list a pack once more.
    repeats: Vec<u32>,
    /// Further places of blobs: entries whose id came before, and that equal no earlier one.
    further: HashTable<u32>,
    /// Seeded: who writes an index file can't make entries collide in `further`.
    hasher: RandomState,
}

/// All entries of all index files.
#[derive(Debug)]
pub struct Index {
    packs: Vec<Pack>,
    by_id: Growing<u32>,
    data: Blobs,
    trees: Blobs,
    files: Vec<IndexFile>,
    marked: Vec<MarkedPack>,
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
        u64::from(self.data.map.len()) + u64::from(self.trees.map.len())
    }

    /// Whether a blob is stored.
    pub fn has(&self, kind: BlobKind, id: &Id) -> bool {
        self.of(kind).map.contains(&id.0)
    }

    /// The places of a blob, in the order of their entries.
    pub fn places(&self, kind: BlobKind, id: &Id) -> impl Iterator<Item = Found> {
        let blobs = self.of(kind);
        blobs.numbers(id).map(|number| {
            let Stored { pack, place } = blobs.map.entry(number).1;
            Found { pack, place }
        })
    }

    /// All blobs of a kind with their places, in the order of their entries. A blob that is stored twice comes twice.
    pub fn blobs(&self, kind: BlobKind) -> impl Iterator<Item = (Id, Found)> {
        let entries = self.of(kind).entries();
        entries.map(|(_, id, Stored { pack, place })| (id, Found { pack, place }))
    }

    pub(crate) fn of(&self, kind: BlobKind) -> &Blobs {
        match kind {
            BlobKind::Data => &self.data,
            BlobKind::Tree => &self.trees,
        }
    }
}

impl Blobs {
    fn new(seed: Seed) -> Self {
        let (repeats, further, hasher) = (Vec::new(), HashTable::new(), RandomState::new());
        Blobs { map: Growing::new(seed), repeats, further, hasher }
    }

    /// Above every number of an entry.
    pub(crate) fn numbers_end(&self) -> usize {
        self.map.len() as usize
    }

    /// The number by which a blob goes: that of its first entry.
    pub(crate) fn number(&self, id: &Id) -> Option<u32> {
        self.map.find(&id.0)
    }

    /// Numbers of a blob's entries, those that repeat another left out.
    fn numbers(&self, id: &Id) -> impl Iterator<Item = u32> {
        self.map.find_all(&id.0).filter(|number| self.repeats.binary_search(number).is_err())
    }

    /// The id and place of an entry.
    pub(crate) fn entry(&self, number: u32) -> (Id, Stored) {
        let (id, stored) = self.map.entry(number);
        (Id(*id), stored)
    }

    /// All entries by their numbers, those that repeat another left out.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (u32, Id, Stored)> {
        let mut repeats = self.repeats.iter().peekable();
        (0..).zip(self.map.iter()).filter_map(move |(number, (id, stored))| {
            repeats.next_if_eq(&&number).is_none().then_some((number, Id(*id), stored))
        })
    }

    /// The map itself.
    pub(crate) fn map(&self) -> &Growing<Stored> {
        &self.map
    }
}
