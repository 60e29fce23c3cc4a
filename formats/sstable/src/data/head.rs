//! The head of a partition: its key and its deletion.
//!
//! Bytes:   | 2 key length | key | deletion |, docs/formats/sstable.md, "Data.db"

use manicule_core::bytes::{DecodeError, Reader};

use super::parsed::{Parsed, windowed};
use super::shape::RowShape;
use crate::deletion::Deletion;
use crate::vint::ReadVint;

/// The head of a partition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PartitionHead<'a> {
    /// Offset of the partition in uncompressed Data.db.
    pub at: u64,
    /// Its key: the bare value, or the parts of a composite one.
    pub key: &'a [u8],
    /// Its deletion.
    pub deletion: Deletion,
    /// Length in bytes of the head: the static row or the first unfiltered follows it.
    pub len: usize,
}

impl<'a> PartitionHead<'a> {
    /// The head at the front of a window, which begins at `at` of uncompressed Data.db.
    pub fn read(
        window: &'a [u8],
        at: u64,
        shape: &RowShape,
    ) -> Result<Parsed<PartitionHead<'a>>, DecodeError> {
        let mut r = Reader::new(window, at);
        let read = |r: &mut Reader<'a>| {
            let key = r.short_bytes("partition key")?;
            let deletion = Deletion::read(r, shape.deletion_form())?;
            Ok(PartitionHead { at, key, deletion, len: (r.at() - at) as usize })
        };
        windowed(read(&mut r), at)
    }
}
