//! Range tombstone markers: where a deletion of a range of rows begins and ends.
//!
//! Bytes:   body | vint length of what was before | deletion | [deletion that begins, of a boundary] |,
//!          docs/formats/sstable.md, "Data.db"

use manicule_core::bytes::{DecodeError, Reader};

use super::frame::Frame;
use super::shape::RowShape;
use crate::deletion::Deletion;
use crate::prefix::{Prefix, PrefixKind};
use crate::vint::ReadVint;

/// A range tombstone marker.
#[derive(Clone, Copy, Debug)]
pub struct Marker<'a> {
    /// Its offset in uncompressed Data.db.
    pub at: u64,
    /// Its length in bytes.
    pub len: usize,
    /// Its place among the rows, whose kind says whether a deletion ends or begins there.
    pub prefix: Prefix<'a>,
    /// Distance from the start of what was before it: 0 never occurs.
    pub before_len: u64,
    /// The deletion that ends here.
    pub ends: Option<Deletion>,
    /// The deletion that begins here.
    pub begins: Option<Deletion>,
}

impl<'a> Marker<'a> {
    pub(super) fn open(
        frame: &Frame,
        kind: PrefixKind,
        bytes: &'a [u8],
        shape: &RowShape,
    ) -> Result<Marker<'a>, DecodeError> {
        let body_at = frame.at + frame.body_start as u64;
        let mut r = Reader::new(&bytes[frame.body_start..], body_at);
        let before_len = r.vint("length of what was before")?;
        let first = shape.deletion(&mut r)?;
        let (ends, begins) = match kind {
            kind if kind.is_boundary() => (Some(first), Some(shape.deletion(&mut r)?)),
            kind if kind.opens() => (None, Some(first)),
            _ => (Some(first), None),
        };
        if !r.rest().is_empty() {
            let (want, got) = (r.at() - body_at, (bytes.len() - frame.body_start) as u64);
            return Err(DecodeError::Corrupt { what: "size of a marker", at: body_at, want, got });
        }
        let prefix = Prefix { kind, components: frame.components(bytes) };
        Ok(Marker { at: frame.at, len: frame.len, prefix, before_len, ends, begins })
    }
}
