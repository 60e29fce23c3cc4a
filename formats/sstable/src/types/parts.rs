//! Values put together of their parts, and checked: what a value of a type may be.
//!
//! Bytes:   docs/formats/sstable.md, Values

use super::{Elements, Type};
use crate::vint::{put_vint, split_vint};

/// Parts of a value, `None` for null: elements, of a map keys and values in turn, fields.
pub type Parts = Vec<Option<Vec<u8>>>;

impl Type {
    /// The value of these parts. Elements of sets and entries of maps are put in the order of their
    /// type; of equal ones the last stays.
    ///
    /// # Errors
    /// What is wanted, in words: parts that aren't null, a number of them, a length.
    pub fn value_of_parts(&self, parts: Parts) -> Result<Vec<u8>, String> {
        match self.ascending() {
            Type::List { .. } => Ok(counted(&whole(parts)?)),
            Type::Set { element, .. } => {
                let mut elements = whole(parts)?;
                sort(element, &mut elements, |item| item);
                Ok(counted(&elements))
            }
            Type::Map { key, .. } => {
                let mut parts = whole(parts)?.into_iter();
                let mut pairs = Vec::new();
                while let Some(key) = parts.next() {
                    pairs.push((key, parts.next().ok_or("a value for each key")?));
                }
                sort(key, &mut pairs, |(key, _)| key);
                let mut out = (pairs.len() as u32).to_be_bytes().to_vec();
                for (key, value) in &pairs {
                    put_part(Some(key), &mut out);
                    put_part(Some(value), &mut out);
                }
                Ok(out)
            }
            Type::Vector { element, count } => vector(element, *count, &whole(parts)?),
            Type::Tuple { fields, .. } => fields_of(&parts, fields.len()),
            Type::User(user) => fields_of(&parts, user.fields.len()),
            other => Err(format!("{} and not parts", other.cql())),
        }
    }

    /// The partition key of these values, one for each of its columns.
    ///
    /// # Errors
    /// What is wanted, in words: a value of several that is shorter.
    pub fn key_of_parts(&self, parts: &[&[u8]]) -> Result<Vec<u8>, String> {
        let Type::Composite(_) = self else {
            return Ok(parts.first().map_or_else(Vec::new, |part| part.to_vec()));
        };
        let mut key = Vec::new();
        for part in parts {
            let len = u16::try_from(part.len());
            let len = len.map_err(|_| "values of at most 65,535 bytes".to_owned())?;
            key.extend_from_slice(&len.to_be_bytes());
            key.extend_from_slice(part);
            key.push(0);
        }
        Ok(key)
    }

    /// Whether bytes are a value of the type: those that Cassandra takes for one. No bytes are the
    /// empty value, which most types have.
    ///
    /// Of a type that isn't known, and of a counter, all are.
    pub fn holds(&self, value: &[u8]) -> bool {
        if value.is_empty() {
            return self.has_empty_value();
        }
        match self {
            Type::Ascii => value.is_ascii(),
            Type::Text => str::from_utf8(value).is_ok(),
            Type::Blob | Type::Custom(_) | Type::Varint | Type::Counter => true,
            Type::Decimal => value.len() > 4,
            Type::Inet => matches!(value.len(), 4 | 16),
            Type::Duration => is_duration(value),
            Type::Timeuuid => value.len() == 16 && value[6] >> 4 == 1,
            Type::List { element, .. } | Type::Set { element, .. } => {
                all_hold(Elements::of_list(value), |_| Some(element), false)
            }
            Type::Map { key, value: of_value, .. } => {
                let kind = |index| Some(if index % 2 == 0 { &**key } else { &**of_value });
                all_hold(Elements::of_map(value), kind, false)
            }
            Type::Vector { element, count } => {
                let elements = Elements::of_vector(value, *count, element.fixed_width());
                elements.clone().count() as u64 == u64::from(*count)
                    && all_hold(elements, |_| Some(element), false)
            }
            Type::Tuple { fields, .. } => {
                all_hold(Elements::of_tuple(value), |index| fields.get(index), true)
            }
            Type::User(user) => {
                let kind = |index: usize| user.fields.get(index).map(|(_, kind)| kind);
                all_hold(Elements::of_tuple(value), kind, true)
            }
            Type::Composite(parts) => {
                all_hold(Elements::of_composite(value), |index| parts.get(index), false)
            }
            Type::Reversed(inner) => inner.holds(value),
            other => other.value_len() == Some(value.len()),
        }
    }
}

impl Type {
    fn has_empty_value(&self) -> bool {
        match self {
            Type::Tinyint | Type::Smallint | Type::Date | Type::Time | Type::Duration => false,
            Type::List { .. } | Type::Set { .. } | Type::Map { .. } | Type::Vector { .. } => false,
            Type::Reversed(inner) => inner.has_empty_value(),
            _ => true,
        }
    }
}

/// Parts that aren't null.
fn whole(parts: Parts) -> Result<Vec<Vec<u8>>, String> {
    let parts: Option<Vec<_>> = parts.into_iter().collect();
    parts.ok_or_else(|| "elements that aren't null".to_owned())
}

/// In the order of the type; of equal ones the last stays.
fn sort<T>(kind: &Type, items: &mut Vec<T>, of: impl Fn(&T) -> &Vec<u8>) {
    items.reverse();
    items.sort_by(|left, right| kind.compare(of(left), of(right)));
    items.dedup_by(|left, right| kind.compare(of(left), of(right)).is_eq());
}

fn counted(items: &[Vec<u8>]) -> Vec<u8> {
    let mut out = (items.len() as u32).to_be_bytes().to_vec();
    items.iter().for_each(|item| put_part(Some(item), &mut out));
    out
}

fn put_part(part: Option<&[u8]>, out: &mut Vec<u8>) {
    let len = part.map_or(-1, |part| part.len() as i32);
    out.extend_from_slice(&len.to_be_bytes());
    out.extend_from_slice(part.unwrap_or_default());
}

/// Fields, of which those at the end may be left out.
fn fields_of(parts: &Parts, count: usize) -> Result<Vec<u8>, String> {
    if parts.len() > count {
        return Err(format!("at most {count} fields"));
    }
    let mut out = Vec::new();
    parts.iter().for_each(|part| put_part(part.as_deref(), &mut out));
    Ok(out)
}

fn vector(element: &Type, count: u32, items: &[Vec<u8>]) -> Result<Vec<u8>, String> {
    if items.len() as u64 != u64::from(count) {
        return Err(format!("a vector of {count} elements"));
    }
    let mut out = Vec::new();
    for item in items {
        match element.fixed_width() {
            Some(width) if item.len() != width => return Err(format!("elements of {width} bytes")),
            Some(_) => {}
            None => put_vint(item.len() as u64, &mut out),
        }
        out.extend_from_slice(item);
    }
    Ok(out)
}

/// Whether each part is a value of its type and the bytes end with the last. Null is allowed for
/// fields alone.
fn all_hold<'t>(
    mut elements: Elements<'_>,
    kind: impl Fn(usize) -> Option<&'t Type>,
    has_nulls: bool,
) -> bool {
    let holds = |(index, part): (usize, Option<&[u8]>)| match (kind(index), part) {
        (Some(kind), Some(part)) => kind.holds(part),
        (Some(_), None) => has_nulls,
        (None, _) => false,
    };
    elements.by_ref().enumerate().all(holds) && elements.is_whole()
}

/// Three numbers: months, days and nanoseconds.
fn is_duration(value: &[u8]) -> bool {
    let mut rest = value;
    for _ in 0..3 {
        let Some((_, len)) = split_vint(rest) else { return false };
        rest = &rest[len..];
    }
    rest.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_what_their_types_hold() {
        let check = |name: &str, value: &[u8], want: bool| {
            let kind = Type::parse(name).expect(name);
            assert_eq!(kind.holds(value), want, "{name} {value:?}");
        };
        check("Int32Type", &[0, 0, 0, 1], true);
        check("Int32Type", &[0, 0, 1], false);
        check("Int32Type", &[], true);
        check("ByteType", &[1, 2], false);
        check("ByteType", &[], false);
        check("ReversedType(SimpleDateType)", &[], false);
        check("FrozenType(ListType(Int32Type))", &[], false);
        check("TupleType(Int32Type)", &[], true);
        check("UTF8Type", &[0xff], false);
        check("AsciiType", "é".as_bytes(), false);
        check("InetAddressType", &[1, 2, 3, 4], true);
        check("InetAddressType", &[1, 2, 3], false);
        check("DurationType", &[2, 4, 6], true);
        check("DurationType", &[2, 4], false);
        check("ListType(Int32Type)", &[0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0, 9], true);
        check("ListType(Int32Type)", &[0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 9], false);
        check("ListType(Int32Type)", &[0, 0, 0, 1, 255, 255, 255, 255], false);
        check("TupleType(Int32Type,UTF8Type)", &[255, 255, 255, 255], true);
        check("TupleType(Int32Type)", &[255, 255, 255, 255, 255, 255, 255, 255], false);
        check("VectorType(FloatType , 2)", &[0; 8], true);
        check("VectorType(FloatType , 2)", &[0; 4], false);
        check("VectorType(FloatType , 2)", &[0; 12], false);
        check("ReversedType(LongType)", &[0; 8], true);
    }

    #[test]
    fn sets_and_maps_are_in_order_and_have_each_key_once() {
        let parts = |values: &[&[u8]]| values.iter().map(|value| Some(value.to_vec())).collect();
        let set = Type::parse("SetType(UTF8Type)").expect("a type");
        let want = [0, 0, 0, 2, 0, 0, 0, 1, b'a', 0, 0, 0, 1, b'b'];
        assert_eq!(set.value_of_parts(parts(&[b"b", b"a", b"b"])), Ok(want.to_vec()));
        let map = Type::parse("MapType(UTF8Type,UTF8Type)").expect("a type");
        let want = [0, 0, 0, 1, 0, 0, 0, 1, b'k', 0, 0, 0, 1, b'2'];
        assert_eq!(map.value_of_parts(parts(&[b"k", b"1", b"k", b"2"])), Ok(want.to_vec()));
        assert!(map.value_of_parts(parts(&[b"k"])).is_err());
        assert!(set.value_of_parts(vec![None]).is_err());
        assert!(Type::Int.value_of_parts(Vec::new()).is_err());
    }
}
