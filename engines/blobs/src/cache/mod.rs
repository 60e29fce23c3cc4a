//! The sealed cache: what index files say, kept in a local file whose pages open with the repository's key when they are first touched.
//!
//! It is asked for, never a default; a command without it reads and writes none. Nothing of a cache is believed that its seal doesn't vouch for:
//! then the repository answers, and the cache is written again.
//!
//! Bytes:   docs/formats/blob-cache.md
//! Callers: faces/manicule

mod index;
pub(crate) mod paged;
mod place;

pub use index::{CachedIndex, load_cached};
pub use place::{CachePlace, CacheUse};
