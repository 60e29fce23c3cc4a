//! The value of a column of many cells as one, and the types of such cells' paths and values.
//!
//! Bytes:   docs/formats/sstable.md, "Values"

use std::borrow::Cow;

use manicule_format_sstable::{Shards, Type};

use super::row::{MergedCell, MergedCells};

/// What the path of a cell is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellPath<'c> {
    /// There is none: the column is one cell.
    None,
    /// A value of a type: a list's time UUID, a set's element, a map's key.
    Value(&'c Type, &'c [u8]),
    /// Name of a user type's field.
    Field(&'c [u8]),
}

impl MergedCells {
    /// The value of a column of a type as a reader sees it: of many cells a frozen list, set, map
    /// or user type; of a counter its sum in eight bytes. `None` if there is no cell, or its only
    /// one is a tombstone.
    pub fn value(&self, kind: &Type) -> Option<Cow<'_, [u8]>> {
        let [first, ..] = &self.cells[..] else { return None };
        if !kind.is_complex() {
            let value = || cell_value(kind, first);
            return (!first.is_deleted).then(value);
        }
        Some(Cow::Owned(self.frozen(kind)))
    }

    fn frozen(&self, kind: &Type) -> Vec<u8> {
        if let Type::User(user) = kind {
            return self.frozen_fields(user.fields.len());
        }
        let mut out = (self.cells.len() as u32).to_be_bytes().to_vec();
        for MergedCell { path, value, .. } in &self.cells {
            if !matches!(kind, Type::List { .. }) {
                put_part(path.as_deref(), &mut out);
            }
            if !matches!(kind, Type::Set { .. }) {
                put_part(Some(value), &mut out);
            }
        }
        out
    }

    /// Fields in their order, null where there is no cell.
    fn frozen_fields(&self, field_count: usize) -> Vec<u8> {
        let mut out = Vec::new();
        for number in 0..field_count {
            let cell = self.cells.iter().find(|cell| field(cell.path.as_deref()) == Some(number));
            put_part(cell.map(|cell| &cell.value[..]), &mut out);
        }
        out
    }
}

impl MergedCell {
    /// What its path is, in a column of a type.
    pub fn path_of<'c>(&'c self, kind: &'c Type) -> CellPath<'c> {
        CellPath::of(kind, self.path.as_deref())
    }

    /// Type and bytes of its value, in a column of a type; `None` of a tombstone, and of an element
    /// of a set, which is its path.
    pub fn value_of<'c>(&'c self, kind: &'c Type) -> Option<(&'c Type, Cow<'c, [u8]>)> {
        if self.is_deleted {
            return None;
        }
        let inner = element_type(kind, self.path.as_deref())?;
        Some((inner, cell_value(inner, self)))
    }
}

impl<'c> CellPath<'c> {
    /// That of a path in a column of a type.
    pub fn of(kind: &'c Type, path: Option<&'c [u8]>) -> CellPath<'c> {
        let Some(path) = path else { return CellPath::None };
        match (kind, path_type(kind)) {
            (_, Some(kind)) => CellPath::Value(kind, path),
            (Type::User(user), None) => {
                match field(Some(path)).and_then(|it| user.fields.get(it)) {
                    Some((name, _)) => CellPath::Field(name),
                    None => CellPath::Value(&Type::Blob, path),
                }
            }
            _ => CellPath::Value(&Type::Blob, path),
        }
    }
}

/// Type of the paths of a collection's elements; `None` of all else.
pub fn path_type(kind: &Type) -> Option<&Type> {
    match kind {
        Type::List { .. } => Some(&Type::Timeuuid),
        Type::Set { element, .. } => Some(element),
        Type::Map { key, .. } => Some(key),
        _ => None,
    }
}

/// Type of the values of a column's cells with a path, or of its single one without; `None` of
/// elements of sets, which have none.
pub fn element_type<'t>(kind: &'t Type, path: Option<&[u8]>) -> Option<&'t Type> {
    match (kind, path) {
        (_, None) => Some(kind),
        (Type::Set { .. }, _) => None,
        (Type::List { element: value, .. } | Type::Map { value, .. }, _) => Some(value),
        (Type::User(user), path) => {
            let field = field(path).and_then(|field| user.fields.get(field));
            Some(field.map_or(&Type::Blob, |(_, kind)| kind))
        }
        _ => Some(kind),
    }
}

/// A cell's own value; of a counter the sum of its shards.
fn cell_value<'c>(kind: &Type, cell: &'c MergedCell) -> Cow<'c, [u8]> {
    match kind {
        Type::Counter => match Shards::open(&cell.value, 0) {
            Ok(shards) => Cow::Owned(shards.total().to_be_bytes().to_vec()),
            Err(_) => Cow::Borrowed(&cell.value),
        },
        _ => Cow::Borrowed(&cell.value),
    }
}

/// The index of a user-defined type's field.
fn field(path: Option<&[u8]>) -> Option<usize> {
    let number = i16::from_be_bytes(path?.try_into().ok()?);
    usize::try_from(number).ok()
}

fn put_part(part: Option<&[u8]>, out: &mut Vec<u8>) {
    let len = part.map_or(-1, |part| part.len() as i32);
    out.extend_from_slice(&len.to_be_bytes());
    out.extend_from_slice(part.unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NO_LOCAL_TIME;
    use manicule_format_sstable::Deletion;

    fn cell(path: Option<&[u8]>, value: &[u8]) -> MergedCell {
        MergedCell {
            path: path.map(<[u8]>::to_vec),
            timestamp: 1,
            ttl: 0,
            local_time: NO_LOCAL_TIME,
            is_deleted: false,
            value: value.to_vec(),
            source: 0,
        }
    }

    fn shown(kind: &str, cells: Vec<MergedCell>) -> String {
        let kind = Type::parse(kind).expect(kind);
        let column = MergedCells { column: 0, deletion: Deletion::LIVE, cells };
        let mut out = String::new();
        kind.put_json(column.value(&kind).as_deref(), &mut out);
        out
    }

    #[test]
    fn many_cells_are_one_value() {
        let (one, two) = ([0, 0, 0, 1], [0, 0, 0, 2]);
        let uuid = [7; 16];
        let list = vec![cell(Some(&uuid), &two), cell(Some(&uuid), &one)];
        assert_eq!(shown("ListType(Int32Type)", list), "[2, 1]");
        let set = vec![cell(Some(&one), b""), cell(Some(&two), b"")];
        assert_eq!(shown("SetType(Int32Type)", set), "[1, 2]");
        let map = vec![cell(Some(b"a"), &one)];
        assert_eq!(shown("MapType(UTF8Type,Int32Type)", map), "{\"a\": 1}");
        let user = "UserType(ks,61,6e:Int32Type,6d:UTF8Type,6c:Int32Type)";
        let fields = vec![cell(Some(&[0, 2]), &two), cell(Some(&[0, 1]), b"x")];
        assert_eq!(shown(user, fields), "{\"n\": null, \"m\": \"x\", \"l\": 2}");
        assert_eq!(shown("Int32Type", vec![cell(None, &two)]), "2");
        let deleted = MergedCell { is_deleted: true, ..cell(None, b"") };
        assert_eq!(shown("Int32Type", vec![deleted]), "null");
        let shards = [&[0, 0][..], &[9; 16], &[0, 0, 0, 0, 0, 0, 0, 1], &[0, 0, 0, 0, 0, 0, 0, 5]];
        assert_eq!(shown("CounterColumnType", vec![cell(None, &shards.concat())]), "5");
    }
}
