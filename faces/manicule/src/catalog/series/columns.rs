//! Columns that tables of series share: an id, the metric, labels that were asked for.

use std::hash::Hasher;

use manicule_series::METRIC_NAME;
use twox_hash::XxHash64;

use crate::answer::{Field, Kind, Rows};
use crate::catalog::arguments::Arguments;

pub(super) const ID: usize = 0;
pub(super) const METRIC: usize = 1;
/// Place of the first label's column.
pub(super) const LABEL: usize = 2;

/// The columns that come first, and the labels that were asked for, by their names.
pub(super) fn first(arguments: &Arguments) -> (Vec<Field>, Vec<String>) {
    let mut fields = vec![
        Field::new(
            "series_id",
            Kind::Int,
            "Prometheus' `labels.StableHash`: the same in all blocks and on all machines.",
        ),
        Field::new("metric", Kind::Word, "Its name, the label `__name__`.").or_null(),
    ];
    let labels: Vec<String> = arguments.texts("labels").map(str::to_owned).collect();
    let column = |name: &String| {
        Field::new("", Kind::Word, "The label of this name.").or_null().named(name.clone())
    };
    fields.extend(labels.iter().map(column));
    (fields, labels)
}

/// Pushes them.
pub(super) fn push(rows: &mut Rows<'_>, id: i64, labels: &[(&[u8], &[u8])], asked: &[String]) {
    rows.int(ID, id);
    let mut push = |at: usize, name: &[u8]| {
        let found = labels.binary_search_by_key(&name, |label| label.0).ok();
        if let (Some(found), Some(column)) = (found, rows.column(at)) {
            column.lossy(labels[found].1);
        }
    };
    push(METRIC, METRIC_NAME.as_bytes());
    for (at, name) in asked.iter().enumerate() {
        push(LABEL + at, name.as_bytes());
    }
}

/// XXH64 of names and values, each with a byte 0xff behind it.
pub(super) fn id(labels: &[(&[u8], &[u8])]) -> i64 {
    let mut hasher = XxHash64::with_seed(0);
    for (name, value) in labels {
        hasher.write(name);
        hasher.write(&[0xff]);
        hasher.write(value);
        hasher.write(&[0xff]);
    }
    hasher.finish().cast_signed()
}

#[cfg(test)]
mod tests {
    use super::id;

    #[test]
    fn ids_are_xxh64_of_pairs_with_a_byte_behind_each_text() {
        // Of no bytes, as its specification has it.
        assert_eq!(id(&[]).cast_unsigned(), 0xef46_db37_51d8_e999);
        assert_ne!(id(&[(b"a", b"bc")]), id(&[(b"ab", b"c")]));
    }
}
