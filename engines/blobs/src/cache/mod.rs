//! The sealed cache: what index files say, kept in a local file whose pages open with the
//! repository's key when they are first touched.
//!
//! It is asked for, never a default; a command without it reads and writes none. Nothing of a cache
//! is believed that its seal doesn't vouch for: then the repository answers, and the cache is
//! written again.
//!
//! Bytes:   docs/formats/blob-cache.md

mod build;
mod index;
mod order;
pub(crate) mod paged;
mod place;
mod sealed;
pub(crate) mod trees;

pub use build::{keep_trees, open_trees};
pub use index::{CachedIndex, load_cached};
pub use place::{CachePlace, CacheUse};
