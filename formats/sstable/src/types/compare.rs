//! Order of two values of a type: that of its rows in Data.db, of its elements in a set.
//!
//! Bytes:   docs/formats/sstable.md, Order of values

use std::cmp::Ordering;

use super::elements::{Elements, Value};
use super::number::{compare_decimals, compare_numbers};
use super::{Type, UserType};

impl Type {
    /// Order of two values. The empty value is first, in descending order last. Values that differ
    /// in their bytes may be equal: 1 and 1.00, numbers with padding, NaNs, a tuple with and
    /// without nulls at its end.
    ///
    /// Bytes that no value of the type has are ordered too, somehow: after the values that have the
    /// right length.
    pub fn compare(&self, left: &[u8], right: &[u8]) -> Ordering {
        if let Type::Reversed(inner) = self {
            return inner.compare(right, left);
        }
        if left.is_empty() || right.is_empty() {
            return left.len().min(1).cmp(&right.len().min(1));
        }
        if let Some(len) = self.value_len()
            && (left.len() != len || right.len() != len)
        {
            return (left.len() != len).cmp(&(right.len() != len)).then_with(|| left.cmp(right));
        }
        match self {
            Type::Int | Type::Bigint | Type::Smallint | Type::Tinyint | Type::Timestamp => {
                (left[0] ^ 0x80).cmp(&(right[0] ^ 0x80)).then_with(|| left[1..].cmp(&right[1..]))
            }
            Type::Boolean => (left[0] != 0).cmp(&(right[0] != 0)),
            Type::Float => float(left).total_cmp(&float(right)),
            Type::Double => double(left).total_cmp(&double(right)),
            Type::Varint => compare_numbers(left, right),
            Type::Decimal => compare_decimals(left, right),
            Type::Uuid => uuid_order(left).cmp(&uuid_order(right)),
            Type::Timeuuid => timeuuid_order(left).cmp(&timeuuid_order(right)),
            Type::LexicalUuid => lexical_order(left).cmp(&lexical_order(right)),
            _ => self.compare_parts(left, right),
        }
    }

    /// Values with parts; all others by their bytes.
    fn compare_parts(&self, left: &[u8], right: &[u8]) -> Ordering {
        match self {
            Type::List { element, .. } | Type::Set { element, .. } => {
                let of = Elements::of_list;
                compare_elements(of(left), of(right), |_| Some(element), Ordering::Less)
            }
            Type::Map { key, value, .. } => {
                let kinds = [key, value];
                let (left, right) = (Elements::of_map(left), Elements::of_map(right));
                compare_elements(left, right, |index| Some(kinds[index % 2]), Ordering::Less)
            }
            Type::Tuple { fields, .. } => compare_fields(left, right, |index| fields.get(index)),
            Type::User(user) => {
                let UserType { fields, .. } = &**user;
                compare_fields(left, right, |index| fields.get(index).map(|(_, kind)| kind))
            }
            Type::Composite(parts) => {
                let of = Elements::of_composite;
                compare_elements(of(left), of(right), |index| parts.get(index), Ordering::Less)
            }
            Type::Vector { element, count } => {
                let of = |value| Elements::of_vector(value, *count, element.fixed_width());
                compare_elements(of(left), of(right), |_| Some(element), Ordering::Less)
            }
            _ => left.cmp(right),
        }
    }
}

fn compare_fields<'t>(
    left: &[u8],
    right: &[u8],
    kind: impl Fn(usize) -> Option<&'t Type>,
) -> Ordering {
    compare_elements(Elements::of_tuple(left), Elements::of_tuple(right), kind, Ordering::Equal)
}

/// Part by part, null first; `ended` is the order of no part and null: a list ends before it goes
/// on, a tuple's missing fields are null.
fn compare_elements<'t, 'v>(
    left: Elements<'v>,
    right: Elements<'v>,
    kind: impl Fn(usize) -> Option<&'t Type>,
    ended: Ordering,
) -> Ordering {
    let (mut lefts, mut rights) = (left.fuse(), right.fuse());
    for index in 0.. {
        let order = match (lefts.next(), rights.next()) {
            (None, None) => return Ordering::Equal,
            (Some(left), Some(right)) => compare_values(kind(index), left, right),
            (None, Some(None)) => ended,
            (None, Some(Some(_))) => Ordering::Less,
            (Some(None), None) => ended.reverse(),
            (Some(Some(_)), None) => Ordering::Greater,
        };
        if order.is_ne() {
            return order;
        }
    }
    unreachable!("values end")
}

/// Null is first. Parts beyond those of the type are ordered by their bytes.
pub(crate) fn compare_values(kind: Option<&Type>, left: Value<'_>, right: Value<'_>) -> Ordering {
    match (left, right) {
        (Some(left), Some(right)) => {
            kind.map_or_else(|| left.cmp(right), |kind| kind.compare(left, right))
        }
        (left, right) => left.is_some().cmp(&right.is_some()),
    }
}

/// All NaNs are one, after infinity.
fn float(bytes: &[u8]) -> f32 {
    let value = f32::from_be_bytes(array(bytes));
    if value.is_nan() { f32::NAN.abs() } else { value }
}

/// All NaNs are one, after infinity.
fn double(bytes: &[u8]) -> f64 {
    let value = f64::from_be_bytes(array(bytes));
    if value.is_nan() { f64::NAN.abs() } else { value }
}

/// Version, then of version 1 the time, of others the high half; then the low half.
fn uuid_order(bytes: &[u8]) -> (u64, u64, u64) {
    let (high, low) = halves(bytes);
    let version = high >> 12 & 0xf;
    let first = if version == 1 { time_order(high) } else { high };
    (version, first, low)
}

/// The time, then the low half as signed bytes.
fn timeuuid_order(bytes: &[u8]) -> (u64, u64) {
    let (high, low) = halves(bytes);
    (time_order(high), low ^ 0x8080_8080_8080_8080)
}

/// Both halves as signed numbers.
fn lexical_order(bytes: &[u8]) -> (i64, i64) {
    let (high, low) = halves(bytes);
    (high as i64, low as i64)
}

fn halves(bytes: &[u8]) -> (u64, u64) {
    let both = u128::from_be_bytes(array(bytes));
    ((both >> 64) as u64, both as u64)
}

/// Time of a UUID from its highest bits down: the words are stored lowest first, the version in the
/// highest.
pub(super) fn time_order(high: u64) -> u64 {
    high << 48 | (high << 16 & 0xffff_0000_0000) | high >> 32
}

fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.try_into().expect("values of another length were ordered before")
}

#[cfg(test)]
mod tests {
    use super::*;
    use manicule_core::hex;
    use manicule_testkit::golden_file;

    struct Ranked {
        rank: u64,
        value: Vec<u8>,
    }

    /// Class and values of each type, ranked by Cassandra's own comparators.
    fn ranked() -> Vec<(String, Type, Vec<Ranked>)> {
        let json: serde_json::Value =
            serde_json::from_slice(&golden_file("rows", "order.json")).expect("JSON");
        let types = json.as_object().expect("types");
        types
            .iter()
            .map(|(name, row)| {
                let class = row["class"].as_str().expect("a class");
                let values = row["ascending"].as_array().expect("values").iter();
                let values = values.map(|row| Ranked {
                    rank: row["rank"].as_u64().expect("a rank"),
                    value: hex::decode(row["hex"].as_str().expect("hex")).expect("hex"),
                });
                (name.clone(), Type::parse(class).expect(class), values.collect())
            })
            .collect()
    }

    #[test]
    fn values_are_in_the_order_of_cassandras_comparators() {
        let all = ranked();
        assert_eq!(all.len(), 22);
        for (name, kind, values) in &all {
            let reversed = Type::Reversed(Box::new(kind.clone()));
            for left in values {
                for right in values {
                    let want = left.rank.cmp(&right.rank);
                    let pair = (&left.value, &right.value);
                    assert_eq!(kind.compare(pair.0, pair.1), want, "{name}: {pair:x?}");
                    let got = reversed.compare(pair.0, pair.1);
                    assert_eq!(got, want.reverse(), "{name}: {pair:x?}");
                }
            }
        }
    }

    #[test]
    fn bytes_of_no_value_are_ordered_all_the_same() {
        let mut kinds: Vec<Type> = ranked().into_iter().map(|(_, kind, _)| kind).collect();
        for name in [
            "LexicalUUIDType",
            "VectorType(Int32Type , 2)",
            "VectorType(UTF8Type , 2)",
            "CompositeType(Int32Type,UTF8Type)",
            "UserType(k,61,62:Int32Type)",
            "DurationType",
        ] {
            kinds.push(Type::parse(name).expect(name));
        }
        let mut random = 3_u64;
        let values: Vec<Vec<u8>> = (0..120)
            .map(|len| {
                random = manicule_core::bytes::mix(random, len);
                let mut bytes = random.to_be_bytes().repeat(3);
                if len % 3 == 0 {
                    bytes.iter_mut().for_each(|byte| *byte &= 3);
                }
                bytes[..3].fill(0);
                bytes.truncate(len as usize % 22);
                bytes
            })
            .collect();
        for kind in &kinds {
            for left in &values {
                assert_eq!(kind.compare(left, left), Ordering::Equal, "{kind} {left:x?}");
                for right in &values {
                    let order = kind.compare(left, right);
                    assert_eq!(
                        kind.compare(right, left),
                        order.reverse(),
                        "{kind} {left:x?} {right:x?}"
                    );
                }
            }
        }
    }

    #[test]
    fn vectors_and_composite_keys_are_ordered_part_by_part() {
        let check = |name: &str, left: &[u8], right: &[u8], want: Ordering| {
            assert_eq!(Type::parse(name).expect(name).compare(left, right), want, "{name}");
        };
        let vector = "VectorType(ShortType , 2)";
        check(vector, &[2, 0xff, 0xff, 2, 0, 1], &[2, 0, 1, 2, 0, 0], Ordering::Less);
        let composite = "CompositeType(Int32Type,UTF8Type)";
        let key = |number: i32, text: &str| {
            let len = [0, text.len() as u8];
            [&[0, 4], &number.to_be_bytes()[..], &[0], &len, text.as_bytes(), &[0]].concat()
        };
        check(composite, &key(-1, "b"), &key(1, "a"), Ordering::Less);
        check(composite, &key(1, "b"), &key(1, "a"), Ordering::Greater);
        check(composite, &key(1, "b")[..7], &key(1, "a"), Ordering::Less);
    }
}
