//! What an index file lists, handed out as it is read.

use std::borrow::Cow;

use crate::blob::PackedBlob;
use crate::id::Id;

/// A pack as an index file lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedPack<'a> {
    /// Its id.
    pub id: Id,
    /// Whether rustic has marked it for deletion: it is listed under `packs_to_delete`, and the
    /// index of restic lacks its blobs.
    pub is_marked: bool,
    /// rustic's: when it was written or marked, as it is written there.
    pub time: Option<Cow<'a, str>>,
    /// rustic's: length of the pack file.
    pub len: Option<u64>,
}

impl ListedPack<'_> {
    /// A pack as restic lists it.
    pub fn new(id: Id) -> Self {
        ListedPack { id, is_marked: false, time: None, len: None }
    }
}

/// Receives the packs and blobs of an index file, in the file's order.
pub trait IndexSink {
    /// A pack. Until the next one, blobs lie in it.
    fn pack(&mut self, pack: ListedPack<'_>);

    /// A blob of the last pack.
    fn blob(&mut self, blob: PackedBlob);

    /// Everything since the file's beginning counts for nothing: the file is read again from the
    /// start, or not at all.
    fn restart(&mut self);
}
