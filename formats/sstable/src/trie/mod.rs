//! Partitions.db and Rows.db: tries over byte-comparable keys, in pages that no node crosses.
//!
//! Nothing here reads a file: a [`Lookup`], a [`Floor`] or a [`TrieWalk`] says which page it wants,
//! and goes on with it.
//!
//! Bytes:   docs/formats/sstable.md, "Tries"

mod comparable;
mod footer;
mod node;
mod payload;
mod seek;
mod walk;

pub use comparable::{put_byte_ordered_key, put_partition_key, put_prefix};
pub use footer::{FOOTER_LEN, Footer, RowsEntry};
pub use node::{Node, Payload, TRIE_PAGE_LEN, Transition, TriePage};
pub use payload::{PartitionPayload, PartitionPlace, RowPayload};
pub use seek::{Floor, Lookup, Step, Until};
pub use walk::{TrieWalk, WalkFrom};
