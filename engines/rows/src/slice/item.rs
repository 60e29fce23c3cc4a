//! What a slice consists of.

use manicule_format_sstable::{Deletion, Frame, Prefix, Row};

/// A row or a marker of a slice, borrowed from the reader.
#[derive(Clone, Copy, Debug)]
pub enum Item<'r> {
    /// A row.
    Row(Row<'r>),
    /// A marker.
    Marker(SliceMarker<'r>),
}

/// The same, where a row is a frame and the bytes that begin with it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step<'r> {
    Row(Frame, &'r [u8]),
    Marker(SliceMarker<'r>),
}

/// A place where a range deletion opens or closes in the direction of reading: one of the file, or
/// the edge of the slice.
#[derive(Clone, Copy, Debug)]
pub struct SliceMarker<'r> {
    /// The place; its kind is that of the file, also in reverse.
    pub prefix: Prefix<'r>,
    /// The deletion that closes here.
    pub closes: Option<Deletion>,
    /// The deletion that opens here.
    pub opens: Option<Deletion>,
}
