//! Passes over whole SSTables: everything in one, what matches in it, the partitions of several by
//! size, who has the tombstones, the bytes of columns; and where one has a partition.
//!
//! Memory: a window for each, and what is listed.

mod chosen;
mod columns;
mod dump;
mod find;
mod index;
mod partitions;
mod position;
mod salvage;
mod tally;
mod tombstones;
mod top;
mod united;
mod walk;

pub use chosen::{Chosen, Meant, Taken};
pub use columns::{ColumnCounts, ColumnShare, Shares, column_shares};
pub use dump::{Selection, dump};
pub use find::{FindCall, FindCounts, Found, FoundRow, find};
pub(crate) use index::{IndexWalk, Indexed, Keys};
pub(crate) use partitions::len_at;
pub use partitions::{
    PartitionOptions, PartitionPart, PartitionPass, PartitionSize, Partitions, RankedBy,
    each_partition, partitions,
};
pub use position::{position, positions};
pub(crate) use salvage::{FoundPartition, Keep, salvage};
pub use salvage::{Loss, LossKind, print_damaged};
pub use tally::{Times, TombstoneCounts};
pub use tombstones::{PartitionTombstones, TombstoneOptions, Tombstones, tombstones};
pub(crate) use united::United;
pub(crate) use walk::{Expected, Passed, Walk};
