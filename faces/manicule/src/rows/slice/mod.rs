//! Rows of one partition: as a reader sees them, or as each SSTable has them.

mod call;
mod literals;
mod read;

pub use call::{Search, SliceCall, View};
pub(super) use literals::{read_bounds, read_key};
pub(super) use read::{READ_BYTES_MAX, READ_COST};
pub use read::{SLICE_CACHE_BYTES, Slice, SliceItem, SliceWork};
