//! The engine's index as restic's `Index` and `MasterIndex` are used: by several threads, each
//! question through a lock and with an answer of its own.

use std::sync::{PoisonError, RwLock, RwLockReadGuard};

use anyhow::{Context, Result};
use manicule_blobs::{
    BlobKind, Id, Index, IndexPart, IndexSink, Indexed, Listed, ListedPack, PackNo, PackedBlob,
};
use manicule_format_restic::{IndexForm, IndexWriter, Place, read_index};
use manicule_repositories::{GoRandom, draw_index};

/// A blob at one of its places, with the pack's id.
#[derive(Clone, Copy, Debug)]
pub(super) struct At {
    pub(super) pack: Id,
    pub(super) blob: PackedBlob,
}

/// An index that several threads may ask.
pub(super) struct Locked(RwLock<Index>);

/// A random index of restic's benchmarks as it is decoded from a file, and the blob that look-ups
/// ask for.
pub(super) fn draw(random: &mut GoRandom, pack_count: u32) -> (IndexPart, Option<Id>) {
    let mut part = IndexPart::new(Indexed::All);
    let asked = draw_index(random, pack_count, |pack, blobs| {
        part.pack(ListedPack::new(pack));
        blobs.iter().for_each(|blob| part.blob(*blob));
    });
    (part, asked)
}

impl Locked {
    /// An index without blobs.
    pub(super) fn new() -> Locked {
        Locked(RwLock::new(Index::empty(0, Indexed::All)))
    }

    /// Reads an index file's JSON.
    pub(super) fn decode(json: &[u8]) -> Result<Locked> {
        let mut part = IndexPart::new(Indexed::All);
        read_index(json, &mut part)?;
        let index = Locked::new();
        index.insert(part)?;
        Ok(index)
    }

    /// Adds what an index file holds.
    pub(super) fn insert(&self, part: IndexPart) -> Result<()> {
        let mut index = self.0.write().unwrap_or_else(PoisonError::into_inner);
        Ok(index.add(&Listed { id: Id([0; 32]), len: 0 }, IndexForm::Canonical, part)?)
    }

    fn index(&self) -> RwLockReadGuard<'_, Index> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether there is such a blob.
    pub(super) fn has(&self, kind: BlobKind, id: &Id) -> bool {
        self.index().has(kind, id)
    }

    /// All places of a blob, in a list of their own.
    pub(super) fn lookup(&self, kind: BlobKind, id: &Id) -> Vec<At> {
        let index = self.index();
        let at = |place, pack| At { pack: index.pack(pack).id, blob: blob(kind, *id, place) };
        index.places(kind, id).map(|found| at(found.place, found.pack)).collect()
    }

    /// Length of a blob's plaintext.
    pub(super) fn plain_len(&self, kind: BlobKind, id: &Id) -> Option<u32> {
        self.index().places(kind, id).next().map(|found| found.place.plain_len())
    }

    /// Hands each entry out, under the lock.
    pub(super) fn each(&self, mut visit: impl FnMut(At)) {
        let index = self.index();
        for kind in [BlobKind::Data, BlobKind::Tree] {
            for (id, found) in index.blobs(kind) {
                visit(At { pack: index.pack(found.pack).id, blob: blob(kind, id, found.place) });
            }
        }
    }

    /// The first data blobs in the order in which they were added.
    pub(super) fn first_data(&self, count: usize) -> Vec<Id> {
        self.index().blobs(BlobKind::Data).take(count).map(|(id, _)| id).collect()
    }

    /// Number of entries.
    pub(super) fn count(&self) -> u64 {
        self.index().entry_count()
    }

    /// Writes the index file of all packs, each of one kind of blobs.
    pub(super) fn encode(&self) -> Result<Vec<u8>> {
        let index = self.index();
        let mut writer = IndexWriter::new();
        for kind in [BlobKind::Data, BlobKind::Tree] {
            let mut open: Option<PackNo> = None;
            for (id, found) in index.blobs(kind) {
                if open != Some(found.pack) {
                    let pack = index.packs().get(found.pack.0 as usize);
                    writer.pack(&pack.context("a pack has a number")?.id);
                    open = Some(found.pack);
                }
                writer.blob(&blob(kind, id, found.place));
            }
        }
        Ok(writer.finish())
    }
}

fn blob(kind: BlobKind, id: Id, place: Place) -> PackedBlob {
    PackedBlob { kind: Some(kind), id, place }
}
