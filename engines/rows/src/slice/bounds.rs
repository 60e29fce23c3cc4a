//! Bounds of a slice.

use std::cmp::Ordering;

use manicule_format_sstable::{Prefix, PrefixBuf, PrefixKind, Type, Value};

use crate::RowsError;

/// Where a slice starts or ends: the first clustering values, as many as there are or fewer.
#[derive(Clone, Copy, Debug)]
pub enum Edge<'v> {
    /// With the first or last row of the partition.
    Open,
    /// At everything that begins with these values, which is part of it.
    Inclusive(&'v [Value<'v>]),
    /// At everything that begins with these values, without it.
    Exclusive(&'v [Value<'v>]),
}

/// Start and end of a slice, in the order of the table: in a descending column the greater value is
/// the start.
#[derive(Clone, Debug)]
pub struct Bounds {
    start: PrefixBuf,
    end: PrefixBuf,
}

impl Bounds {
    /// All rows.
    pub fn all() -> Self {
        Bounds { start: PrefixBuf::of(&Prefix::FIRST), end: PrefixBuf::of(&Prefix::LAST) }
    }

    /// Bounds of a table whose clustering columns have these types.
    ///
    /// # Errors
    /// [`RowsError::EmptySlice`] if the end is not after the start.
    ///
    /// # Panics
    /// If there are more values than types, or a value of a fixed width has another.
    pub fn new(types: &[Type], start: Edge<'_>, end: Edge<'_>) -> Result<Self, RowsError> {
        use PrefixKind::{ExclusiveEnd, ExclusiveStart, InclusiveEnd, InclusiveStart};
        let start = match start {
            Edge::Open => PrefixBuf::of(&Prefix::FIRST),
            Edge::Inclusive(values) => PrefixBuf::new(InclusiveStart, types, values),
            Edge::Exclusive(values) => PrefixBuf::new(ExclusiveStart, types, values),
        };
        let end = match end {
            Edge::Open => PrefixBuf::of(&Prefix::LAST),
            Edge::Inclusive(values) => PrefixBuf::new(InclusiveEnd, types, values),
            Edge::Exclusive(values) => PrefixBuf::new(ExclusiveEnd, types, values),
        };
        match Prefix::compare(types, &start.as_prefix(), &end.as_prefix()) {
            Ordering::Less => Ok(Bounds { start, end }),
            _ => Err(RowsError::EmptySlice),
        }
    }

    /// Where a place lies: less is before them, equal between them, greater after them.
    pub fn place(&self, types: &[Type], place: &Prefix<'_>) -> Ordering {
        if Prefix::compare(types, place, &self.start()).is_lt() {
            Ordering::Less
        } else if Prefix::compare(types, place, &self.end()).is_gt() {
            Ordering::Greater
        } else {
            Ordering::Equal
        }
    }

    /// The start.
    pub fn start(&self) -> Prefix<'_> {
        self.start.as_prefix()
    }

    /// The end.
    pub fn end(&self) -> Prefix<'_> {
        self.end.as_prefix()
    }
}
