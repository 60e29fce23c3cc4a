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
    key.read_key(text).or_else(plain).map_err(|source| {
        let what = format!("key {text:?} of {}", types_of(header.key.key_parts()));
        Error::Literal { what, source }
    })
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
