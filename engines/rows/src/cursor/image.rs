//! A number for a clustering, greater for a greater one: what interpolation draws lines through.

use manicule_format_sstable::{Prefix, Type};

/// The number of a prefix's first component; `None` where it has none, or one that isn't ordered as
/// a number is.
pub(super) fn image(types: &[Type], prefix: &Prefix<'_>) -> Option<u64> {
    let value = prefix.values(types).next()??;
    let kind = types.first()?;
    let image = ascending(kind.ascending(), value)?;
    Some(if matches!(kind, Type::Reversed(_)) { !image } else { image })
}

fn ascending(kind: &Type, value: &[u8]) -> Option<u64> {
    // Empty values lie before all others, or after all in descending order: not on a line.
    if value.is_empty() {
        return None;
    }
    let signed = |bytes: &[u8]| {
        let first = i64::from(bytes[0] as i8);
        let number = bytes[1..].iter().fold(first, |number, byte| number << 8 | i64::from(*byte));
        (number as u64) ^ 1 << 63
    };
    match kind {
        Type::Int | Type::Bigint | Type::Timestamp | Type::Smallint | Type::Tinyint => {
            (value.len() <= 8).then(|| signed(value))
        }
        Type::Text | Type::Ascii | Type::Blob | Type::Date | Type::Time => {
            let mut front = [0; 8];
            let len = value.len().min(8);
            front[..len].copy_from_slice(&value[..len]);
            Some(u64::from_be_bytes(front))
        }
        _ => None,
    }
}
