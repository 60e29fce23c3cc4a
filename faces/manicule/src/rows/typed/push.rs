//! Values of CQL, pushed into columns.

use manicule_rows::{Elements, Type};

use crate::answer::{Column, Kind};

/// Adds a value of a type to a column that was made for it. What lacks are also the empty values of
/// types that have no such in Arrow, and bytes that no value has.
pub(crate) fn push(column: &mut Column, kind: &Type, value: Option<&[u8]>) {
    let kind = kind.ascending();
    let is_value = |value: &&[u8]| kind.holds(value) || *kind == Type::Counter;
    match value.filter(is_value) {
        Some(value) => push_held(column, kind, value),
        None => column.null(),
    }
}

fn push_held(column: &mut Column, kind: &Type, value: &[u8]) {
    match column.kind() {
        Kind::Boolean => match value.first() {
            Some(byte) => column.boolean(*byte != 0),
            None => column.null(),
        },
        Kind::Int8 => push_int(column, value, |bytes| i8::from_be_bytes(bytes).into()),
        Kind::Int16 => push_int(column, value, |bytes| i16::from_be_bytes(bytes).into()),
        Kind::Int32 => push_int(column, value, |bytes| i32::from_be_bytes(bytes).into()),
        Kind::Int | Kind::Time | Kind::Millis => push_int(column, value, i64::from_be_bytes),
        // The day 0 is 2^31.
        Kind::Date => push_int(column, value, |bytes| {
            (u32::from_be_bytes(bytes) ^ 1 << 31).cast_signed().into()
        }),
        Kind::Float32 => match value.try_into() {
            Ok(bytes) => column.single(f32::from_be_bytes(bytes)),
            Err(_) => column.null(),
        },
        Kind::Float => match value.try_into() {
            Ok(bytes) => column.float(f64::from_be_bytes(bytes)),
            Err(_) => column.null(),
        },
        Kind::Uuid => match value.try_into() {
            Ok(uuid) => column.uuid(uuid),
            Err(_) => column.null(),
        },
        Kind::Text | Kind::Word => push_text(column, kind, value),
        Kind::Bytes => column.bytes(value),
        Kind::List(_) | Kind::FixedList(..) | Kind::Map(_) | Kind::Struct(_) => {
            push_parts(column, kind, value);
        }
        Kind::Micros | Kind::LocalMicros | Kind::Decimal(_) => {
            unreachable!("no type of CQL is pushed into such")
        }
    }
}

fn push_int<const N: usize>(column: &mut Column, value: &[u8], number: impl Fn([u8; N]) -> i64) {
    match value.try_into() {
        Ok(bytes) => column.int(number(bytes)),
        Err(_) => column.null(),
    }
}

/// A text as it is, all else as CQL writes it, without quotes.
fn push_text(column: &mut Column, kind: &Type, value: &[u8]) {
    if matches!(kind, Type::Text | Type::Ascii) {
        match str::from_utf8(value) {
            Ok(text) => column.text(text),
            Err(_) => column.null(),
        }
    } else if value.is_empty() {
        column.null();
    } else {
        let mut text = String::new();
        kind.put_literal(Some(value), &mut text);
        column.text(text.trim_matches('\''));
    }
}

fn push_parts(column: &mut Column, kind: &Type, value: &[u8]) {
    match kind {
        Type::List { element, .. } | Type::Set { element, .. } => {
            column.list(|items| {
                Elements::of_list(value).for_each(|item| push(items, element, item));
            });
        }
        Type::Vector { .. } if value.is_empty() && matches!(column.kind(), Kind::FixedList(..)) => {
            column.null();
        }
        Type::Vector { element, count } => column.list(|items| {
            let elements = Elements::of_vector(value, *count, element.fixed_width());
            elements.for_each(|item| push(items, element, item));
        }),
        Type::Map { key, value: of_value, .. } => column.pairs(|keys, values| {
            let mut elements = Elements::of_map(value);
            while let Some(own) = elements.next() {
                push(keys, key, own);
                push(values, of_value, elements.next().flatten());
            }
        }),
        _ if value.is_empty() => column.null(),
        Type::Composite(kinds) => {
            push_fields(column, kinds.iter(), Elements::of_composite(value));
        }
        Type::Tuple { fields, .. } => {
            push_fields(column, fields.iter(), Elements::of_tuple(value));
        }
        Type::User(user) => {
            let kinds = user.fields.iter().map(|(_, kind)| kind);
            push_fields(column, kinds, Elements::of_tuple(value));
        }
        _ => unreachable!("types without parts have no column with some"),
    }
}

/// Those at the end that lack are null.
fn push_fields<'t>(
    column: &mut Column,
    kinds: impl Iterator<Item = &'t Type>,
    mut elements: Elements<'_>,
) {
    column.parts(|parts| {
        for (part, kind) in parts.iter_mut().zip(kinds) {
            push(part, kind, elements.next().flatten());
        }
    });
}
