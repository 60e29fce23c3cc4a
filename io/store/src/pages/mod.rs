//! Bytes of immutable files by range, and one cache for the whole process: of pages, and of what
//! was parsed from them.
//!
//! A [`ByteSource`] is what a local file and an object in a store have in common. [`Paged`] reads
//! one through a [`Cache`] that all readers share. A file that is mapped is read in place: its
//! pages are the system's to keep, and only parsed values lie in the cache.

mod bytes;
mod cache;
mod key;
mod local;
mod paged;
mod shard;
mod source;
#[cfg(test)]
mod tests;

pub use bytes::Bytes;
pub use cache::{Cache, CacheCounts, CacheOptions};
pub use key::PAGE_KIND;
pub use local::{MappedFile, PositionedFile, SystemCache};
pub use paged::{Keep, PageError, Paged, Reading};
pub use source::{ByteSource, Part, ReadCounts};
