//! Tables of SSTables.

mod asked;
mod cells;
mod live;
mod opened;
mod partitions;
mod sstables;
mod tokens;
mod typed;

pub(super) use cells::CELLS;
pub(super) use live::ROWS;
pub(super) use partitions::PARTITIONS;
pub(super) use sstables::SSTABLES;
