//! What SSTables say, fact by fact, as records: the key, which fact, when it was written.

use std::borrow::Cow;

use manicule_rows::export::Fact;
use manicule_rows::merge::CellPath;
use manicule_rows::{FactKind, NO_LOCAL_TIME, Type};

use super::live::Columns;
use super::record::{Field, Record};
use super::sheet::text_of;
use crate::rows::facts::{FIELDS, SSTABLE, word_of};

/// The fields of all facts: the SSTable, the key, what is said of it.
pub(super) fn columns<'t>(columns: &Columns<'t>) -> Vec<(String, &'t Type)> {
    let mut all: Vec<(String, &'t Type)> = vec![(SSTABLE.to_owned(), &Type::Text)];
    all.extend(columns.of_key());
    all.extend(FIELDS.iter().map(|(name, kind)| ((*name).to_owned(), kind)));
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
        let text = |text: &str| Some(Cow::Owned(text.as_bytes().to_vec()));
        each(&(SSTABLE, &Type::Text, text(sstable)));
        columns.each_of_key(fact.key, each);
        match &fact.place {
            Some(place) => columns.each_of_clustering(place.values(columns.clustering), each),
            None => columns.each_of_clustering([], each),
        }
        let (word, is_inclusive) = word_of(fact.kind);
        let boolean = |is: bool| Some(Cow::Owned(vec![u8::from(is)]));
        let number = |number: i64| Some(Cow::Owned(number.to_be_bytes().to_vec()));
        let seconds = |time: i64| match time {
            NO_LOCAL_TIME => None,
            time => number(time.saturating_mul(1000)),
        };
        let path = match fact.path() {
            CellPath::None => None,
            CellPath::Value(kind, path) => text(&text_of(kind, path)),
            CellPath::Field(name) => text(&String::from_utf8_lossy(name)),
        };
        let is_dead = !matches!(fact.kind, FactKind::Row | FactKind::Cell);
        let [expires, deleted] = [!is_dead, is_dead].map(|is| is.then_some(fact.local_time));
        let values: [Option<Cow<'_, [u8]>>; 10] = [
            text(word),
            boolean(fact.is_static),
            fact.column.and_then(|column| text(&String::from_utf8_lossy(&column.name))),
            path,
            fact.typed_value().and_then(|(kind, value)| text(&text_of(kind, value))),
            is_inclusive.and_then(boolean),
            number(fact.timestamp),
            (fact.ttl != 0).then(|| Cow::Owned(fact.ttl.to_be_bytes().to_vec())),
            expires.and_then(seconds),
            deleted.and_then(seconds),
        ];
        for ((name, kind), value) in FIELDS.iter().zip(values) {
            each(&(name, kind, value));
        }
    }
}
