//! Cells as the bytes of Data.db, and which columns a row has.
//!
//! Bytes:   as cells and columns, docs/formats/sstable.md, "Data.db"

use super::cells::{Cell, flag};
use super::columns::LISTED_FROM;
use super::row::Liveness;
use super::shape::RowShape;
use crate::vint::put_vint;

/// A cell in a row of this liveness. Times and TTLs that are the row's are not repeated.
pub(super) fn put_cell(
    cell: &Cell<'_>,
    row: Option<Liveness>,
    width: Option<usize>,
    shape: &RowShape,
    out: &mut Vec<u8>,
) {
    let flags = flags(cell, row);
    out.push(flags);
    if flags & flag::ROW_TIMESTAMP == 0 {
        shape.put_timestamp(cell.timestamp, out);
    }
    if flags & flag::ROW_TTL == 0 {
        if flags & (flag::DELETED | flag::EXPIRING) != 0 {
            shape.put_local_time(cell.local_time, out);
        }
        if flags & flag::EXPIRING != 0 {
            shape.put_ttl(cell.ttl, out);
        }
    }
    if let Some(path) = cell.path {
        put_vint(path.len() as u64, out);
        out.extend_from_slice(path);
    }
    if flags & flag::EMPTY != 0 {
        return;
    }
    match width.filter(|_| cell.path.is_none()) {
        Some(width) => assert_eq!(cell.value.len(), width, "a value of fixed width has it"),
        // In a complex column the length is stored whatever the type.
        None => put_vint(cell.value.len() as u64, out),
    }
    out.extend_from_slice(cell.value);
}

fn flags(cell: &Cell<'_>, row: Option<Liveness>) -> u8 {
    let bit = |is_set: bool, bit: u8| if is_set { bit } else { 0 };
    let is_expiring = cell.is_expiring() && !cell.is_deleted;
    let is_of_row = |row: Liveness| row.timestamp == cell.timestamp;
    let has_its_ttl = |row: Liveness| row.ttl == cell.ttl && row.expires == cell.local_time;
    bit(cell.is_deleted, flag::DELETED)
        | bit(is_expiring, flag::EXPIRING)
        | bit(cell.value.is_empty(), flag::EMPTY)
        | bit(row.is_some_and(is_of_row), flag::ROW_TIMESTAMP)
        | bit(is_expiring && row.is_some_and(has_its_ttl), flag::ROW_TTL)
}

/// Which of `count` columns are there: `columns`, ascending and not all.
pub(super) fn put_columns(columns: &[usize], count: usize, out: &mut Vec<u8>) {
    if count < LISTED_FROM {
        let present = columns.iter().fold(0_u64, |bits, column| bits | 1 << column);
        put_vint(((1 << count) - 1) & !present, out);
        return;
    }
    put_vint((count - columns.len()) as u64, out);
    if columns.len() < count / 2 {
        columns.iter().for_each(|column| put_vint(*column as u64, out));
        return;
    }
    let mut present = columns.iter().peekable();
    for column in 0..count {
        if present.next_if(|next| **next == column).is_none() {
            put_vint(column as u64, out);
        }
    }
}

#[cfg(test)]
mod tests {
    use manicule_core::bytes::Reader;

    use super::*;
    use crate::data::columns::Columns;

    #[test]
    fn columns_are_read_back_in_each_form() {
        for count in [1, 3, 63, 64, 70, 200] {
            for step in [1, 2, 3, 5, 50] {
                for first in [0, 1, count - 1] {
                    let columns: Vec<usize> = (first..count).step_by(step).collect();
                    let mut out = Vec::new();
                    put_columns(&columns, count, &mut out);
                    let mut r = Reader::new(&out, 0);
                    let mut read = Columns::read(&mut r, count).expect("columns");
                    let got: Vec<usize> = std::iter::from_fn(|| read.next()).collect();
                    assert_eq!((got, r.rest()), (columns, &[][..]), "{count} {step} {first}");
                }
            }
        }
    }
}
