//! One part of a key: its marker and its value by its type.
//!
//! Bytes:   3e | null; 3f | empty; 41 | empty, descending; 40 | value; docs/formats/sstable.md, "Byte-comparable keys"

use super::decimal::put_decimal;
use super::number::{put_bigint, put_varint};
use crate::types::{Elements, Type};

/// In front of a part that has a value.
pub(super) const PART: u8 = 0x40;

/// After the last part of a key or a tuple.
pub(super) const END: u8 = 0x38;

/// In front of no value.
const NULL: u8 = 0x3e;

/// In front of the empty value of a type whose values aren't empty by nature.
const EMPTY: u8 = 0x3f;
const EMPTY_DESCENDING: u8 = 0x41;

/// After the last element of a collection.
const COLLECTION_END: u8 = 0;

/// Appends a part with its marker.
pub(super) fn put_part(kind: &Type, value: Option<&[u8]>, out: &mut Vec<u8>) {
    let Some(value) = value else {
        out.push(NULL);
        return;
    };
    if value.is_empty() && !is_empty_by_nature(kind) {
        out.push(if matches!(kind, Type::Reversed(_)) { EMPTY_DESCENDING } else { EMPTY });
        return;
    }
    out.push(PART);
    put_value(kind, value, out);
}

/// Whether a value of no bytes is an ordinary one of the type.
fn is_empty_by_nature(kind: &Type) -> bool {
    let kind = kind.ascending();
    matches!(
        kind,
        Type::Text | Type::Ascii | Type::Blob | Type::Inet | Type::Duration | Type::Custom(_)
    )
}

/// Appends a value that has its type's length; of other lengths the bytes as they are, so that no
/// value panics.
fn put_value(kind: &Type, value: &[u8], out: &mut Vec<u8>) {
    match kind {
        Type::Reversed(inner) => {
            let start = out.len();
            put_value(inner, value, out);
            out[start..].iter_mut().for_each(|byte| *byte = !*byte);
        }
        Type::Int | Type::Smallint | Type::Tinyint | Type::Timestamp => {
            put_with_first(value, value[0] ^ 0x80, out);
        }
        Type::Float | Type::Double if value[0] & 0x80 != 0 => {
            out.extend(value.iter().map(|byte| !byte));
        }
        Type::Float | Type::Double => put_with_first(value, value[0] | 0x80, out),
        Type::Boolean => out.push(u8::from(value[0] != 0)),
        Type::Bigint => match value.try_into() {
            Ok(bytes) => put_bigint(i64::from_be_bytes(bytes), out),
            Err(_) => out.extend_from_slice(value),
        },
        Type::Varint => put_varint(value, out),
        Type::Decimal => put_decimal(value, out),
        Type::Uuid | Type::Timeuuid | Type::LexicalUuid => match value.try_into() {
            Ok(bytes) => put_uuid(kind, u128::from_be_bytes(bytes), out),
            Err(_) => out.extend_from_slice(value),
        },
        Type::Date | Type::Time | Type::LegacyTimestamp => out.extend_from_slice(value),
        Type::List { .. }
        | Type::Set { .. }
        | Type::Map { .. }
        | Type::Tuple { .. }
        | Type::User(_)
        | Type::Vector { .. } => put_parts(kind, value, out),
        _ => put_escaped(value, out),
    }
}

fn put_with_first(value: &[u8], first: u8, out: &mut Vec<u8>) {
    out.push(first);
    out.extend_from_slice(&value[1..]);
}

/// Values of several parts. Types nest no deeper than their parser lets them.
fn put_parts(kind: &Type, value: &[u8], out: &mut Vec<u8>) {
    match kind {
        Type::List { element, .. } | Type::Set { element, .. } => {
            Elements::of_list(value).for_each(|part| put_part(element, part, out));
        }
        Type::Map { key, value: mapped, .. } => {
            let kinds = [key, mapped].into_iter().cycle();
            kinds.zip(Elements::of_map(value)).for_each(|(kind, part)| put_part(kind, part, out));
        }
        Type::Vector { element, count } => {
            let parts = Elements::of_vector(value, *count, element.fixed_width());
            parts.for_each(|part| put_part(element, part, out));
        }
        Type::Tuple { fields, .. } => return put_fields(fields.iter(), value, out),
        Type::User(user) => {
            return put_fields(user.fields.iter().map(|(_, kind)| kind), value, out);
        }
        _ => {}
    }
    out.push(COLLECTION_END);
}

/// Fields of a tuple; nulls at its end are as if they were missing.
fn put_fields<'t>(kinds: impl Iterator<Item = &'t Type>, value: &[u8], out: &mut Vec<u8>) {
    let mut end = out.len();
    for (kind, part) in kinds.zip(Elements::of_tuple(value)) {
        put_part(kind, part, out);
        if part.is_some() {
            end = out.len();
        }
    }
    out.truncate(end);
    out.push(END);
}

/// Appends bytes so that their end is told from a zero: after zeros comes a byte that says whether
/// they go on.
pub(super) fn put_escaped(value: &[u8], out: &mut Vec<u8>) {
    let mut was_zero = false;
    for &byte in value {
        match (was_zero, byte) {
            (true, 0) => out.push(0xfe),
            (true, _) => out.extend_from_slice(&[0xff, byte]),
            (false, _) => out.push(byte),
        }
        was_zero = byte == 0;
    }
    out.push(if was_zero { 0xfe } else { 0 });
}

fn put_uuid(kind: &Type, bits: u128, out: &mut Vec<u8>) {
    let (high, low) = ((bits >> 64) as u64, bits as u64);
    let version = high >> 12 & 15;
    // Time with its highest digits first, and the version in front of them.
    let by_time = high << 48 | high << 16 & 0xffff_0000_0000 | high >> 32;
    let (high, low) = match kind {
        Type::Timeuuid => (by_time, low ^ 0x8080_8080_8080_8080),
        // Java's order of two signed halves.
        Type::LexicalUuid => (high ^ 1 << 63, low ^ 1 << 63),
        _ if version == 1 => (by_time, low),
        _ => (version << 60 | high >> 4 & 0x0fff_ffff_ffff_f000 | high & 0xfff, low),
    };
    out.extend_from_slice(&high.to_be_bytes());
    out.extend_from_slice(&low.to_be_bytes());
}
