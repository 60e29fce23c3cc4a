//! Tables of SSTables.

mod asked;
mod backups;
mod cells;
mod live;
mod opened;
mod partitions;
mod sstables;
mod tokens;
mod typed;

pub(crate) use backups::BACKUPS;
pub(crate) use cells::CELLS;
pub(crate) use live::ROWS;
pub(crate) use partitions::PARTITIONS;
pub(crate) use sstables::SSTABLES;
