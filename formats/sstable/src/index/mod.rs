//! Index.db: where each partition begins, and of long ones where each block of rows begins.
//!
//! Nothing is searched here: [`IndexEntry`] reads an entry without its promoted index, [`Promoted`]
//! the head of that and the places in its offset map, [`Block`] a block at its place. Each reads
//! from a window that the caller holds.
//!
//! Bytes:   docs/formats/sstable.md, "Index.db"

mod block;
mod entry;
mod promoted;
mod write;

pub use block::Block;
pub use entry::IndexEntry;
pub use promoted::Promoted;
pub use write::{BlockCutter, put_index_entry, put_promoted_head};
