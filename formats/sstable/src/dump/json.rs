//! Names, keys, paths and values of a dump.

use crate::Version;
use crate::data::Cell;
use crate::types::{Elements, PlainForm, Type, put_json_string, quoted_name_of};

/// A number in decimal digits.
pub(super) fn put_number(number: impl itoa::Integer, out: &mut String) {
    out.push_str(itoa::Buffer::new().format(number));
}

/// A column's name as CQL writes it, as a JSON string.
pub(super) fn column_name(name: &[u8], version: Version) -> String {
    let mut out = String::new();
    put_json_string(&quoted_name_of(name, version), &mut out);
    out
}

/// The parts of a partition key, each a string.
pub(super) fn put_key(kind: &Type, key: &[u8], form: PlainForm, out: &mut String) {
    let Type::Composite(parts) = kind else { return put_quoted(kind, key, form, out) };
    for (at, (kind, part)) in parts.iter().zip(Elements::of_composite(key)).enumerate() {
        if at > 0 {
            out.push_str(", ");
        }
        put_quoted(kind, part.unwrap_or_default(), form, out);
    }
}

/// The path of a cell in a complex column, as a string.
pub(super) fn put_path(kind: &Type, path: &[u8], form: PlainForm, out: &mut String) {
    match kind.ascending() {
        Type::List { .. } => put_quoted(&Type::Timeuuid, path, form, out),
        Type::Set { element, .. } => put_quoted(element, path, form, out),
        Type::Map { key, .. } => put_quoted(key, path, form, out),
        Type::User(user) => match field(path).and_then(|field| user.fields.get(field)) {
            Some((name, _)) => put_json_string(&String::from_utf8_lossy(name), out),
            None => put_quoted(&Type::Blob, path, form, out),
        },
        other => put_quoted(other, path, form, out),
    }
}

/// The value of a cell; of an element of a set, which is its path, `""`.
pub(super) fn put_cell_value(kind: &Type, cell: &Cell<'_>, form: PlainForm, out: &mut String) {
    let kind = match (kind, cell.path) {
        (_, None) => kind,
        (Type::Set { .. }, _) => &Type::Empty,
        (Type::List { element: value, .. } | Type::Map { value, .. }, _) => value,
        (Type::User(user), Some(path)) => {
            let field = field(path).and_then(|field| user.fields.get(field));
            field.map_or(&Type::Blob, |(_, kind)| kind)
        }
        _ => kind,
    };
    kind.put_json_as(Some(cell.value), form, out);
}

/// The index of a user-defined type's field.
fn field(path: &[u8]) -> Option<usize> {
    let number = i16::from_be_bytes(path.try_into().ok()?);
    usize::try_from(number).ok()
}

/// A value as Cassandra's tools print keys, as a JSON string.
fn put_quoted(kind: &Type, value: &[u8], form: PlainForm, out: &mut String) {
    let mut text = String::new();
    kind.put_plain(value, form, &mut text);
    put_json_string(&text, out);
}
