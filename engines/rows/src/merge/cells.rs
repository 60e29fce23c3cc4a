//! Which of two cells of the same column and path is kept.
//!
//! The higher timestamp. Of equal ones, as Cassandra decides since 4.0: one with a local time, a
//! tombstone or an expiring cell, before one without; a tombstone before an expiring one; the later
//! local time; the greater value.

use std::cmp::Ordering;

use manicule_format_sstable::{NO_LOCAL_TIME, Type};

use super::counters;
use super::part::SourcedCell;

/// The cell that is kept of two of a column of a type.
pub(super) fn newer<'a>(
    kind: &Type,
    left: SourcedCell<'a>,
    right: SourcedCell<'a>,
) -> SourcedCell<'a> {
    if *kind == Type::Counter {
        return counters::merged(left, right);
    }
    if rank(&left).cmp(&rank(&right)) == Ordering::Less { right } else { left }
}

fn rank<'c>(cell: &'c SourcedCell<'_>) -> (i64, bool, bool, i64, &'c [u8]) {
    let has_time = cell.local_time() != NO_LOCAL_TIME;
    (cell.timestamp(), has_time, cell.is_deleted(), cell.local_time(), cell.value())
}

/// Order of two paths of a complex column.
pub(crate) fn compare_paths(kind: &Type, left: Option<&[u8]>, right: Option<&[u8]>) -> Ordering {
    let (Some(left), Some(right)) = (left, right) else { return left.cmp(&right) };
    match kind {
        Type::List { .. } => Type::Timeuuid.compare(left, right),
        Type::Set { element, .. } => element.compare(left, right),
        Type::Map { key, .. } => key.compare(left, right),
        Type::User(_) => Type::Smallint.compare(left, right),
        _ => left.cmp(right),
    }
}
