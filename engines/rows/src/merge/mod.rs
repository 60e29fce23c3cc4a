//! Several SSTables as one: rows merged by timestamp, what deletions hide left out, and what is
//! live at a time.
//!
//! Memory: of each SSTable a window of its data and one row.

mod at;
mod cells;
mod columns;
mod counters;
mod live;
mod markers;
mod own;
mod part;
mod places;
mod reader;
mod row;
mod rows;
mod source;
mod turn;
mod value;
mod walked;

pub use columns::{MergedColumn, MergedColumns};
pub use live::{LiveSlice, is_live, open_live};
pub use markers::MergedMarker;
pub use own::{OwnSlice, open_own};
pub use places::MergedItem;
pub use reader::{MergedSlice, foresee, open_merged};
pub use row::{MergedCell, MergedCells, MergedRow};
pub use value::{CellPath, element_type, path_type};

pub(crate) use cells::compare_paths;
pub(crate) use markers::{Open, marker};
pub(crate) use rows::{Merger, MergerMemory, RowMerge, later};
pub(crate) use walked::{WalkedPartition, WalkedSource};
