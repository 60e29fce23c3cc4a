//! Passes over a whole SSTable: everything in it, its partitions by size, who has the tombstones.
//!
//! Memory: a window, and what is listed.
//!
//! Callers: faces/manicule

mod dump;
mod index;
mod partitions;
mod tombstones;
mod top;
mod walk;

pub use dump::dump;
pub use partitions::{PartitionSize, Partitions, partitions};
pub use tombstones::{
    PartitionTombstones, TombstoneCounts, TombstoneOptions, Tombstones, tombstones,
};
