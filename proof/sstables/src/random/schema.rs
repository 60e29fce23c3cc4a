//! Schema of a random table.

use std::fmt::Write;

use manicule_testkit::Rng;

use super::kinds::Kind;

/// A column: its name as CQL writes it, its type, whether it is frozen.
#[derive(Clone, Debug)]
pub(super) struct Column {
    pub(super) name: String,
    pub(super) kind: Kind,
    pub(super) is_frozen: bool,
}

impl Column {
    /// Whether its cells have paths.
    pub(super) fn is_complex(&self) -> bool {
        !self.is_frozen && self.kind.is_complex()
    }

    fn cql(&self) -> String {
        let kind = if self.is_complex() { self.kind.cql() } else { self.kind.frozen() };
        format!("{} {kind}", self.name)
    }
}

/// A table and its user types.
#[derive(Clone, Debug)]
pub(super) struct Schema {
    pub(super) name: String,
    users: Vec<Kind>,
    pub(super) key: Vec<Column>,
    pub(super) clustering: Vec<Column>,
    /// Whether each clustering column descends.
    is_descending: Vec<bool>,
    pub(super) statics: Vec<Column>,
    pub(super) regulars: Vec<Column>,
    compression: String,
}

/// Names of columns beside plain ones.
const ODD_NAMES: [&str; 4] = ["\"Mixed Case\"", "\"zé\"", "\"a,b\"\"c\"", "\"é\""];

impl Schema {
    pub(super) fn draw(rng: &mut Rng, name: &str, major: u32) -> Schema {
        let mut users = Vec::new();
        for number in 0..rng.below(3) {
            let fields = (0..1 + rng.below(4))
                .map(|field| (format!("f{field}"), Kind::inner(rng, &users, 2)))
                .collect();
            users.push(Kind::User(format!("{name}_u{number}"), fields));
        }
        let of_key = |rng: &mut Rng, letter: &str, number: usize| Column {
            name: format!("{letter}{number}"),
            kind: Kind::of_key(rng, &users),
            is_frozen: true,
        };
        let key = (0..rng.pick(&[1, 1, 1, 2, 3])).map(|number| of_key(rng, "k", number)).collect();
        let clustering: Vec<Column> =
            (0..rng.pick(&[0, 1, 1, 2, 2, 3, 5])).map(|number| of_key(rng, "c", number)).collect();
        let is_descending = clustering.iter().map(|_| rng.one_in(3)).collect();
        let of_rows = |rng: &mut Rng, letter: &str, number: usize| Column {
            name: match rng.below(8) {
                0 if number < ODD_NAMES.len() && letter == "v" => ODD_NAMES[number].to_owned(),
                _ => format!("{letter}{number}"),
            },
            kind: Kind::of_column(rng, &users, major),
            is_frozen: rng.one_in(3),
        };
        let static_count = if clustering.is_empty() { 0 } else { rng.pick(&[0, 0, 1, 3]) };
        let statics = (0..static_count).map(|number| of_rows(rng, "s", number)).collect();
        let regular_count = if rng.one_in(12) { 70 } else { 1 + rng.below(8) };
        let regulars = (0..regular_count).map(|number| of_rows(rng, "v", number)).collect();
        let compression = compression(rng, major);
        let name = name.to_owned();
        Schema { name, users, key, clustering, is_descending, statics, regulars, compression }
    }

    /// The statements that make it.
    pub(super) fn cql(&self) -> String {
        let mut text = String::new();
        for user in &self.users {
            let Kind::User(name, fields) = user else { continue };
            let fields: Vec<String> =
                fields.iter().map(|(name, kind)| format!("{name} {}", kind.frozen())).collect();
            let _ = write!(text, "CREATE TYPE ks.{name} ({}); ", fields.join(", "));
        }
        let mut columns: Vec<String> =
            self.key.iter().chain(&self.clustering).map(Column::cql).collect();
        columns.extend(self.statics.iter().map(|column| column.cql() + " static"));
        columns.extend(self.regulars.iter().map(Column::cql));
        let names = |columns: &[Column]| -> Vec<String> {
            columns.iter().map(|column| column.name.clone()).collect()
        };
        let mut primary = vec![format!("({})", names(&self.key).join(", "))];
        primary.extend(names(&self.clustering));
        let _ = write!(
            text,
            "CREATE TABLE ks.{} ({}, PRIMARY KEY ({})) WITH compression = {}",
            self.name,
            columns.join(", "),
            primary.join(", "),
            self.compression
        );
        if !self.clustering.is_empty() {
            let orders: Vec<String> = self
                .clustering
                .iter()
                .zip(&self.is_descending)
                .map(|(column, is_descending)| {
                    format!("{} {}", column.name, if *is_descending { "DESC" } else { "ASC" })
                })
                .collect();
            let _ = write!(text, " AND CLUSTERING ORDER BY ({})", orders.join(", "));
        }
        text
    }
}

/// The options of a table's compression.
pub(super) fn compression(rng: &mut Rng, major: u32) -> String {
    let compressors: &[&str] = match major {
        3 => &["LZ4Compressor", "SnappyCompressor", "DeflateCompressor"],
        _ => &["LZ4Compressor", "SnappyCompressor", "DeflateCompressor", "ZstdCompressor"],
    };
    if rng.one_in(2) {
        return "{'enabled': false}".to_owned();
    }
    let (class, kib) = (rng.pick(compressors), rng.pick(&[4, 16, 64]));
    format!("{{'class': '{class}', 'chunk_length_in_kb': {kib}}}")
}
