//! Reports about SSTables as JSON. Rows themselves are sstabledump's objects, a dialect of `dump`.

mod columns;
mod inspected;
mod listed;
mod partitions;
mod stats;
mod tombstones;

pub use columns::ColumnSums;
pub use listed::{ExpiredSstable, Holder, ListedSstable, MarkedSstable, VerifiedTable};
pub use partitions::{LargePartition, PartitionSums};
pub use stats::{CountedSstable, uuid};
pub use tombstones::{PartitionWithTombstones, TableTombstones, TombstoneSums};
