//! Index files: which blobs lie in which packs, and where.
//!
//! Bytes:   JSON in an unpacked file, docs/formats/restic.md

mod general;
mod read;
mod scan;
mod sink;
mod write;

pub use read::{IndexForm, read_index};
pub use sink::{IndexSink, ListedPack};
pub use write::{INDEX_BLOB_COUNT_FULL, IndexWriter};

#[cfg(test)]
mod tests;
