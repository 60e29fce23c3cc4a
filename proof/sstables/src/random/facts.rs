//! Random facts of a random table: cells, times of rows and deletions of every kind, as an SSTable
//! might say them.

use std::cmp::Ordering;

use manicule_format_sstable::{
    Column as HeaderColumn, Header, NO_LOCAL_TIME, Prefix, PrefixBuf, PrefixKind, Type, Version,
    read_schema,
};
use manicule_rows::FactKind;
use manicule_rows::export::Fact;
use manicule_rows::merge::{element_type, path_type};
use manicule_rows::write::NewFact;
use manicule_testkit::Rng;

use super::kinds::Kind;
use super::literals::literal;
use super::particular;
use super::schema::{Column, Schema};

/// A fact with bytes of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnFact {
    kind: FactKind,
    key: Vec<u8>,
    is_static: bool,
    clustering: Vec<Option<Vec<u8>>>,
    column: Option<usize>,
    path: Option<Vec<u8>>,
    value: Vec<u8>,
    timestamp: i64,
    ttl: i32,
    local_time: i64,
}

impl OwnFact {
    /// A copy of a fact that was read.
    pub fn of(fact: &Fact<'_>, header: &Header) -> OwnFact {
        let values = |place: Prefix<'_>| {
            place.values(&header.clustering).map(|value| value.map(<[u8]>::to_vec)).collect()
        };
        let columns = header.columns(fact.is_static);
        let number =
            |column: &HeaderColumn| columns.iter().position(|other| other.name == column.name);
        OwnFact {
            kind: fact.kind,
            key: fact.key.to_vec(),
            is_static: fact.is_static,
            clustering: fact.place.map(values).unwrap_or_default(),
            column: fact.column.and_then(number),
            path: fact.path.map(<[u8]>::to_vec),
            value: fact.value.unwrap_or_default().to_vec(),
            timestamp: fact.timestamp,
            ttl: fact.ttl,
            local_time: fact.local_time,
        }
    }

    /// Hands it on as one that is to be written.
    ///
    /// # Errors
    /// Of `take`.
    pub fn give<E>(&self, take: impl FnOnce(&NewFact<'_>) -> Result<(), E>) -> Result<(), E> {
        let clustering: Vec<_> = self.clustering.iter().map(|value| value.as_deref()).collect();
        take(&NewFact {
            kind: self.kind,
            key: &self.key,
            is_static: self.is_static,
            clustering: &clustering,
            column: self.column,
            path: self.path.as_deref(),
            value: &self.value,
            timestamp: self.timestamp,
            ttl: self.ttl,
            local_time: self.local_time,
        })
    }
}

/// A table, and facts of an SSTable of it in any order.
#[derive(Debug)]
pub struct RandomFacts {
    /// The table's name.
    pub name: String,
    /// The schema.
    pub cql: String,
    /// The same on one line, as `Verified` takes it.
    pub schema: String,
    /// What it says of SSTables of the version.
    pub header: Header,
    /// The facts; no two of one place say the same.
    pub facts: Vec<OwnFact>,
    /// Whether values may have no bytes where their type has such, which a table of Arrow has no
    /// place for.
    pub has_empty_values: bool,
}

impl RandomFacts {
    /// Whether it is a table of counters.
    pub fn has_counters(&self) -> bool {
        self.header.regulars.iter().any(|column| column.kind == Type::Counter)
    }
}

/// Which facts are drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FactsOf {
    /// Those of SSTables that a Cassandra may have written.
    Cassandra,
    /// Any, also such as a deletion of their own row hides, which a Cassandra never writes and
    /// passes over, and times of any year.
    Anyone,
}

/// Draws the facts of a seed, for a version of Cassandra 3 or 4.
pub fn random_facts(seed: u64, version: Version, of: FactsOf) -> RandomFacts {
    let mut rng = Rng::new(seed);
    let major = if matches!(version, Version::Na | Version::Nb) { 4 } else { 3 };
    let name = format!("f{seed}");
    let (cql, kinds) = if rng.one_in(10) {
        (particular::counters(&mut rng, &name), Kinds::counters())
    } else {
        let schema = Schema::draw(&mut rng, &name, major);
        (schema.cql(), Kinds::of(&schema))
    };
    let table = &read_schema(&cql).expect("a schema that was drawn")[0];
    let header = table.header(version).expect("its header");
    let has_empty_values = rng.one_in(2);
    let mut drawing =
        Drawing { of, has_empty_values, rng, header: &header, kinds, facts: Vec::new() };
    let key_count = 1 + drawing.rng.below(6);
    let mut keys: Vec<Vec<u8>> = Vec::new();
    for _ in 0..key_count {
        let key = drawing.key();
        if !key.is_empty() && !keys.contains(&key) {
            drawing.partition(&key);
            keys.push(key);
        }
    }
    let mut facts = drawing.facts;
    for last in (1..facts.len()).rev() {
        facts.swap(last, drawing.rng.below(last + 1));
    }
    let schema = super::escaped(&cql);
    RandomFacts { name, cql, schema, header, facts, has_empty_values }
}

/// Types of the columns as they were drawn.
struct Kinds {
    key: Vec<Kind>,
    clustering: Vec<Kind>,
    /// Of regular and static columns, with their names.
    columns: Vec<(String, Kind)>,
}

impl Kinds {
    fn counters() -> Kinds {
        let int = || vec![Kind::Plain("int")];
        Kinds { key: int(), clustering: int(), columns: Vec::new() }
    }

    fn of(schema: &Schema) -> Kinds {
        let kinds = |columns: &[Column]| columns.iter().map(|column| column.kind.clone()).collect();
        let unquoted = |column: &Column| match column.name.strip_prefix('"') {
            Some(name) => name.trim_end_matches('"').replace("\"\"", "\""),
            None => column.name.clone(),
        };
        let columns = schema.statics.iter().chain(&schema.regulars);
        let columns = columns.map(|column| (unquoted(column), column.kind.clone())).collect();
        Kinds { key: kinds(&schema.key), clustering: kinds(&schema.clustering), columns }
    }

    fn of_column(&self, column: &HeaderColumn) -> &Kind {
        let found = self.columns.iter().find(|(name, _)| name.as_bytes() == &column.name[..]);
        &found.expect("a column that was drawn").1
    }

    /// Of a column that isn't of many cells its own, else that of the element at a path.
    fn of_element(&self, column: &HeaderColumn, path: Option<&[u8]>) -> &Kind {
        match (self.of_column(column), path) {
            (Kind::List(element) | Kind::Map(_, element), Some(_)) => element,
            (Kind::User(_, fields), Some([high, low])) => {
                &fields[usize::from(u16::from_be_bytes([*high, *low]))].1
            }
            (whole, _) => whole,
        }
    }
}

/// Facts that are being drawn.
struct Drawing<'d> {
    rng: Rng,
    header: &'d Header,
    kinds: Kinds,
    facts: Vec<OwnFact>,
    has_empty_values: bool,
    of: FactsOf,
}

impl Drawing<'_> {
    /// A partition key; one of no bytes is no key.
    fn key(&mut self) -> Vec<u8> {
        let Drawing { rng, header, kinds, .. } = self;
        let parts = kinds.key.iter().zip(header.key.key_parts());
        let parts: Vec<_> = parts.map(|(drawn, kind)| value(rng, drawn, kind)).collect();
        let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
        header.key.key_of_parts(&parts).expect("a key")
    }

    fn partition(&mut self, key: &[u8]) {
        let whole = self.fact(FactKind::PartitionDeletion, key);
        if self.rng.one_in(4) {
            self.deletion(&whole);
        }
        if !self.header.statics.is_empty() && self.rng.one_in(2) {
            self.cells(&OwnFact { is_static: true, ..whole.clone() });
        }
        let row_count = self.rng.pick(&[0, 1, 5, 40]);
        let mut clusterings: Vec<_> = (0..row_count).map(|_| self.clustering()).collect();
        clusterings.sort_by(|left, right| self.compare(left, right));
        clusterings.dedup_by(|left, right| self.compare(left, right).is_eq());
        for clustering in &clusterings {
            self.row(OwnFact { clustering: clustering.clone(), ..whole.clone() });
        }
        if !self.header.clustering.is_empty() {
            self.ranges(&whole, &clusterings);
        }
    }

    fn clustering(&mut self) -> Vec<Option<Vec<u8>>> {
        let Drawing { rng, header, kinds, .. } = self;
        let columns = kinds.clustering.iter().zip(&header.clustering);
        columns.map(|(drawn, kind)| Some(value(rng, drawn, kind))).collect()
    }

    /// Order of two rows.
    fn compare(&self, left: &[Option<Vec<u8>>], right: &[Option<Vec<u8>>]) -> Ordering {
        let [left, right] = [left, right].map(|values| self.place(PrefixKind::Row, values));
        Prefix::compare(&self.header.clustering, &left.as_prefix(), &right.as_prefix())
    }

    fn place(&self, kind: PrefixKind, values: &[Option<Vec<u8>>]) -> PrefixBuf {
        let values: Vec<_> = values.iter().map(Option::as_deref).collect();
        PrefixBuf::new(kind, &self.header.clustering, &values)
    }

    fn row(&mut self, of: OwnFact) {
        let before = self.facts.len();
        if !self.kinds.columns.is_empty() && self.rng.one_in(2) {
            let fact = self.living(OwnFact { kind: FactKind::Row, ..of.clone() });
            self.facts.push(fact);
        }
        if self.rng.one_in(6) {
            let kind = self.rng.pick(&[FactKind::RowDeletion, FactKind::ShadowableDeletion]);
            // A later liveness takes the place of a shadowable deletion.
            let kind = match self.of {
                FactsOf::Cassandra if self.facts.len() > before => FactKind::RowDeletion,
                _ => kind,
            };
            self.deletion(&OwnFact { kind, ..of.clone() });
        }
        self.cells(&of);
        if self.facts.len() == before {
            self.deletion(&OwnFact { kind: FactKind::RowDeletion, ..of });
        }
    }

    /// Cells of some columns.
    fn cells(&mut self, of: &OwnFact) {
        let header = self.header;
        let share = self.rng.pick(&[1, 2, 6]);
        for (number, column) in header.columns(of.is_static).iter().enumerate() {
            if !self.rng.one_in(share) {
                continue;
            }
            let of = OwnFact { kind: FactKind::Cell, column: Some(number), ..of.clone() };
            if !column.kind.is_complex() {
                self.cell(of, column);
                continue;
            }
            if self.rng.one_in(3) {
                self.deletion(&OwnFact { kind: FactKind::CollectionDeletion, ..of.clone() });
            }
            let mut paths: Vec<Vec<u8>> = Vec::new();
            for _ in 0..self.rng.below(5) {
                let path = self.path(column);
                let is_same = |other: &Vec<u8>| match path_type(&column.kind) {
                    Some(kind) => kind.compare(other, &path).is_eq(),
                    None => *other == path,
                };
                if !paths.iter().any(is_same) {
                    self.cell(OwnFact { path: Some(path.clone()), ..of.clone() }, column);
                    paths.push(path);
                }
            }
        }
    }

    /// A cell, deleted or not.
    fn cell(&mut self, of: OwnFact, column: &HeaderColumn) {
        if self.rng.one_in(6) {
            return self.deletion(&OwnFact { kind: FactKind::CellDeletion, ..of });
        }
        let bytes = match element_type(&column.kind, of.path.as_deref()) {
            None => Vec::new(),
            Some(Type::Counter) => particular::shards(&mut self.rng),
            Some(kind) => {
                let drawn = self.kinds.of_element(column, of.path.as_deref());
                let is_empty = self.has_empty_values && kind.holds(&[]) && self.rng.one_in(15);
                if is_empty { Vec::new() } else { value(&mut self.rng, drawn, kind) }
            }
        };
        let fact = OwnFact { value: bytes, ..of };
        let fact = if column.kind == Type::Counter { self.timed(fact) } else { self.living(fact) };
        self.facts.push(fact);
    }

    /// The path of an element.
    fn path(&mut self, column: &HeaderColumn) -> Vec<u8> {
        let rng = &mut self.rng;
        let drawn = self.kinds.of_column(column);
        let kind = path_type(&column.kind);
        match (drawn, kind) {
            (Kind::Set(drawn) | Kind::Map(drawn, _), Some(kind)) => value(rng, drawn, kind),
            (Kind::User(_, fields), _) => (rng.below(fields.len()) as u16).to_be_bytes().to_vec(),
            _ => value(rng, &Kind::Plain("timeuuid"), &Type::Timeuuid),
        }
    }

    /// Deletions of ranges that don't overlap, some where another ends.
    fn ranges(&mut self, of: &OwnFact, clusterings: &[Vec<Option<Vec<u8>>>]) {
        let mut ranges = Vec::new();
        for _ in 0..self.rng.below(5) {
            let [start, end] = [true, false].map(|is_start| {
                let mut values = match clusterings {
                    [_, ..] if self.rng.one_in(2) => self.rng.choose(clusterings).clone(),
                    _ => self.clustering(),
                };
                values.truncate(self.rng.below(values.len() + 1));
                // Before the first row and after the last one nothing is left out.
                let is_inclusive = values.is_empty() || self.rng.one_in(2);
                let kind = match (is_start, is_inclusive) {
                    (true, true) => PrefixKind::InclusiveStart,
                    (true, false) => PrefixKind::ExclusiveStart,
                    (false, true) => PrefixKind::InclusiveEnd,
                    (false, false) => PrefixKind::ExclusiveEnd,
                };
                (self.place(kind, &values), is_inclusive, values)
            });
            if self.is_before(&start.0, &end.0) {
                ranges.push([start, end]);
            }
        }
        let mut last: Option<(PrefixBuf, i64)> = None;
        let types = &self.header.clustering;
        ranges.sort_by(|[left, _], [right, _]| {
            Prefix::compare(types, &left.0.as_prefix(), &right.0.as_prefix())
        });
        for [start, end] in ranges {
            let fact = self.dead(of.clone());
            // One of the same time where another ends is the same one.
            let is_apart = last.as_ref().is_none_or(|(last, timestamp)| {
                !self.is_before(&start.0, last) && *timestamp != fact.timestamp
            });
            if !is_apart {
                continue;
            }
            for (kind, clustering) in [
                (FactKind::RangeStart { is_inclusive: start.1 }, start.2),
                (FactKind::RangeEnd { is_inclusive: end.1 }, end.2),
            ] {
                self.facts.push(OwnFact { kind, clustering, ..fact.clone() });
            }
            last = Some((end.0, fact.timestamp));
        }
    }

    fn is_before(&self, left: &PrefixBuf, right: &PrefixBuf) -> bool {
        let types = &self.header.clustering;
        Prefix::compare(types, &left.as_prefix(), &right.as_prefix()).is_lt()
    }

    /// A fact of a partition that says nothing more yet.
    fn fact(&self, kind: FactKind, key: &[u8]) -> OwnFact {
        OwnFact {
            kind,
            key: key.to_vec(),
            is_static: false,
            clustering: Vec::new(),
            column: None,
            path: None,
            value: Vec::new(),
            timestamp: 0,
            ttl: 0,
            local_time: NO_LOCAL_TIME,
        }
    }

    /// At one of a few times, or any.
    fn timed(&mut self, fact: OwnFact) -> OwnFact {
        let timestamp = match self.rng.below(8) {
            _ if self.of == FactsOf::Cassandra => {
                // Later than the deletions of their rows.
                let start = match fact.kind {
                    FactKind::RowDeletion | FactKind::ShadowableDeletion => 1_400_000_000_000_000,
                    FactKind::CollectionDeletion => 1_500_000_000_000_000,
                    _ => 1_600_000_000_000_000,
                };
                start + self.rng.below(3) as i64
            }
            0 => self.rng.pick(&[0, 1, -5, i64::MAX, i64::MIN + 1, 4_000_000_000_000_000]),
            1 => self.rng.bits() as i64 >> self.rng.below(60),
            _ => 1_600_000_000_000_000 + self.rng.below(3) as i64,
        };
        OwnFact { timestamp, ..fact }
    }

    /// It lives for some seconds, or for ever.
    fn living(&mut self, fact: OwnFact) -> OwnFact {
        let fact = self.timed(fact);
        if !self.rng.one_in(5) {
            return fact;
        }
        let ttl = self.rng.pick(&[1, 60, 86_400, 630_720_000]);
        OwnFact { ttl, local_time: self.local_time(), ..fact }
    }

    fn dead(&mut self, fact: OwnFact) -> OwnFact {
        let local_time = self.local_time();
        OwnFact { local_time, ..self.timed(fact) }
    }

    fn deletion(&mut self, fact: &OwnFact) {
        let fact = self.dead(fact.clone());
        self.facts.push(fact);
    }

    fn local_time(&mut self) -> i64 {
        match self.rng.below(6) {
            0 if self.of == FactsOf::Anyone => self.rng.pick(&[0, 1, i64::from(i32::MAX) - 1]),
            _ => 1_600_000_000 + self.rng.below(3) as i64,
        }
    }
}

/// The value of a literal.
fn value(rng: &mut Rng, drawn: &Kind, kind: &Type) -> Vec<u8> {
    let text = literal(rng, drawn);
    kind.ascending().read_literal(&text).expect("a literal").expect("it isn't null")
}
