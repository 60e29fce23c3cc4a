//! The index's entries pack by pack.

use manicule_format_restic::{BlobKind, PackedBlob};

use crate::index::{Index, PackNo};

/// Kinds of blobs, in the order in which their entries are gone through.
pub(super) const KINDS: [BlobKind; 2] = [BlobKind::Data, BlobKind::Tree];

/// An entry: the map of its kind has it under a number.
pub(super) type EntryNo = (BlobKind, u32);

/// Entries of some packs: 8 bytes each, and 8 a pack.
#[derive(Debug)]
pub(super) struct ByPack {
    /// Where each pack's entries end in `entries`.
    ends: Vec<usize>,
    entries: Vec<EntryNo>,
}

impl ByPack {
    /// Of the packs that are wanted, by their numbers.
    pub(super) fn of(index: &Index, is_wanted: &[bool]) -> Self {
        let mut next = vec![0; index.packs().len()];
        each_entry(index, is_wanted, |pack, _| next[pack] += 1);
        let mut sum = 0;
        for start in &mut next {
            sum += std::mem::replace(start, sum);
        }
        let mut entries = vec![(BlobKind::Data, 0); sum];
        each_entry(index, is_wanted, |pack, entry| {
            entries[next[pack]] = entry;
            next[pack] += 1;
        });
        ByPack { ends: next, entries }
    }

    /// The entries of a pack: data blobs, then trees, each in the order of the index.
    pub(super) fn entries(&self, pack: PackNo) -> &[EntryNo] {
        let at = pack.0 as usize;
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.entries[start..self.ends[at]]
    }
}

fn each_entry(index: &Index, is_wanted: &[bool], mut take: impl FnMut(usize, EntryNo)) {
    for kind in KINDS {
        for (number, _, stored) in index.of(kind).entries() {
            let pack = stored.pack.0 as usize;
            if is_wanted[pack] {
                take(pack, (kind, number));
            }
        }
    }
}

/// The blob of an entry.
pub(super) fn blob_of(index: &Index, (kind, number): EntryNo) -> PackedBlob {
    let (id, stored) = index.of(kind).entry(number);
    PackedBlob { kind: Some(kind), id, place: stored.place }
}
