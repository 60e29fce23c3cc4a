//! A step over the rows of a partition in the file's order: what the next one is, and which
//! deletion is open after it.

use std::cmp::Ordering;

use manicule_core::bytes::DecodeError;
use manicule_format_sstable::{Deletion, Frame, FrameKind, Prefix, PrefixKind, Unfiltered};
use manicule_store::pages::Reading;

use super::head::read_frame;
use crate::RowsError;
use crate::table::{DataFile, Sstable, Window};

/// Length of a read where nothing is known of the block: a block of the default size.
pub(super) const BLOCK_LEN: u64 = 64 << 10;

/// Rows and markers from a place on.
#[derive(Debug)]
pub(crate) struct Steps<'t> {
    pub(crate) sstable: &'t Sstable,
    pub(crate) window: Window<'t, DataFile>,
    /// Offset of the next unfiltered in the uncompressed data.
    pub(crate) at: u64,
    /// The range deletion that is open here.
    pub(crate) open: Option<Deletion>,
    /// Number of rows and markers that were passed.
    pub(crate) passed_count: u64,
}

impl Steps<'_> {
    /// The next unfiltered; its bytes are in the window. A static row here is an error.
    pub(crate) fn peek(&mut self, reading: &mut Reading<'_>) -> Result<Frame, RowsError> {
        let frame = read_frame(&mut self.window, self.at, self.sstable, reading)?;
        if frame.kind == FrameKind::Static {
            let (what, at) = ("static row after the first place", self.at);
            let error = DecodeError::Corrupt { what, at, want: 0, got: 1 };
            return Err(self.sstable.data().damaged(error));
        }
        Ok(frame)
    }

    /// Order of the unfiltered of a frame against a place.
    pub(crate) fn compare(
        &mut self,
        frame: &Frame,
        place: &Prefix<'_>,
        reading: &mut Reading<'_>,
    ) -> Result<Ordering, RowsError> {
        let kind = match frame.kind {
            FrameKind::Marker(kind) => kind,
            _ => PrefixKind::Row,
        };
        let bytes = self.window.at(frame.at, frame.len, reading)?;
        let prefix = Prefix { kind, components: frame.components(bytes) };
        Ok(Prefix::compare(&self.sstable.header().clustering, &prefix, place))
    }

    /// Goes past the unfiltered of a frame, and notes what a marker opens.
    pub(crate) fn pass(
        &mut self,
        frame: &Frame,
        reading: &mut Reading<'_>,
    ) -> Result<(), RowsError> {
        if let FrameKind::Marker(_) = frame.kind {
            let data = self.sstable.data();
            let bytes = self.window.at(frame.at, frame.len, reading)?;
            let opened = frame.open(bytes, self.sstable.shape());
            if let Unfiltered::Marker(marker) = opened.map_err(|error| data.damaged(error))? {
                if marker.ends != self.open {
                    let bits =
                        |open: Option<Deletion>| open.map_or(0, |open| open.marked_at as u64);
                    let (what, at) = ("deletion that a marker ends", frame.at);
                    let (want, got) = (bits(self.open), bits(marker.ends));
                    return Err(data.damaged(DecodeError::Corrupt { what, at, want, got }));
                }
                self.open = marker.begins;
            }
        }
        self.at += frame.len as u64;
        self.passed_count += 1;
        Ok(())
    }
}
