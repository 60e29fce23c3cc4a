//! What SSTables say, fact by fact, as records: the key, which fact, when it was written.
//!
//! Callers: export

use std::borrow::Cow;
use std::sync::LazyLock;

use manicule_rows::export::{Fact, FactKind};
use manicule_rows::merge::CellPath;
use manicule_rows::{NO_LOCAL_TIME, Type};

use super::live::Columns;
use super::sheet::{Field, Record, text_of};

/// Names and types of the fields beside the key. No column of CQL has such a name without quotes.
static FIELDS: LazyLock<[(&str, Type); 11]> = LazyLock::new(|| {
    [
        ("_sstable", Type::Text),
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

/// The fields of all facts: the SSTable, the key, what is said of it.
pub(super) fn columns<'t>(columns: &Columns<'t>) -> Vec<(String, &'t Type)> {
    let own = |(name, kind): &'static (&str, Type)| ((*name).to_owned(), kind);
    let mut all: Vec<(String, &'t Type)> = FIELDS[..1].iter().map(own).collect();
    all.extend(columns.of_key());
    all.extend(FIELDS[1..].iter().map(own));
    all
}

/// A fact.
pub(super) struct Raw<'r> {
    pub(super) columns: &'r Columns<'r>,
    /// Name of the SSTable's data.
    pub(super) sstable: &'r str,
    pub(super) fact: &'r Fact<'r>,
}

impl Record for Raw<'_> {
    fn each_field(&self, each: &mut dyn FnMut(&Field<'_>)) {
        let Raw { columns, sstable, fact } = self;
        let mut fields = FIELDS.iter();
        let mut put = |value: Option<Cow<'_, [u8]>>, each: &mut dyn FnMut(&Field<'_>)| {
            if let Some((name, kind)) = fields.next() {
                each(&(name, kind, value));
            }
        };
        let text = |text: &str| Some(Cow::Owned(text.as_bytes().to_vec()));
        put(text(sstable), each);
        columns.each_of_key(fact.key, each);
        match &fact.place {
            Some(place) => columns.each_of_clustering(place.values(columns.clustering), each),
            None => columns.each_of_clustering([], each),
        }
        let (word, is_inclusive) = match fact.kind {
            FactKind::PartitionDeletion => ("partition deletion", None),
            FactKind::Row => ("row", None),
            FactKind::RowDeletion => ("row deletion", None),
            FactKind::ShadowableDeletion => ("shadowable deletion", None),
            FactKind::CollectionDeletion => ("collection deletion", None),
            FactKind::Cell => ("cell", None),
            FactKind::CellDeletion => ("cell deletion", None),
            FactKind::RangeStart { is_inclusive } => ("range deletion from", Some(is_inclusive)),
            FactKind::RangeEnd { is_inclusive } => ("range deletion to", Some(is_inclusive)),
        };
        let boolean = |is: bool| Some(Cow::Owned(vec![u8::from(is)]));
        let number = |number: i64| Some(Cow::Owned(number.to_be_bytes().to_vec()));
        let seconds = |time: i64| match time {
            NO_LOCAL_TIME => None,
            time => number(time.saturating_mul(1000)),
        };
        put(text(word), each);
        put(boolean(fact.is_static), each);
        put(fact.column.and_then(|column| text(&String::from_utf8_lossy(&column.name))), each);
        let cell = fact.cell.zip(fact.column);
        let path = cell.and_then(|(cell, column)| match cell.path_of(&column.kind) {
            CellPath::None => None,
            CellPath::Value(kind, path) => text(&text_of(kind, path)),
            CellPath::Field(name) => text(&String::from_utf8_lossy(name)),
        });
        put(path, each);
        let value = cell.and_then(|(cell, column)| cell.value_of(&column.kind));
        put(value.and_then(|(kind, value)| text(&text_of(kind, &value))), each);
        put(is_inclusive.and_then(boolean), each);
        put(number(fact.timestamp), each);
        let ttl = (fact.ttl != 0).then(|| Cow::Owned(fact.ttl.to_be_bytes().to_vec()));
        put(ttl, each);
        let is_dead = !matches!(fact.kind, FactKind::Row | FactKind::Cell);
        let [expires, deleted] = [!is_dead, is_dead].map(|is| is.then_some(fact.local_time));
        put(expires.and_then(seconds), each);
        put(deleted.and_then(seconds), each);
    }
}
