//! What an SSTable says of itself, and the shape of a partition's index.

mod parts;
mod shape;
mod sstable;

pub use parts::outline;
pub use shape::{BlockShape, IndexKind, PartitionShape};
pub use sstable::{CompressionShown, FilterShown, KeyShown, SstableInspection, inspect};
