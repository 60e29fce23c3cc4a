//! Statistics of rows, counted when all of them are read or written.

use std::collections::BTreeMap;

use manicule_format_leaf::Id;
use manicule_format_leaf::statistics::{PredicateStatistics, ScopeStatistics, TagStatistics};

/// Rows in sequence that begin with the same two ids.
#[derive(Clone, Copy, Debug)]
struct Group {
    ids: [Id; 2],
    count: u64,
}

/// Counts rows that come in each of three orders, each once: of the default graph, or of all named
/// ones, where a triple that is in several graphs is as many rows.
#[derive(Debug)]
pub struct Gatherer {
    /// rdf:type, if the store has it.
    type_predicate: Option<Id>,
    predicates: BTreeMap<Id, PredicateStatistics>,
    classes: BTreeMap<Id, u64>,
    row_count: u64,
    subject_count: u64,
    object_count: u64,
    /// Subject and predicate of the last row by subject, and how many had them.
    by_subject: Option<Group>,
    /// Predicate and object of the last row by predicate, and how many had them.
    by_predicate: Option<Group>,
    last_object: Option<Id>,
}

impl Gatherer {
    /// Nothing counted.
    pub fn new(type_predicate: Option<Id>) -> Self {
        Gatherer {
            type_predicate,
            predicates: BTreeMap::new(),
            classes: BTreeMap::new(),
            row_count: 0,
            subject_count: 0,
            object_count: 0,
            by_subject: None,
            by_predicate: None,
            last_object: None,
        }
    }

    /// Counts the next row in the order subject, predicate, object.
    pub fn by_subject(&mut self, subject: Id, predicate: Id) {
        match &mut self.by_subject {
            Some(last) if last.ids == [subject, predicate] => last.count += 1,
            last => {
                let before = last.replace(Group { ids: [subject, predicate], count: 1 });
                let is_new = before.is_none_or(|last| last.ids[0] != subject);
                self.subject_count += u64::from(is_new);
                self.end_subject(before);
            }
        }
    }

    fn end_subject(&mut self, group: Option<Group>) {
        if let Some(Group { ids: [_, predicate], count }) = group {
            let row = row_of(&mut self.predicates, predicate);
            row.subject_count += 1;
            row.subject_rows_max = row.subject_rows_max.max(count);
        }
    }

    /// Counts the next row in the order predicate, object, subject.
    pub fn by_predicate(&mut self, predicate: Id, object: Id) {
        self.row_count += 1;
        match &mut self.by_predicate {
            Some(last) if last.ids == [predicate, object] => last.count += 1,
            last => {
                let before = last.replace(Group { ids: [predicate, object], count: 1 });
                self.end_predicate(before);
            }
        }
    }

    fn end_predicate(&mut self, group: Option<Group>) {
        let Some(Group { ids: [predicate, object], count }) = group else { return };
        let row = row_of(&mut self.predicates, predicate);
        row.row_count += count;
        row.object_count += 1;
        row.object_rows_max = row.object_rows_max.max(count);
        add_object(row, object, count);
        if self.type_predicate == Some(predicate) {
            *self.classes.entry(object).or_default() += count;
        }
    }

    /// Counts the next row in the order object, subject, predicate.
    pub fn by_object(&mut self, object: Id) {
        self.object_count += u64::from(self.last_object != Some(object));
        self.last_object = Some(object);
    }

    /// What was counted.
    pub fn finish(mut self) -> ScopeStatistics {
        let (by_subject, by_predicate) = (self.by_subject.take(), self.by_predicate.take());
        self.end_subject(by_subject);
        self.end_predicate(by_predicate);
        ScopeStatistics {
            row_count: self.row_count,
            subject_count: self.subject_count,
            object_count: self.object_count,
            predicates: self.predicates.into_values().collect(),
            classes: self.classes.into_iter().collect(),
        }
    }
}

pub(super) fn row_of(
    predicates: &mut BTreeMap<Id, PredicateStatistics>,
    id: Id,
) -> &mut PredicateStatistics {
    predicates.entry(id).or_insert_with(|| PredicateStatistics {
        predicate: id,
        row_count: 0,
        subject_count: 0,
        object_count: 0,
        subject_rows_max: 0,
        object_rows_max: 0,
        tags: Vec::new(),
    })
}

pub(super) fn add_object(row: &mut PredicateStatistics, object: Id, count: u64) {
    let (tag, payload) = (object.tag(), object.payload());
    match row.tags.binary_search_by_key(&tag, |tag| tag.tag) {
        Ok(at) => {
            let tag = &mut row.tags[at];
            tag.row_count += count;
            tag.payload_min = tag.payload_min.min(payload);
            tag.payload_max = tag.payload_max.max(payload);
        }
        Err(at) => {
            let (payload_min, payload_max) = (payload, payload);
            row.tags.insert(at, TagStatistics { tag, row_count: count, payload_min, payload_max });
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use manicule_format_leaf::{Order, Tag};
    use manicule_testkit::Rng;
    use std::collections::BTreeSet;

    pub(in crate::base) const TYPE: Id = Id(2 << 56);

    pub(in crate::base) fn random_triple(rng: &mut Rng) -> [Id; 3] {
        let subject = Id::new(Tag::IRI, 10 + rng.below(20) as u64);
        let predicate = Id::new(Tag::IRI, rng.below(4) as u64);
        let object = Id::new(rng.pick(&[Tag::IRI, Tag::STRING, Tag(16)]), rng.below(15) as u64);
        [subject, predicate, object]
    }

    /// The rows of triples in an order.
    pub(in crate::base) fn rows(
        order: Order,
        triples: impl Iterator<Item = [Id; 3]>,
    ) -> Vec<[Id; 4]> {
        let rows = triples.map(|[s, p, o]| order.row([s, p, o, Id::DEFAULT_GRAPH]));
        let mut rows: Vec<_> = rows.collect();
        rows.sort_unstable();
        rows
    }

    pub(in crate::base) fn gathered(triples: &BTreeSet<[Id; 3]>) -> ScopeStatistics {
        let mut gatherer = Gatherer::new(Some(TYPE));
        for order in Order::DEFAULT {
            for row in rows(order, triples.iter().copied()) {
                match order {
                    Order::Spo => gatherer.by_subject(row[0], row[1]),
                    Order::Pos => gatherer.by_predicate(row[0], row[1]),
                    _ => gatherer.by_object(row[0]),
                }
            }
        }
        gatherer.finish()
    }

    fn distinct<T: Ord>(items: impl Iterator<Item = T>) -> u64 {
        items.collect::<BTreeSet<_>>().len() as u64
    }

    #[test]
    fn counts_are_those_of_a_plain_set() {
        for seed in 0..50 {
            let mut rng = Rng::new(seed);
            let count = rng.pick(&[0, 1, 10, 300]);
            let triples: BTreeSet<_> = (0..count).map(|_| random_triple(&mut rng)).collect();
            let got = gathered(&triples);
            assert_eq!(got.row_count, triples.len() as u64, "seed {seed}");
            assert_eq!(got.subject_count, distinct(triples.iter().map(|row| row[0])));
            assert_eq!(got.object_count, distinct(triples.iter().map(|row| row[2])));
            assert_eq!(got.predicates.len() as u64, distinct(triples.iter().map(|row| row[1])));
            for predicate in &got.predicates {
                let own = || triples.iter().filter(|row| row[1] == predicate.predicate);
                assert_eq!(predicate.row_count, own().count() as u64, "seed {seed}");
                assert_eq!(predicate.subject_count, distinct(own().map(|row| row[0])));
                assert_eq!(predicate.object_count, distinct(own().map(|row| row[2])));
                let most = |column: usize| {
                    own()
                        .map(|row| own().filter(|other| other[column] == row[column]).count())
                        .max()
                };
                assert_eq!(predicate.subject_rows_max, most(0).unwrap_or_default() as u64);
                assert_eq!(predicate.object_rows_max, most(2).unwrap_or_default() as u64);
                for tag in &predicate.tags {
                    let payloads =
                        || own().filter(|row| row[2].tag() == tag.tag).map(|row| row[2].payload());
                    assert_eq!(tag.row_count, payloads().count() as u64, "seed {seed}");
                    assert_eq!(Some(tag.payload_min), payloads().min());
                    assert_eq!(Some(tag.payload_max), payloads().max());
                }
            }
            for (class, count) in &got.classes {
                let own = triples.iter().filter(|row| row[1] == TYPE && row[2] == *class);
                assert_eq!(*count, own.count() as u64, "seed {seed}");
            }
        }
    }
}
