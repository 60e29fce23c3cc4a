//! Our own cache of what a repository's files say: pages, each sealed with a key that is derived
//! from the repository's.
//!
//! Bytes:   docs/formats/blob-cache.md

mod contents;
mod frame;
#[cfg(test)]
mod tests;
mod trees;

pub use contents::{CachedFile, CachedPack, IndexContents, PACK_ROW_LEN};
pub use frame::{CacheError, CacheFrame, CacheKind, CacheSection};
pub use trees::{CachedNode, CachedTree, Numbers, TreesContents, put_cached_tree, renumber};
