//! Random writes to a table: inserts, updates, deletions of every kind, some of them meeting.

use manicule_testkit::Rng;

use super::kinds::Kind;
use super::literals::literal;
use super::schema::{Column, Schema};

/// When the first write is made, in microseconds.
const START: i64 = 1_600_000_000_000_000;
/// Times to live: those up to the first number have run out in 2025, those from the second on live
/// until 2027 at least.
const SHORT_TTL_MAX: usize = 50_000_000;
const LONG_TTL_MIN: usize = 130_000_000;
const LONG_TTL_MAX: usize = 400_000_000;

/// What a table is written with.
pub(super) struct Statements {
    schema: Schema,
    /// Partition keys, a value a column.
    keys: Vec<Vec<String>>,
    /// Values of each clustering column.
    clusterings: Vec<Vec<String>>,
    count: usize,
}

impl Statements {
    pub(super) fn draw(rng: &mut Rng, schema: &Schema) -> Statements {
        let (key_count, value_count, count) = match rng.below(8) {
            0 => (40 + rng.below(60), 4, 300),
            1 | 2 => (1 + rng.below(2), 60, 500 + rng.below(700)),
            _ => (1 + rng.below(4), 6, 10 + rng.below(80)),
        };
        let values = |rng: &mut Rng, columns: &[Column]| -> Vec<String> {
            columns.iter().map(|column| literal(rng, &column.kind)).collect()
        };
        let keys = (0..key_count).map(|_| values(rng, &schema.key)).collect();
        let clusterings = schema
            .clustering
            .iter()
            .map(|column| (0..value_count).map(|_| literal(rng, &column.kind)).collect())
            .collect();
        Statements { schema: schema.clone(), keys, clusterings, count }
    }

    pub(super) fn lines(&self, rng: &mut Rng) -> Vec<String> {
        (0..self.count).map(|_| self.statement(rng)).collect()
    }

    fn statement(&self, rng: &mut Rng) -> String {
        let has_rows = !self.clusterings.is_empty();
        match rng.below(20) {
            0 if rng.one_in(8) => {
                format!("DELETE FROM {} WHERE {}", self.table(rng), self.key(rng))
            }
            1 | 2 if !self.schema.statics.is_empty() => self.update(rng, true),
            3 | 4 if has_rows => self.delete_range(rng),
            5 if has_rows => {
                format!("DELETE FROM {} WHERE {}", self.table(rng), self.row(rng))
            }
            6 | 7 => self.delete_columns(rng),
            8..=12 => self.update(rng, false),
            _ => self.insert(rng),
        }
    }

    fn timestamp(&self, rng: &mut Rng) -> i64 {
        match rng.below(60) {
            0 => rng.pick(&[0, 1, -5, 4_000_000_000_000_000]),
            1..=9 => START + rng.below(3) as i64,
            _ => START + rng.below(1_000_000) as i64,
        }
    }

    /// The table, and the time of a deletion.
    fn table(&self, rng: &mut Rng) -> String {
        format!("ks.{} USING TIMESTAMP {}", self.schema.name, self.timestamp(rng))
    }

    /// The time of a write, and how long it lives.
    fn using(&self, rng: &mut Rng) -> String {
        let timestamp = self.timestamp(rng);
        let ttl = match rng.below(12) {
            0 => 1 + rng.below(SHORT_TTL_MAX),
            1 => LONG_TTL_MIN + rng.below(LONG_TTL_MAX - LONG_TTL_MIN),
            _ => return format!("USING TIMESTAMP {timestamp}"),
        };
        format!("USING TIMESTAMP {timestamp} AND TTL {ttl}")
    }

    fn key(&self, rng: &mut Rng) -> String {
        let values: &Vec<String> = rng.choose(&self.keys);
        equal(&self.schema.key, values)
    }

    /// The values of one row's clustering.
    fn clustering(&self, rng: &mut Rng) -> Vec<String> {
        self.clusterings.iter().map(|values| rng.choose(values).clone()).collect()
    }

    fn row(&self, rng: &mut Rng) -> String {
        let key = self.key(rng);
        if self.clusterings.is_empty() {
            return key;
        }
        format!("{key} AND {}", equal(&self.schema.clustering, &self.clustering(rng)))
    }

    fn insert(&self, rng: &mut Rng) -> String {
        let Schema { name, key, clustering, regulars, .. } = &self.schema;
        let mut names: Vec<&str> =
            key.iter().chain(clustering).map(|column| &column.name[..]).collect();
        let mut values = rng.choose(&self.keys).clone();
        values.extend(self.clustering(rng));
        let share = rng.pick(&[1, 1, 2, 6]);
        for column in regulars {
            if rng.one_in(share) {
                names.push(&column.name);
                values.push(if rng.one_in(15) {
                    "null".into()
                } else {
                    literal(rng, &column.kind)
                });
            }
        }
        let (names, values, using) = (names.join(", "), values.join(", "), self.using(rng));
        format!("INSERT INTO ks.{name} ({names}) VALUES ({values}) {using}")
    }

    fn update(&self, rng: &mut Rng, is_static: bool) -> String {
        let columns = if is_static { &self.schema.statics } else { &self.schema.regulars };
        let (first, second) = (rng.below(columns.len()), rng.below(columns.len()));
        let mut sets = vec![set(rng, &columns[first])];
        if first != second {
            sets.push(set(rng, &columns[second]));
        }
        let place = if is_static { self.key(rng) } else { self.row(rng) };
        let (name, using) = (&self.schema.name, self.using(rng));
        format!("UPDATE ks.{name} {using} SET {} WHERE {place}", sets.join(", "))
    }

    fn delete_columns(&self, rng: &mut Rng) -> String {
        let column = rng.choose(&self.schema.regulars);
        let what = match &column.kind {
            Kind::Set(item) if column.is_complex() && rng.one_in(2) => {
                format!("{}[{}]", column.name, literal(rng, item))
            }
            Kind::Map(key, _) if column.is_complex() && rng.one_in(2) => {
                format!("{}[{}]", column.name, literal(rng, key))
            }
            Kind::User(_, fields) if column.is_complex() && rng.one_in(2) => {
                format!("{}.{}", column.name, rng.choose(fields).0)
            }
            _ => column.name.clone(),
        };
        format!("DELETE {what} FROM {} WHERE {}", self.table(rng), self.row(rng))
    }

    /// A range of rows: a prefix of values, and bounds of the column after it.
    fn delete_range(&self, rng: &mut Rng) -> String {
        let (columns, values) = (&self.schema.clustering, self.clustering(rng));
        let prefix_len = rng.below(columns.len() + 1);
        let mut place = self.key(rng);
        if prefix_len > 0 {
            place += &format!(" AND {}", equal(&columns[..prefix_len], &values[..prefix_len]));
        }
        if let Some(column) = columns.get(prefix_len) {
            let sides = rng.below(3);
            let bounds = [[">", ">="], ["<", "<="]];
            for (side, signs) in bounds.iter().enumerate() {
                if sides == side {
                    continue;
                }
                let value = rng.choose(&self.clusterings[prefix_len]);
                place += &format!(" AND {} {} {value}", column.name, rng.pick(signs));
            }
        }
        format!("DELETE FROM {} WHERE {place}", self.table(rng))
    }
}

fn equal(columns: &[Column], values: &[String]) -> String {
    let pairs = columns.iter().zip(values);
    let pairs: Vec<String> =
        pairs.map(|(column, value)| format!("{} = {value}", column.name)).collect();
    pairs.join(" AND ")
}

/// What a column is set to: another value, or an element more or less.
fn set(rng: &mut Rng, column: &Column) -> String {
    let name = &column.name;
    if !column.is_complex() || rng.one_in(3) {
        return match rng.below(10) {
            0 => format!("{name} = null"),
            _ => format!("{name} = {}", literal(rng, &column.kind)),
        };
    }
    match &column.kind {
        Kind::List(_) if rng.one_in(2) => {
            format!("{name} = {} + {name}", literal(rng, &column.kind))
        }
        Kind::Map(key, value) if rng.one_in(2) => {
            format!("{name}[{}] = {}", literal(rng, key), literal(rng, value))
        }
        Kind::Map(key, _) if rng.one_in(4) => {
            format!("{name} = {name} - {{{}}}", literal(rng, key))
        }
        Kind::User(_, fields) => {
            let (field, kind) = rng.choose(fields);
            format!("{name}.{field} = {}", literal(rng, kind))
        }
        Kind::Set(_) if rng.one_in(4) => {
            format!("{name} = {name} - {}", literal(rng, &column.kind))
        }
        _ => format!("{name} = {name} + {}", literal(rng, &column.kind)),
    }
}
