//! What opening a store for writing needs to know.

use manicule_store::SharedFiles;

use super::open::WhenLost;
use crate::base::LeafSizes;

/// What opening needs to know.
#[derive(Clone, Debug)]
pub struct StoreOptions {
    /// File system that is written through.
    pub files: SharedFiles,
    /// A random number that nobody else knows: hashes of terms depend on it.
    pub random: u64,
    /// Sizes of the leaves that merges make. Any process may write a store with any of them.
    pub leaves: LeafSizes,
    /// What becomes of commits that a damaged log has lost.
    pub lost: WhenLost,
    /// Who merges what is committed.
    pub merges: Merges,
}

/// Who merges what transactions have committed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Merges {
    /// This handle, in the background; no other process can meanwhile.
    Here,
    /// Another process while this one writes, by [`merge_beside`](crate::merge_beside); and this
    /// handle, where far too much waits.
    Beside,
    /// Somebody else, when it likes: this handle merges nothing that it isn't asked for.
    Elsewhere,
}
