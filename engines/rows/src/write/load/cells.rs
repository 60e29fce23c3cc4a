//! Values as cells: of collections and user types that aren't frozen one for each element.

use manicule_format_sstable::{Cell, Column, Deletion, Elements, NO_LOCAL_TIME, RowPart, Type};

use super::row::{NewValue, Stamp};

/// The cells of one row, in memory that serves for all.
#[derive(Debug, Default)]
pub(super) struct Cells {
    /// Paths that no value has as bytes: of elements of lists, of fields.
    paths: Vec<u8>,
}

/// Length in bytes of a time UUID, and of the number of a field.
const UUID_LEN: usize = 16;
const FIELD_LEN: usize = 2;

/// Between 1582-10-15, from which time UUIDs count, and 1970, in their units of 100 ns.
const UUID_EPOCH: u64 = 0x01b2_1dd2_1381_4000;

/// Second half of the UUIDs of elements: the variant, and a node that no host has.
const UUID_NODE: [u8; 8] = [0x80, 0, 0x01, 0, 0, 0, 0, 0];

impl Cells {
    /// The parts of a row of these values, in the order of the columns.
    pub(super) fn parts<'p>(
        &'p mut self,
        columns: &[Column],
        values: &[(usize, NewValue<'p>)],
        stamp: &Stamp,
    ) -> Vec<RowPart<'p>> {
        self.paths.clear();
        for (column, value) in values {
            self.put_paths(&columns[*column].kind, value, stamp.timestamp);
        }
        let (mut parts, mut paths) = (Vec::with_capacity(values.len()), &self.paths[..]);
        for &(column, value) in values {
            let kind = &columns[column].kind;
            if !kind.is_complex() {
                parts.push(RowPart::Cell(simple(column, value, stamp)));
                continue;
            }
            let at = parts.len();
            let marked_at = stamp.timestamp.saturating_sub(1);
            let deletion = Deletion { marked_at, local_time: stamp.now };
            parts.push(RowPart::Complex { column, deletion, cell_count: 0 });
            if let NewValue::Set(value) = value {
                put_elements(kind, column, value, stamp, &mut paths, &mut parts);
            }
            let count = (parts.len() - at - 1) as u64;
            parts[at] = RowPart::Complex { column, deletion, cell_count: count };
        }
        parts
    }

    /// Appends the paths of a value's cells that have to be made.
    fn put_paths(&mut self, kind: &Type, value: &NewValue<'_>, timestamp: i64) {
        let NewValue::Set(value) = value else { return };
        match kind {
            Type::List { is_frozen: false, .. } => {
                for index in 0..Elements::of_list(value).count() {
                    self.paths.extend_from_slice(&element_path(timestamp, index));
                }
            }
            Type::User(user) if !user.is_frozen => {
                for index in 0..Elements::of_tuple(value).count() {
                    self.paths.extend_from_slice(&(index as u16).to_be_bytes());
                }
            }
            _ => {}
        }
    }
}

/// The time UUID of an element of a list: of the time at which the list was written, in the order
/// of the elements. The same list written again has the same ones.
fn element_path(timestamp: i64, index: usize) -> [u8; UUID_LEN] {
    let ticks = (timestamp as u64).wrapping_mul(10).wrapping_add(UUID_EPOCH);
    let ticks = ticks.wrapping_add(index as u64);
    let mut path = [0; UUID_LEN];
    path[..4].copy_from_slice(&(ticks as u32).to_be_bytes());
    path[4..6].copy_from_slice(&((ticks >> 32) as u16).to_be_bytes());
    path[6..8].copy_from_slice(&((ticks >> 48) as u16 & 0x0fff | 0x1000).to_be_bytes());
    path[8..].copy_from_slice(&UUID_NODE);
    path
}

fn simple<'v>(column: usize, value: NewValue<'v>, stamp: &Stamp) -> Cell<'v> {
    match value {
        NewValue::Set(value) => live(column, None, value, stamp),
        NewValue::Deleted => {
            let dead = live(column, None, b"", stamp);
            Cell { ttl: 0, local_time: stamp.now, is_deleted: true, ..dead }
        }
    }
}

fn live<'v>(column: usize, path: Option<&'v [u8]>, value: &'v [u8], stamp: &Stamp) -> Cell<'v> {
    let Stamp { timestamp, ttl, expires, .. } = *stamp;
    let local_time = if ttl == 0 { NO_LOCAL_TIME } else { expires };
    Cell { at: 0, column, path, timestamp, ttl, local_time, is_deleted: false, value }
}

/// Appends the cells of a value that is many; `paths` begins with those that were made for it.
fn put_elements<'p>(
    kind: &Type,
    column: usize,
    value: &'p [u8],
    stamp: &Stamp,
    paths: &mut &'p [u8],
    parts: &mut Vec<RowPart<'p>>,
) {
    let mut path = |len: usize| {
        let (path, rest) = paths.split_at(len);
        *paths = rest;
        path
    };
    let mut put = |path, value| parts.push(RowPart::Cell(live(column, Some(path), value, stamp)));
    match kind {
        Type::List { .. } => {
            for element in Elements::of_list(value) {
                put(path(UUID_LEN), element.unwrap_or_default());
            }
        }
        Type::Set { .. } => {
            for element in Elements::of_list(value) {
                put(element.unwrap_or_default(), &[]);
            }
        }
        Type::Map { .. } => {
            let mut elements = Elements::of_map(value);
            while let (Some(key), Some(value)) = (elements.next(), elements.next()) {
                put(key.unwrap_or_default(), value.unwrap_or_default());
            }
        }
        _ => {
            for field in Elements::of_tuple(value) {
                let number = path(FIELD_LEN);
                if let Some(field) = field {
                    put(number, field);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_of_a_list_are_time_uuids_in_order() {
        let first = element_path(0, 0);
        // The UUID of 1970 by version 1.
        assert_eq!(first[..8], [0x13, 0x81, 0x40, 0x00, 0x1d, 0xd2, 0x11, 0xb2]);
        let mut before = first.to_vec();
        for (timestamp, index) in [(0, 1), (0, 300), (1_600_000_000_000_000, 0)] {
            let next = element_path(timestamp, index);
            assert!(Type::Timeuuid.compare(&before, &next).is_lt());
            assert!(Type::Timeuuid.holds(&next));
            before = next.to_vec();
        }
    }
}
