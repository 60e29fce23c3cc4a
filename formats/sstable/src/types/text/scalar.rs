//! Values without parts as texts, the same in JSON, plain form and literals but for quotes.

use manicule_core::hex;

use super::digits::{put_decimal, put_double, put_float, put_varint};
use super::inet::put_inet;
use super::time::{
    DAY_NANOS, StampForm, put_day, put_duration, put_time, put_timestamp, split_duration,
};
use crate::types::Type;
use crate::types::number::split_decimal;

/// What a text has been written of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Written {
    /// A number or a truth value.
    Bare,
    /// A floating number that JSON has no digits for.
    NotFinite,
    /// Something that is written in quotes.
    Quoted,
    /// Nothing: a type with parts, or bytes that no value of the type has.
    No,
}

/// Appends a value that isn't empty.
pub(super) fn put_scalar(kind: &Type, value: &[u8], stamp: StampForm, out: &mut String) -> Written {
    let written = put_number(kind, value, out);
    if written != Written::No {
        return written;
    }
    match (kind, value.len()) {
        (Type::Timestamp | Type::LegacyTimestamp, 8) => put_timestamp(signed(value), stamp, out),
        (Type::Date, 4) => put_day(signed(value) as u32 as i64 - (1 << 31), out),
        // Of more than a day it has a text that nothing reads.
        (Type::Time, 8) if stamp == StampForm::Exact && signed(value) as u64 >= DAY_NANOS => {
            return Written::No;
        }
        (Type::Time, 8) => put_time(signed(value) as u64, out),
        (Type::Uuid | Type::Timeuuid | Type::LexicalUuid, 16) => put_uuid(value, out),
        (Type::Inet, _) if put_inet(value, out) => {}
        (Type::Duration, _) => match split_duration(value) {
            Some(parts) => put_duration(parts, out),
            None => return Written::No,
        },
        _ => return Written::No,
    }
    Written::Quoted
}

fn put_number(kind: &Type, value: &[u8], out: &mut String) -> Written {
    match (kind, value.len()) {
        (Type::Int, 4) | (Type::Bigint, 8) | (Type::Smallint, 2) | (Type::Tinyint, 1) => {
            out.push_str(itoa::Buffer::new().format(signed(value)));
        }
        (Type::Boolean, 1) => out.push_str(if value[0] == 0 { "false" } else { "true" }),
        (Type::Float, 4) => {
            let number = f32::from_bits(signed(value) as u32);
            put_float(number, out);
            return if number.is_finite() { Written::Bare } else { Written::NotFinite };
        }
        (Type::Double, 8) => {
            let number = f64::from_bits(signed(value) as u64);
            put_double(number, out);
            return if number.is_finite() { Written::Bare } else { Written::NotFinite };
        }
        (Type::Varint, _) => put_varint(value, out),
        (Type::Decimal, _) if split_decimal(value).is_some() => put_decimal(value, out),
        _ => return Written::No,
    }
    Written::Bare
}

/// A number of up to eight bytes.
pub(super) fn signed(bytes: &[u8]) -> i64 {
    let first = bytes.first().map_or(0, |byte| i64::from(*byte as i8));
    bytes.iter().skip(1).fold(first, |number, byte| number << 8 | i64::from(*byte))
}

fn put_uuid(bytes: &[u8], out: &mut String) {
    let start = out.len();
    hex::put(bytes, out);
    for at in [8, 13, 18, 23] {
        out.insert(start + at, '-');
    }
}
