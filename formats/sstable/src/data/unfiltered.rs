//! What follows a partition's head: rows, markers, an end.
//!
//! Bytes:   docs/formats/sstable.md, "Data.db"

use manicule_core::bytes::DecodeError;

use super::frame::{Frame, FrameKind};
use super::marker::Marker;
use super::row::Row;
use super::shape::RowShape;

/// A row, a range tombstone marker, or the end of a partition.
#[derive(Clone, Copy, Debug)]
pub enum Unfiltered<'a> {
    /// A row, perhaps the static one.
    Row(Row<'a>),
    /// A range tombstone marker.
    Marker(Marker<'a>),
    /// The end of the partition.
    End,
}

impl Frame {
    /// The unfiltered itself, borrowed from the window whose front the frame was read from; the
    /// window has to hold [`Frame::len`] bytes. Cells are not looked at.
    #[inline]
    pub fn open<'a>(
        &self,
        window: &'a [u8],
        shape: &RowShape,
    ) -> Result<Unfiltered<'a>, DecodeError> {
        let Some(bytes) = window.get(..self.len) else {
            let (need, have) = (self.len as u64, window.len() as u64);
            return Err(DecodeError::Short { what: "unfiltered", at: self.at, need, have });
        };
        Ok(match self.kind {
            FrameKind::Row | FrameKind::Static => Unfiltered::Row(Row::open(self, bytes, shape)?),
            FrameKind::Marker(kind) => Unfiltered::Marker(Marker::open(self, kind, bytes, shape)?),
            FrameKind::End => Unfiltered::End,
        })
    }
}
