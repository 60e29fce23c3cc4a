//! Slices of a partition: its rows and markers between two bounds, forward or in reverse.
//!
//! Bytes:   docs/formats/sstable.md, "Data.db"

mod block;
mod bounds;
mod forward;
mod head;
mod item;
mod reader;
mod reverse;

pub use crate::cursor::Seek;
pub(crate) use block::Steps;
pub use bounds::{Bounds, Edge};
pub use head::Head;
pub(crate) use head::{other_key, read_frame};
pub(crate) use item::Step;
pub use item::{Item, SliceMarker};
pub(crate) use reader::open_expecting;
pub use reader::{Direction, SliceOptions, SliceReader, open_slice};
