//! Passes over a whole SSTable: its partitions by size, and who has the tombstones.
//!
//! Memory: a window, and what is listed.
//!
//! Callers: faces/manicule

mod index;
mod partitions;
mod tombstones;
mod top;
mod walk;

pub use partitions::{PartitionSize, Partitions, partitions};
pub use tombstones::{
    PartitionTombstones, TombstoneCounts, TombstoneOptions, Tombstones, tombstones,
};
