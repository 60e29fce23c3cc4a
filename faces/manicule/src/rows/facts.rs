//! Facts as records: names and types of their fields beside the key, and the words for their kinds.
//! What is exported raw is read again by these.

use std::sync::LazyLock;

use manicule_rows::{FactKind, Type};

/// Name of the SSTable's Data.db, before the key.
pub(super) const SSTABLE: &str = "_sstable";

/// Names and types of the fields after the key, in their order. No column of CQL has such a name
/// without quotes.
pub(super) static FIELDS: LazyLock<[(&str, Type); 10]> = LazyLock::new(|| {
    [
        ("_fact", Type::Text),
        ("_static", Type::Boolean),
        ("_column", Type::Text),
        ("_path", Type::Text),
        ("_value", Type::Text),
        ("_inclusive", Type::Boolean),
        ("_written", Type::Bigint),
        ("_ttl", Type::Int),
        ("_expires", Type::Timestamp),
        ("_deleted", Type::Timestamp),
    ]
});

/// The words for kinds, with those whose bounds are inclusive.
const WORDS: [(&str, FactKind); 9] = [
    ("partition deletion", FactKind::PartitionDeletion),
    ("row", FactKind::Row),
    ("row deletion", FactKind::RowDeletion),
    ("shadowable deletion", FactKind::ShadowableDeletion),
    ("collection deletion", FactKind::CollectionDeletion),
    ("cell", FactKind::Cell),
    ("cell deletion", FactKind::CellDeletion),
    ("range deletion from", FactKind::RangeStart { is_inclusive: true }),
    ("range deletion to", FactKind::RangeEnd { is_inclusive: true }),
];

/// The word for a kind, and whether a bound is inclusive.
pub(crate) fn word_of(kind: FactKind) -> (&'static str, Option<bool>) {
    let (whole, is_inclusive) = match kind {
        FactKind::RangeStart { is_inclusive } => {
            (FactKind::RangeStart { is_inclusive: true }, Some(is_inclusive))
        }
        FactKind::RangeEnd { is_inclusive } => {
            (FactKind::RangeEnd { is_inclusive: true }, Some(is_inclusive))
        }
        other => (other, None),
    };
    let found = WORDS.iter().find(|(_, kind)| *kind == whole);
    (found.map_or("", |(word, _)| word), is_inclusive)
}

/// The kind of a word.
pub(super) fn kind_of(word: &str, is_inclusive: bool) -> Option<FactKind> {
    let (_, kind) = WORDS.iter().find(|(other, _)| *other == word)?;
    Some(match kind {
        FactKind::RangeStart { .. } => FactKind::RangeStart { is_inclusive },
        FactKind::RangeEnd { .. } => FactKind::RangeEnd { is_inclusive },
        other => *other,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_has_a_word() {
        for (_, kind) in WORDS {
            let (word, is_inclusive) = word_of(kind);
            assert_eq!(kind_of(word, is_inclusive.unwrap_or_default()), Some(kind));
        }
        let end = FactKind::RangeEnd { is_inclusive: false };
        assert_eq!(word_of(end), ("range deletion to", Some(false)));
        assert_eq!(kind_of("range deletion to", false), Some(end));
        assert_eq!(kind_of("raw", true), None);
    }
}
