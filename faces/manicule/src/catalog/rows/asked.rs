//! Conditions on the columns of a user's key as the bytes of partition keys, and as bounds of rows.
//! They say which rows can fulfil the conditions, which are tested all the same.

use crate::answer::{Question, Test, Value};

use crate::rows::{Bounds, Edge, RowsError, Shape, Type};

/// Greatest number of partition keys that conditions stand for; of more all partitions are read.
const KEYS_MAX: usize = 4096;

/// The partition keys of conditions `=` and IN on all columns of the key, which begin at a place.
pub(super) fn keys(shape: &Shape, question: &mut Question, first: usize) -> Option<Vec<Vec<u8>>> {
    let kind = &shape.header().key;
    let parts = match kind {
        Type::Composite(parts) => &parts[..],
        single => std::slice::from_ref(single),
    };
    let mut keys: Vec<Vec<Vec<u8>>> = vec![Vec::new()];
    for (at, part) in (first..).zip(parts) {
        let values = values(question, at, part)?;
        if keys.len().saturating_mul(values.len()) > KEYS_MAX {
            return None;
        }
        let with =
            |key: &Vec<Vec<u8>>, value: &Vec<u8>| [&key[..], std::slice::from_ref(value)].concat();
        keys = keys.iter().flat_map(|key| values.iter().map(|value| with(key, value))).collect();
    }
    let whole = |parts: &Vec<Vec<u8>>| {
        let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
        // One that is too long is no key that there is.
        kind.key_of_parts(&parts).ok()
    };
    Some(keys.iter().filter_map(whole).collect())
}

/// Bounds of rows, by conditions on clustering columns, which begin at a place: `=` on the first
/// ones, a range on the next. `None` without such; an error where no row is between them.
pub(super) fn bounds(
    shape: &Shape,
    question: &mut Question,
    first: usize,
) -> Result<Option<Bounds>, RowsError> {
    let types = &shape.header().clustering;
    let (mut prefix, mut low, mut high) = (Vec::new(), None, None);
    for (at, kind) in (first..).zip(types) {
        match values(question, at, kind) {
            Some(mut values) if values.len() == 1 => prefix.extend(values.pop()),
            _ => {
                (low, high) = range(question, at, kind);
                if matches!(kind, Type::Reversed(_)) {
                    std::mem::swap(&mut low, &mut high);
                }
                break;
            }
        }
    }
    if prefix.is_empty() && low.is_none() && high.is_none() {
        return Ok(None);
    }
    let own = |limit: &Limit| {
        let values = prefix.iter().chain(limit.iter().map(|(value, _)| value));
        values.cloned().collect::<Vec<_>>()
    };
    let (start, end) = (own(&low), own(&high));
    let [start, end] =
        [&start, &end].map(|own| own.iter().map(|value| Some(&value[..])).collect::<Vec<_>>());
    Bounds::new(types, edge(&start, &low), edge(&end, &high)).map(Some)
}

/// A value, and whether it is within.
type Limit = Option<(Vec<u8>, bool)>;

fn edge<'v>(values: &'v [Option<&'v [u8]>], limit: &Limit) -> Edge<'v> {
    if values.is_empty() {
        Edge::Open
    } else if limit.as_ref().is_none_or(|limit| limit.1) {
        Edge::Inclusive(values)
    } else {
        Edge::Exclusive(values)
    }
}

/// The values of the first `=` or IN of a column; `None` without such, and where a value's bytes
/// aren't known.
fn values(question: &mut Question, at: usize, kind: &Type) -> Option<Vec<Vec<u8>>> {
    let mut found = None;
    question.push(at, |test| {
        if let (None, Test::In(values)) = (&found, test) {
            found = Some(values.iter().map(|value| bytes(kind, value)).collect());
        }
        false
    });
    found?
}

/// The first lower and the first upper limit of a column whose order is that of its values.
fn range(question: &mut Question, at: usize, kind: &Type) -> (Limit, Limit) {
    let (mut low, mut high) = (None, None);
    let is_ordered = !matches!(kind.ascending(), Type::Uuid | Type::Timeuuid);
    question.push(at, |test| {
        let (side, value, or_equal) = match test {
            Test::Above(value, or_equal) => (&mut low, value, or_equal),
            Test::Below(value, or_equal) => (&mut high, value, or_equal),
            _ => return false,
        };
        if side.is_none() && is_ordered {
            *side = bytes(kind, value).map(|bytes| (bytes, *or_equal));
        }
        false
    });
    (low, high)
}

/// The bytes of a value of a type, of those that have one form only.
fn bytes(kind: &Type, value: &Value) -> Option<Vec<u8>> {
    let kind = kind.ascending();
    Some(match (kind, value) {
        (Type::Text | Type::Ascii, Value::Text(text)) => text.as_bytes().to_vec(),
        (Type::Uuid | Type::Timeuuid, Value::Text(text)) => kind.read_field(text).ok()?,
        (Type::Tinyint, Value::Int(int)) => i8::try_from(*int).ok()?.to_be_bytes().to_vec(),
        (Type::Smallint, Value::Int(int)) => i16::try_from(*int).ok()?.to_be_bytes().to_vec(),
        (Type::Int, Value::Int(int)) => i32::try_from(*int).ok()?.to_be_bytes().to_vec(),
        (Type::Bigint | Type::Timestamp | Type::Time, Value::Int(int)) => {
            int.to_be_bytes().to_vec()
        }
        // The day 0 is 2^31.
        (Type::Date, Value::Int(days)) => {
            (i32::try_from(*days).ok()?.cast_unsigned() ^ 1 << 31).to_be_bytes().to_vec()
        }
        _ => return None,
    })
}
