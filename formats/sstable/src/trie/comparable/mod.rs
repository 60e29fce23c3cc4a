//! Keys in byte-comparable form: bytes whose unsigned order is that of the keys.
//!
//! What a key is looked up with in Partitions.db and a bound in Rows.db. Nothing is decoded from
//! this form: an answer comes from the key in Data.db.
//!
//! Bytes:   marker and value for each part, then a terminator; docs/formats/sstable.md, "Byte-comparable keys"

mod decimal;
mod number;
mod value;

use self::value::{END, PART, put_escaped, put_part};
use crate::prefix::PrefixKind;
use crate::types::{Elements, Type, Value};
use crate::version::Version;

/// After the last part of a prefix that lies before everything that continues it, and after it.
const BEFORE: u8 = 0x20;
const AFTER: u8 = 0x60;

/// Appends the form of a partition key in Partitions.db. `key` is as in Data.db, `token` its token
/// by Murmur3.
///
/// ScyllaDB's `ms` has the parts of a key on their own, the other versions the whole key's bytes.
/// The two differ in a file only where two of its keys have one token.
pub fn put_partition_key(version: Version, kind: &Type, key: &[u8], token: i64, out: &mut Vec<u8>) {
    out.push(PART);
    out.extend_from_slice(&((token as u64) ^ 1 << 63).to_be_bytes());
    if version != Version::Ms {
        out.push(PART);
        put_escaped(key, out);
    } else if let Type::Composite(kinds) = kind {
        for (kind, part) in kinds.iter().zip(Elements::of_composite(key)) {
            put_part(kind, part, out);
        }
    } else {
        put_part(kind, Some(key), out);
    }
    out.push(END);
}

/// Appends the form of a partition key where partitions are ordered by the bytes of keys: the key
/// is its own token.
pub fn put_byte_ordered_key(key: &[u8], out: &mut Vec<u8>) {
    for _ in 0..2 {
        out.push(PART);
        put_escaped(key, out);
    }
    out.push(END);
}

/// Appends the form of a row's clustering or of a bound: the values that it has, by the types of
/// the clustering columns.
pub fn put_prefix<'v>(
    kind: PrefixKind,
    kinds: &[Type],
    values: impl IntoIterator<Item = Value<'v>>,
    out: &mut Vec<u8>,
) {
    for (kind, value) in kinds.iter().zip(values) {
        put_part(kind, value, out);
    }
    out.push(match kind {
        PrefixKind::ExclusiveEnd
        | PrefixKind::InclusiveStart
        | PrefixKind::ExclusiveEndInclusiveStart => BEFORE,
        PrefixKind::Static | PrefixKind::Row => END,
        PrefixKind::InclusiveEndExclusiveStart
        | PrefixKind::InclusiveEnd
        | PrefixKind::ExclusiveStart => AFTER,
    });
}

#[cfg(test)]
mod tests;
