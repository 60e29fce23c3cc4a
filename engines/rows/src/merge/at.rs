//! What a source of a merge is at: a row as its bytes, which are read where it is merged, or a
//! marker.

use manicule_core::bytes::DecodeError;
use manicule_format_sstable::{
    Deletion, Frame, Prefix, PrefixBuf, PrefixKind, RowShape, Unfiltered,
};

/// The place of a source, in memory that serves for all places.
#[derive(Debug)]
pub(super) struct At {
    what: What,
    /// Bytes of the row.
    bytes: Vec<u8>,
    /// Place of the marker.
    prefix: PrefixBuf,
}

#[derive(Clone, Copy, Debug)]
enum What {
    Nothing,
    Row(Frame),
    Marker(Change),
}

/// A change of the range deletion that is open, in the direction of reading.
#[derive(Clone, Copy, Debug)]
pub(super) struct Change {
    pub(super) closes: Option<Deletion>,
    pub(super) opens: Option<Deletion>,
}

impl At {
    /// Nothing.
    pub(super) fn nothing() -> At {
        At { what: What::Nothing, bytes: Vec::new(), prefix: PrefixBuf::of(&Prefix::FIRST) }
    }

    pub(super) fn set_nothing(&mut self) {
        self.what = What::Nothing;
    }

    pub(super) fn is_nothing(&self) -> bool {
        matches!(self.what, What::Nothing)
    }

    /// A row, of a frame and the bytes of a window that begin with it.
    pub(super) fn set_row(&mut self, frame: Frame, bytes: &[u8]) {
        self.what = What::Row(frame);
        self.bytes.clear();
        self.bytes.extend_from_slice(&bytes[..frame.len]);
    }

    pub(super) fn set_marker(&mut self, prefix: &Prefix<'_>, change: Change) {
        self.what = What::Marker(change);
        self.prefix.set(prefix);
    }

    /// The place; `None` of nothing.
    #[inline]
    pub(super) fn prefix(&self) -> Option<Prefix<'_>> {
        match self.what {
            What::Nothing => None,
            What::Row(frame) => {
                let components = frame.components(&self.bytes);
                Some(Prefix { kind: PrefixKind::Row, components })
            }
            What::Marker(_) => Some(self.prefix.as_prefix()),
        }
    }

    /// The row; the end where it is at anything else. As it comes from the decoder: a row is long,
    /// and not copied once more.
    #[inline]
    pub(super) fn row(&self, shape: &RowShape) -> Result<Unfiltered<'_>, DecodeError> {
        match self.what {
            What::Row(frame) => frame.open(&self.bytes, shape),
            What::Nothing | What::Marker(_) => Ok(Unfiltered::End),
        }
    }

    /// The change of a marker; `None` of anything else.
    pub(super) fn change(&self) -> Option<Change> {
        match self.what {
            What::Marker(change) => Some(change),
            What::Nothing | What::Row(_) => None,
        }
    }
}
