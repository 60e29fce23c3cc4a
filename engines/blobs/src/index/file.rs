//! What is kept of an index file beside its entries.

use manicule_format_restic::{Id, IndexForm};

/// An index file that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexFile {
    /// Its id.
    pub id: Id,
    /// Its length as it is stored.
    pub len: u64,
    /// Number of packs that it names.
    pub pack_count: u32,
    /// Number of blobs that it lists.
    pub blob_count: u32,
    /// Whether it is written byte by byte as restic writes.
    pub form: IndexForm,
}

/// A pack that rustic has marked for deletion: its file may be there, and its blobs are not in the
/// index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkedPack {
    /// Its id.
    pub id: Id,
    /// When it was marked, as it is written there.
    pub time: Option<String>,
}
