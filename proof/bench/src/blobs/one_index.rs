//! An index as restic's `Index` is one: blobs of each kind by id, with their packs, behind a lock. Made of the id map and
//! the format alone.
//!
//! Callers: blobs/index

use std::sync::{PoisonError, RwLock, RwLockReadGuard};

use anyhow::{Context, Result};
use manicule_core::idmap::{Entry, GrowError, Growing, Lookup, Seed};
use manicule_format_restic::{
    BlobKind, Id, IndexSink, IndexWriter, ListedPack, PackedBlob, Place, read_index,
};

/// What an id stands for.
#[derive(Clone, Copy, Debug)]
struct Stored {
    /// Number of its pack.
    pack: u32,
    place: Place,
}

/// An index that several threads may ask.
pub(super) struct OneIndex(RwLock<Lists>);

struct Lists {
    packs: Vec<Id>,
    /// Data blobs, then trees.
    blobs: [Growing<Stored>; 2],
    /// Blobs of the last pack, by kind, which are entered together: that takes half the time.
    pending: [Vec<Entry<Stored>>; 2],
    error: Option<GrowError>,
}

impl OneIndex {
    /// An empty index with room for a number of data blobs.
    pub(super) fn with_room_for(data_count: usize, random: u64) -> Result<OneIndex> {
        let seed = Seed::new(random);
        let blobs = [Growing::with_capacity(seed, data_count)?, Growing::new(seed)];
        let pending = [Vec::new(), Vec::new()];
        Ok(OneIndex(RwLock::new(Lists { packs: Vec::new(), blobs, pending, error: None })))
    }

    /// Reads an index file's JSON.
    pub(super) fn decode(json: &[u8], random: u64) -> Result<OneIndex> {
        let index = OneIndex::with_room_for(0, random)?;
        let mut lists = index.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        read_index(json, &mut lists)?;
        lists.enter();
        match lists.error {
            Some(error) => Err(error.into()),
            None => Ok(OneIndex(RwLock::new(lists))),
        }
    }

    /// Adds a pack.
    pub(super) fn store_pack(&self, pack: Id, blobs: &[PackedBlob]) -> Result<()> {
        let mut lists = self.0.write().unwrap_or_else(PoisonError::into_inner);
        lists.pack(ListedPack::new(pack));
        blobs.iter().for_each(|blob| lists.blob(*blob));
        lists.enter();
        lists.error.map_or(Ok(()), |error| Err(error.into()))
    }

    fn lists(&self) -> RwLockReadGuard<'_, Lists> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether there is such a blob. Takes the lock.
    pub(super) fn has(&self, kind: BlobKind, id: &Id) -> bool {
        self.lists().blobs[kind as usize].contains(&id.0)
    }

    /// The first data blobs in the order in which they were added.
    pub(super) fn first_data(&self, count: usize) -> Vec<Id> {
        self.lists().blobs[0].iter().take(count).map(|(id, _)| Id(*id)).collect()
    }

    /// Number of entries.
    pub(super) fn count(&self) -> usize {
        self.lists().blobs.iter().map(|blobs| blobs.len() as usize).sum()
    }

    /// Writes the index file of all packs, each of one kind of blobs.
    pub(super) fn encode(&self) -> Result<Vec<u8>> {
        let lists = self.lists();
        let mut writer = IndexWriter::new();
        for (kind, blobs) in [BlobKind::Data, BlobKind::Tree].into_iter().zip(&lists.blobs) {
            let mut open = None;
            for (id, Stored { pack, place }) in blobs.iter() {
                if open != Some(pack) {
                    writer.pack(lists.packs.get(pack as usize).context("a pack has a number")?);
                    open = Some(pack);
                }
                writer.blob(&PackedBlob { kind: Some(kind), id: Id(*id), place });
            }
        }
        Ok(writer.finish())
    }
}

impl Lists {
    /// Enters the blobs of the last pack.
    fn enter(&mut self) {
        for (blobs, pending) in self.blobs.iter_mut().zip(&mut self.pending) {
            self.error = self.error.or(blobs.extend(pending).err());
            pending.clear();
        }
    }
}

impl IndexSink for Lists {
    fn pack(&mut self, pack: ListedPack<'_>) {
        self.enter();
        self.packs.push(pack.id);
    }

    fn blob(&mut self, blob: PackedBlob) {
        let pack = self.packs.len() as u32 - 1;
        if let Some(kind) = blob.kind {
            let value = Stored { pack, place: blob.place };
            self.pending[kind as usize].push(Entry { id: blob.id.0, value });
        }
    }

    fn restart(&mut self) {
        let seed = Seed::new(0);
        self.packs.clear();
        self.blobs = [Growing::new(seed), Growing::new(seed)];
        self.pending.iter_mut().for_each(Vec::clear);
    }
}
