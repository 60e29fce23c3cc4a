//! Indexes beside the data that they are of: what a reader of slices believes, compared with what
//! it would find.
//!
//! The caller reads Data.db from its first byte to its last and says of each unfiltered where it
//! was; each check walks its index along and compares. Memory: one block or separator, and one
//! clustering.
//!
//! Bytes:   docs/formats/sstable.md, "Index.db", "Tries"

mod pages;
mod partitions;
mod promoted;
mod separators;

pub use pages::Pages;
pub use partitions::PartitionTrieCheck;
pub use promoted::PromotedCheck;
pub use separators::SeparatorCheck;
