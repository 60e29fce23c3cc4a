//! What must hold between the unfiltereds of a partition: their order, open deletions, the static
//! row, lengths of what was before.
//!
//! Bytes:   docs/formats/sstable.md, "Data.db"

use std::cmp::Ordering;

use manicule_core::bytes::DecodeError;

use super::head::PartitionHead;
use super::shape::RowShape;
use super::unfiltered::Unfiltered;
use crate::deletion::Deletion;
use crate::prefix::{Prefix, PrefixBuf};
use crate::types::Type;

/// Checks a partition as it is read, from its head to its end. One serves for all partitions of a
/// table.
///
/// Memory: the clustering of one unfiltered.
#[derive(Clone, Debug)]
pub struct Sequence {
    /// Offset of the partition.
    start: u64,
    /// Offset of the unfiltered before; of the partition where there is none.
    before: u64,
    phase: Phase,
    open: Option<Deletion>,
    last: PrefixBuf,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    /// After the head.
    Head,
    /// After the static row.
    Static,
    /// After a row or a marker, whose clustering is kept.
    Rows,
}

impl Default for Sequence {
    fn default() -> Self {
        Sequence::new()
    }
}

impl Sequence {
    /// Before the first partition.
    pub fn new() -> Sequence {
        let last = PrefixBuf::of(&Prefix::FIRST);
        Sequence { start: 0, before: 0, phase: Phase::Head, open: None, last }
    }

    /// A partition begins.
    pub fn begin(&mut self, head: &PartitionHead<'_>) {
        (self.start, self.before) = (head.at, head.at);
        (self.phase, self.open) = (Phase::Head, None);
    }

    /// The range deletion that is open here.
    pub fn open(&self) -> Option<Deletion> {
        self.open
    }

    /// The next unfiltered, which begins at `at`; `kinds` are the types of the clustering columns.
    ///
    /// # Errors
    /// What section 14 of the format lists: rows out of order, a marker that ends what isn't open
    /// or begins what is, a partition that ends with an open deletion, a static row missing or out
    /// of place, a wrong length of what was before.
    pub fn check(
        &mut self,
        unfiltered: &Unfiltered<'_>,
        at: u64,
        shape: &RowShape,
        kinds: &[Type],
    ) -> Result<(), DecodeError> {
        let is_static = matches!(unfiltered, Unfiltered::Row(row) if row.is_static);
        self.check_static(is_static, at, shape)?;
        let (prefix, before_len) = match unfiltered {
            Unfiltered::Row(row) if is_static => return self.after_static(row.before_len, at),
            Unfiltered::Row(row) => (row.prefix(), row.before_len),
            Unfiltered::Marker(marker) => {
                self.check_marker(marker.ends, marker.begins, at)?;
                (marker.prefix, marker.before_len)
            }
            Unfiltered::End => return self.check_end(at),
        };
        self.check_before(before_len, at)?;
        self.check_order(&prefix, at, kinds)
    }

    fn check_static(&self, is_static: bool, at: u64, shape: &RowShape) -> Result<(), DecodeError> {
        let wants = self.phase == Phase::Head && shape.has_statics();
        if wants == is_static {
            return Ok(());
        }
        let (what, want, got) = ("static row", wants.into(), is_static.into());
        Err(DecodeError::Corrupt { what, at, want, got })
    }

    fn after_static(&mut self, before_len: u64, at: u64) -> Result<(), DecodeError> {
        self.phase = Phase::Static;
        match before_len {
            0 => Ok(()),
            got => {
                let what = "length of what was before the static row";
                Err(DecodeError::Corrupt { what, at, want: 0, got })
            }
        }
    }

    fn check_marker(
        &mut self,
        ends: Option<Deletion>,
        begins: Option<Deletion>,
        at: u64,
    ) -> Result<(), DecodeError> {
        let bits = |deletion: Option<Deletion>| deletion.map_or(0, |it| it.marked_at as u64);
        if ends != self.open {
            let what = "deletion that a marker ends";
            let (want, got) = (bits(self.open), bits(ends));
            return Err(DecodeError::Corrupt { what, at, want, got });
        }
        self.open = begins;
        Ok(())
    }

    fn check_before(&mut self, got: u64, at: u64) -> Result<(), DecodeError> {
        // The head counts with the static row: the first one's distance is from the partition's
        // start.
        let want = at - self.before;
        self.before = at;
        if want == got {
            Ok(())
        } else {
            let what = "length of what was before";
            Err(DecodeError::Corrupt { what, at, want, got })
        }
    }

    fn check_order(
        &mut self,
        prefix: &Prefix<'_>,
        at: u64,
        kinds: &[Type],
    ) -> Result<(), DecodeError> {
        let is_first = self.phase != Phase::Rows;
        self.phase = Phase::Rows;
        let order = Prefix::compare(kinds, &self.last.as_prefix(), prefix);
        if !is_first && order != Ordering::Less {
            let (want, got) = (u64::from(true), u64::from(false));
            return Err(DecodeError::Corrupt { what: "order of clusterings", at, want, got });
        }
        self.last.set(prefix);
        Ok(())
    }

    fn check_end(&self, at: u64) -> Result<(), DecodeError> {
        match self.open {
            None => Ok(()),
            Some(open) => {
                let what = "deletion that is open at the end of a partition";
                Err(DecodeError::Corrupt { what, at, want: 0, got: open.marked_at as u64 })
            }
        }
    }
}
