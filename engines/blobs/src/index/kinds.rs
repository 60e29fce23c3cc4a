//! What packs hold, by the index.

use manicule_format_restic::BlobKind;

use super::Index;

/// Kind of a pack's blobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PackKind {
    /// It has none.
    Empty,
    /// All are of this kind.
    Of(BlobKind),
    /// They are of both kinds.
    Mixed,
}

impl PackKind {
    /// The kind with a further blob.
    pub(crate) fn with(self, kind: BlobKind) -> PackKind {
        match self {
            PackKind::Empty => PackKind::Of(kind),
            PackKind::Of(own) if own == kind => self,
            PackKind::Of(_) | PackKind::Mixed => PackKind::Mixed,
        }
    }
}

impl Index {
    /// The kinds of all packs, by their numbers. Blobs without a type count for none.
    pub fn pack_kinds(&self) -> Vec<PackKind> {
        let mut kinds = vec![PackKind::Empty; self.packs.len()];
        for kind in [BlobKind::Data, BlobKind::Tree] {
            for (_, found) in self.blobs(kind) {
                let own = &mut kinds[found.pack.0 as usize];
                *own = own.with(kind);
            }
        }
        kinds
    }
}
