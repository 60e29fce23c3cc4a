//! Tables of SSTables.

mod opened;
mod partitions;
mod sstables;

pub(super) use partitions::PARTITIONS;
pub(super) use sstables::SSTABLES;
