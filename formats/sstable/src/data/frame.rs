//! The frame of an unfiltered: what it is and how long, before anything of its body is looked at.
//!
//! Rows are passed over by it: a scan that skips them touches their flags, clustering and body size
//! alone.
//!
//! Bytes:   row | flags, [more flags] | clustering | vint body size | body |; marker | 02 | kind | 2 number of values |
//!          values | vint body size | body |; end | 01 |; docs/formats/sstable.md, "Data.db"

use manicule_core::bytes::{DecodeError, Reader};

use super::parsed::{Parsed, windowed};
use super::shape::RowShape;
use crate::prefix::{Components, PrefixKind};
use crate::vint::ReadVint;

/// Bits of an unfiltered's first byte.
pub(super) mod flag {
    pub(in super::super) const END: u8 = 0x01;
    pub(in super::super) const MARKER: u8 = 0x02;
    pub(in super::super) const TIMESTAMP: u8 = 0x04;
    pub(in super::super) const EXPIRING: u8 = 0x08;
    pub(in super::super) const DELETION: u8 = 0x10;
    pub(in super::super) const ALL_COLUMNS: u8 = 0x20;
    pub(in super::super) const COMPLEX_DELETION: u8 = 0x40;
    pub(in super::super) const MORE: u8 = 0x80;
    /// Bits of the second byte.
    pub(in super::super) const STATIC: u8 = 0x01;
    /// The deletion is shadowable: Cassandra's.
    pub(in super::super) const SHADOWABLE: u8 = 0x02;
    /// A shadowable deletion follows the other one: ScyllaDB's.
    pub(in super::super) const MORE_SHADOWABLE: u8 = 0x80;
    pub(in super::super) const ALL_MORE: u8 = STATIC | SHADOWABLE | MORE_SHADOWABLE;
}

/// What lies at a place of a partition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FrameKind {
    /// The static row.
    Static,
    /// A row.
    Row,
    /// A range tombstone marker of this kind.
    Marker(PrefixKind),
    /// The end of the partition: one byte.
    End,
}

/// Place and extent of an unfiltered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Frame {
    /// Its offset in uncompressed Data.db.
    pub at: u64,
    /// What it is.
    pub kind: FrameKind,
    /// Its length in bytes; the window may be shorter.
    pub len: usize,
    pub(super) flags: u8,
    pub(super) more_flags: u8,
    /// Number of clustering values; a marker's may be fewer than there are clustering columns.
    pub(super) value_count: usize,
    pub(super) clustering_start: usize,
    pub(super) clustering_end: usize,
    pub(super) body_start: usize,
}

impl Frame {
    /// The frame at the front of a window, which begins at `at` of uncompressed Data.db. Of the
    /// body nothing is read, and it need not be in the window.
    #[inline]
    pub fn read(window: &[u8], at: u64, shape: &RowShape) -> Result<Parsed<Frame>, DecodeError> {
        windowed(Frame::read_whole(window, at, shape), at)
    }

    #[inline]
    fn read_whole(window: &[u8], at: u64, shape: &RowShape) -> Result<Frame, DecodeError> {
        let mut r = Reader::new(window, at);
        let flags = r.u8("flags of an unfiltered")?;
        // One comparison for what nearly all are: a row without a second byte of flags.
        if flags & (flag::END | flag::MARKER | flag::MORE) == 0 {
            return Frame::sized(&mut r, at, shape, flags, 0, FrameKind::Row);
        }
        Frame::read_rare(&mut r, at, shape, flags)
    }

    #[cold]
    fn read_rare(
        r: &mut Reader<'_>,
        at: u64,
        shape: &RowShape,
        flags: u8,
    ) -> Result<Frame, DecodeError> {
        let corrupt = |what, at, want: u8, got: u8| {
            Err(DecodeError::Corrupt { what, at, want: want.into(), got: got.into() })
        };
        if flags & flag::END != 0 {
            if flags != flag::END {
                return corrupt("flags of the end of a partition", at, flag::END, flags);
            }
            return Ok(Frame::end(at));
        }
        if flags & flag::MARKER != 0 {
            if flags != flag::MARKER {
                return corrupt("flags of a marker", at, flag::MARKER, flags);
            }
            let kind = marker_kind(r)?;
            return Frame::sized(r, at, shape, flags, 0, FrameKind::Marker(kind));
        }
        let more = r.u8("second byte of flags")?;
        if more & !flag::ALL_MORE != 0 {
            return corrupt("second byte of flags", at + 1, flag::ALL_MORE, more);
        }
        let is_static = more & flag::STATIC != 0;
        let kind = if is_static { FrameKind::Static } else { FrameKind::Row };
        Frame::sized(r, at, shape, flags, more, kind)
    }

    /// The end of a partition: a byte, after which nothing is.
    fn end(at: u64) -> Frame {
        Frame {
            clustering_start: 1,
            clustering_end: 1,
            body_start: 1,
            len: 1,
            value_count: 0,
            kind: FrameKind::End,
            flags: flag::END,
            more_flags: 0,
            at,
        }
    }

    /// The clustering and the body's size, after what says how many values there are.
    #[inline(always)]
    fn sized(
        r: &mut Reader<'_>,
        at: u64,
        shape: &RowShape,
        flags: u8,
        more_flags: u8,
        kind: FrameKind,
    ) -> Result<Frame, DecodeError> {
        let value_count = match kind {
            FrameKind::Row => shape.clustering_count(),
            FrameKind::Marker(_) => shape.prefix_len(r)?,
            FrameKind::Static | FrameKind::End => 0,
        };
        let clustering_start = (r.at() - at) as usize;
        if value_count != 0 {
            shape.skip_clustering(r, value_count)?;
        }
        let (clustering_end, size_at) = ((r.at() - at) as usize, r.at());
        let size = r.vint("body size")?;
        let body_start = (r.at() - at) as usize;
        let Some(len) = body_start.checked_add(size as usize).filter(|_| size <= SIZE_MAX) else {
            let (what, at) = ("body size", size_at);
            return Err(DecodeError::Corrupt { what, at, want: SIZE_MAX, got: size });
        };
        Ok(Frame {
            at,
            kind,
            len,
            flags,
            more_flags,
            value_count,
            clustering_start,
            clustering_end,
            body_start,
        })
    }

    /// Whether it is a row with a deletion of its own, as its flags say.
    pub fn has_row_deletion(&self) -> bool {
        matches!(self.kind, FrameKind::Row) && self.flags & flag::DELETION != 0
    }

    /// Its clustering, out of the window whose front the frame was read from; of the static row and
    /// of the end none.
    #[inline]
    pub fn components<'a>(&self, window: &'a [u8]) -> Components<'a> {
        let bytes = &window[self.clustering_start..self.clustering_end];
        Components::of_checked(self.value_count, bytes)
    }
}

/// Largest body in bytes that is believed: so much fits into no file.
const SIZE_MAX: u64 = isize::MAX as u64 / 2;

fn marker_kind(r: &mut Reader<'_>) -> Result<PrefixKind, DecodeError> {
    let (what, at) = ("kind of a marker", r.at());
    let number = r.u8(what)?;
    let kind = PrefixKind::of_number(number);
    let kind = kind.filter(|kind| kind.is_bound());
    kind.ok_or(DecodeError::Corrupt { what, at, want: 7, got: number.into() })
}
