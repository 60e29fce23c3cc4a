//! Data.db: partitions and their rows and markers, from a window of uncompressed bytes.
//!
//! The caller holds a window and says where in the stream it begins. [`PartitionHead::read`] reads
//! the head of a partition, [`Frame::read`] the extent of what follows: a row is passed over by its
//! length, or opened by [`Frame::open`], which borrows from the window. Cells are read one by one
//! as they are asked for. Nothing is allocated for a row or a cell. [`RowWriter`] appends the same
//! to a buffer.
//!
//! Bytes:   docs/formats/sstable.md, "Data.db"

mod cells;
mod columns;
mod counter;
mod frame;
mod head;
mod marker;
mod parsed;
mod row;
mod sequence;
mod shape;
mod unfiltered;
mod write;
mod write_cells;

pub use cells::{Cell, Cells, RowPart};
pub use counter::{Shard, ShardKind, Shards};
pub use frame::{Frame, FrameKind};
pub use head::PartitionHead;
pub use marker::Marker;
pub use parsed::Parsed;
pub(crate) use parsed::windowed;
pub use row::{Liveness, Row};
pub use sequence::Sequence;
pub use shape::RowShape;
pub use unfiltered::Unfiltered;
pub use write::{KEY_LEN_MAX, RowHead, RowWriter};
