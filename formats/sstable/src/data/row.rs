//! A row: its liveness, its deletion, which columns it has; cells are read when they are asked for.
//!
//! Bytes:   body | vint length of what was before | [vint timestamp] | [vint TTL, vint expiry] | [deletion] |
//!          [columns] | cells |, docs/formats/sstable.md, "Data.db"

use manicule_core::bytes::{DecodeError, Reader};

use super::columns::Columns;
use super::frame::{Frame, FrameKind, flag};
use super::shape::RowShape;
use crate::deletion::{Deletion, NO_LOCAL_TIME};
use crate::prefix::{Components, Prefix, PrefixKind};
use crate::vint::ReadVint;

/// When a row's primary key was written, and whether it expires.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Liveness {
    /// Microseconds since 1970, by the writer.
    pub timestamp: i64,
    /// Seconds to live; 0: it doesn't expire.
    pub ttl: i32,
    /// When it expires, in seconds since 1970; [`NO_LOCAL_TIME`]: never.
    pub expires: i64,
}

/// A row, borrowed from a window.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// Its offset in uncompressed Data.db.
    pub at: u64,
    /// Its length in bytes.
    pub len: usize,
    /// Whether it is the partition's static row.
    pub is_static: bool,
    /// Its clustering; of the static row none.
    pub components: Components<'a>,
    /// Distance from the start of what was before it; of the static row 0.
    pub before_len: u64,
    /// Of the primary key; rows that were only updated have none.
    pub liveness: Option<Liveness>,
    /// Its deletion; live if there is none.
    pub deletion: Deletion,
    /// A deletion that counts for nothing beside a liveness that was written later: of materialised
    /// views; live if there is none.
    pub shadowable: Deletion,
    pub(super) has_complex_deletions: bool,
    pub(super) columns: Columns<'a>,
    pub(super) cells: Reader<'a>,
}

impl<'a> Row<'a> {
    #[inline]
    pub(super) fn open(
        frame: &Frame,
        bytes: &'a [u8],
        shape: &RowShape,
    ) -> Result<Row<'a>, DecodeError> {
        let flags = frame.flags;
        let is_static = frame.kind == FrameKind::Static;
        let body_at = frame.at + frame.body_start as u64;
        let mut r = Reader::new(&bytes[frame.body_start..], body_at);
        let before_len = r.vint("length of what was before")?;
        let liveness = match flags & (flag::TIMESTAMP | flag::EXPIRING) {
            0 => None,
            flag::TIMESTAMP => {
                let timestamp = shape.timestamp(&mut r)?;
                Some(Liveness { timestamp, ttl: 0, expires: NO_LOCAL_TIME })
            }
            _ => Some(expiring(flags, frame.at, &mut r, shape)?),
        };
        let (deletion, shadowable) = deletions(frame, &mut r, shape)?;
        let count = shape.columns(is_static).len();
        let columns = match flags & flag::ALL_COLUMNS {
            0 => Columns::read(&mut r, count)?,
            _ => Columns::all(count),
        };
        Ok(Row {
            at: frame.at,
            len: frame.len,
            is_static,
            components: frame.components(bytes),
            before_len,
            liveness,
            deletion,
            shadowable,
            has_complex_deletions: flags & flag::COMPLEX_DELETION != 0,
            columns,
            cells: r,
        })
    }

    /// Its place among the rows and markers of the partition.
    pub fn prefix(&self) -> Prefix<'a> {
        Prefix { kind: PrefixKind::Row, components: self.components }
    }

    /// Whether it says nothing: the static row of a partition without static values. Such a row is
    /// counted nowhere.
    pub fn is_empty(&self) -> bool {
        let is_live = self.deletion.is_live() && self.shadowable.is_live();
        self.liveness.is_none() && is_live && self.columns.is_empty()
    }
}

/// The deletion and the shadowable one. Cassandra has a bit that makes one of the other, ScyllaDB
/// one for another that follows.
#[inline]
fn deletions(
    frame: &Frame,
    r: &mut Reader<'_>,
    shape: &RowShape,
) -> Result<(Deletion, Deletion), DecodeError> {
    let first = match frame.flags & flag::DELETION {
        0 => Deletion::LIVE,
        _ => shape.deletion(r)?,
    };
    if frame.more_flags & flag::MORE_SHADOWABLE != 0 {
        return Ok((first, shape.deletion(r)?));
    }
    match frame.more_flags & flag::SHADOWABLE {
        0 => Ok((first, Deletion::LIVE)),
        _ => Ok((Deletion::LIVE, first)),
    }
}

#[cold]
fn expiring(
    flags: u8,
    at: u64,
    r: &mut Reader<'_>,
    shape: &RowShape,
) -> Result<Liveness, DecodeError> {
    if flags & flag::TIMESTAMP == 0 {
        let (what, want) = ("flags of a row that expires", (flags | flag::TIMESTAMP).into());
        return Err(DecodeError::Corrupt { what, at, want, got: flags.into() });
    }
    let timestamp = shape.timestamp(r)?;
    Ok(Liveness { timestamp, ttl: shape.ttl(r)?, expires: shape.local_time(r)? })
}
