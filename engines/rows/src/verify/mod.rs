//! Whether an SSTable is right: its components, every checksum, its partitions and rows, and every
//! index beside the data that it is of.
//!
//! Two passes: over the bytes of Data.db for their checksums, and over its partitions along with
//! the index. Damage becomes a finding of its file, and the passes go on where they can.
//!
//! Memory: a window of the data, one clustering and one block, 100 findings; the filter and the
//! summary.

mod begun;
mod checked;
mod checksums;
mod components;
mod entries;
mod index;
mod keys;
mod leaves;
mod notes;
mod pages;
mod partitions;
mod quick;
mod scylla;
mod statistics;

pub use checked::{Depth, SstableCounts, all, verify};
