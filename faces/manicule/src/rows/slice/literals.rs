//! Key and bounds of a slice, read as CQL writes them.

use std::ops::Bound;

use manicule_rows::slice::{Bounds, Edge};
use manicule_rows::{Header, LiteralError, Type, read_values};

use crate::rows::error::Error;

/// The key of a partition: as CQL writes it, as sstabledump takes it, or its bytes as `0x00ff`.
pub(in super::super) fn read_key(header: &Header, text: &str) -> Result<Vec<u8>, Error> {
    let key = &header.key;
    // Bytes of a wrong length are no key, though sstabledump takes them.
    let plain = |source| {
        if text.starts_with("0x") {
            Err(source)
        } else {
            key.read_plain_key(text).map_err(|_| source)
        }
    };
    key.read_key(text).or_else(plain).map_err(|mut source| {
        let types = header.key.key_parts();
        let is_short = source.want.ends_with(" of a partition key");
        if let Some(written) = written(types).filter(|_| is_short) {
            source.want += &format!(", written as {written}");
            (source.at, source.got) = (0, text.to_owned());
        }
        let what = format!("key {text:?} of {}", types_of(types));
        Error::Literal { what, source }
    })
}

/// A key of several columns as it is written, of types whose values are short.
fn written(types: &[Type]) -> Option<String> {
    let value = |kind: &Type| match kind {
        Type::Text | Type::Ascii => Some("'x'"),
        Type::Int | Type::Bigint | Type::Smallint | Type::Tinyint | Type::Varint => Some("1"),
        Type::Boolean => Some("true"),
        Type::Date | Type::Timestamp => Some("'2026-01-31'"),
        Type::Uuid | Type::Timeuuid => Some("UUID"),
        _ => None,
    };
    let values: Option<Vec<&str>> = types.iter().map(value).collect();
    Some(format!("({})", values?.join(", ")))
}

/// Types as a list in brackets, as bounds are written.
fn types_of(types: &[Type]) -> String {
    let names: Vec<String> = types.iter().map(Type::cql).collect();
    format!("({})", names.join(", "))
}

/// Start and end of a slice, as CQL writes them.
pub(in super::super) fn read_bounds(
    header: &Header,
    start: &Bound<String>,
    end: &Bound<String>,
) -> Result<Bounds, Error> {
    let types = &header.clustering;
    let start = read_bound(types, start, "start")?;
    let end = read_bound(types, end, "end")?;
    let [start, end] = [&start, &end].map(|bound| {
        bound.as_ref().map(|values| values.iter().map(Option::as_deref).collect::<Vec<_>>())
    });
    Ok(Bounds::new(types, edge(&start), edge(&end))?)
}

/// Values of a bound.
type Values = Vec<Option<Vec<u8>>>;

fn read_bound(types: &[Type], bound: &Bound<String>, side: &str) -> Result<Bound<Values>, Error> {
    let read = |text: &String| {
        read_values(types, text).map_err(|source: LiteralError| {
            // A shell takes the quotes of a text off.
            let quoted = format!("'{text}'");
            let instead = match read_values(types, &quoted) {
                Ok(_) if !text.contains('\'') => format!(": write \"{quoted}\""),
                _ => String::new(),
            };
            let what = format!("{side} {text:?} of {}{instead}", types_of(types));
            Error::Literal { what, source }
        })
    };
    Ok(match bound {
        Bound::Unbounded => Bound::Unbounded,
        Bound::Included(text) => Bound::Included(read(text)?),
        Bound::Excluded(text) => Bound::Excluded(read(text)?),
    })
}

fn edge<'v>(bound: &'v Bound<Vec<Option<&'v [u8]>>>) -> Edge<'v> {
    match bound {
        Bound::Unbounded => Edge::Open,
        Bound::Included(values) => Edge::Inclusive(values),
        Bound::Excluded(values) => Edge::Exclusive(values),
    }
}
