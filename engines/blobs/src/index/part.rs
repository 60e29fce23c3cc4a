//! What an index file holds, decoded and not yet added to the index.
//!
//! Bytes:   docs/formats/restic.md, "Index files"

use manicule_core::idmap::Entry;
use manicule_format_restic::{BlobKind, Id, IndexForm, IndexSink, ListedPack, PackedBlob};

use super::{IndexFile, MarkedPack};
use crate::storage::Listed;
use crate::stored::{PackNo, Stored};

/// Which blobs an index is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Indexed {
    /// All.
    All,
    /// Trees alone: enough to walk snapshots by their paths. Data blobs are read past: no memory,
    /// and no place in a table.
    Trees,
}

/// An index file, decoded: packs numbered from 0 as they come. 48 bytes a blob.
#[derive(Debug)]
pub struct IndexPart {
    indexed: Indexed,
    pub(super) packs: Vec<Id>,
    pub(super) marked: Vec<MarkedPack>,
    pub(super) data: Vec<Entry<Stored>>,
    pub(super) trees: Vec<Entry<Stored>>,
    /// Without a type: found by nobody, though they take their room in the pack.
    pub(super) untyped: Vec<Entry<Stored>>,
    /// Whether the last pack is marked.
    is_marked: bool,
}

impl IndexPart {
    /// A part that keeps these blobs.
    pub fn new(indexed: Indexed) -> Self {
        let (packs, marked, is_marked) = (Vec::new(), Vec::new(), false);
        let [data, trees, untyped] = [const { Vec::new() }; 3];
        IndexPart { indexed, packs, marked, data, trees, untyped, is_marked }
    }

    pub(super) fn summary(&self, file: &Listed, form: IndexForm) -> IndexFile {
        IndexFile {
            id: file.id,
            len: file.len,
            pack_count: self.packs.len() as u32,
            blob_count: (self.data.len() + self.trees.len() + self.untyped.len()) as u32,
            form,
        }
    }
}

impl IndexSink for IndexPart {
    fn pack(&mut self, pack: ListedPack<'_>) {
        self.is_marked = pack.is_marked;
        if pack.is_marked {
            let time = pack.time.map(|time| time.into_owned());
            self.marked.push(MarkedPack { id: pack.id, time });
        } else {
            self.packs.push(pack.id);
        }
    }

    fn blob(&mut self, blob: PackedBlob) {
        if self.is_marked {
            return;
        }
        let pack = PackNo(self.packs.len() as u32 - 1);
        let entry = Entry { id: blob.id.0, value: Stored { pack, place: blob.place } };
        match blob.kind {
            Some(BlobKind::Data) if self.indexed == Indexed::Trees => {}
            Some(BlobKind::Data) => self.data.push(entry),
            Some(BlobKind::Tree) => self.trees.push(entry),
            None => self.untyped.push(entry),
        }
    }

    fn restart(&mut self) {
        *self = IndexPart::new(self.indexed);
    }
}
