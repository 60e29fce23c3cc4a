//! Random rows, and a plain model of what is left of them.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use manicule_format_sstable::{
    Deletion, Elements, Header, NO_LOCAL_TIME, Prefix, PrefixBuf, PrefixKind, Token, Type, Value,
};
use manicule_rows::RowsError;
use manicule_rows::write::{NewRow, NewValue, Stamp};
use manicule_testkit::Rng;

use crate::golden::support::hex;

/// A row that owns what it says.
#[derive(Clone, Debug)]
pub(super) struct Own {
    pub(super) key: Vec<u8>,
    pub(super) clustering: Option<Vec<Vec<u8>>>,
    pub(super) stamp: Stamp,
    pub(super) has_liveness: bool,
    pub(super) deletion: Deletion,
    pub(super) statics: Vec<(usize, Option<Vec<u8>>)>,
    pub(super) regulars: Vec<(usize, Option<Vec<u8>>)>,
}

impl Own {
    pub(super) fn give(
        &self,
        take: &mut dyn FnMut(&NewRow<'_>) -> Result<(), RowsError>,
    ) -> Result<(), RowsError> {
        let statics = news(&self.statics);
        let regulars = news(&self.regulars);
        let clustering: Option<Vec<Value<'_>>> =
            self.clustering.as_ref().map(|values| values.iter().map(|it| Some(&it[..])).collect());
        take(&NewRow {
            key: &self.key,
            clustering: clustering.as_deref(),
            stamp: self.stamp,
            has_liveness: self.has_liveness,
            deletion: self.deletion,
            statics: &statics,
            regulars: &regulars,
        })
    }
}

fn news(list: &[(usize, Option<Vec<u8>>)]) -> Vec<(usize, NewValue<'_>)> {
    list.iter()
        .map(|(column, value)| (*column, value.as_deref().map_or(NewValue::Deleted, NewValue::Set)))
        .collect()
}

pub(super) const CQL: &str = "CREATE TYPE ks.u (a int, b text);
    CREATE TABLE ks.t (p int, q text, c text, d int, i int, t text, l list<int>, s set<text>, m map<int, text>, u u, f frozen<list<int>>,
    si int static, sm map<text, int> static, PRIMARY KEY ((p, q), c, d)) WITH CLUSTERING ORDER BY (c DESC, d ASC)";

/// Values of each type of the table, of which many are the same.
fn random_value(kind: &Type, random: &mut Rng) -> Option<Vec<u8>> {
    let number = |random: &mut Rng| random.below(4);
    let literal = match kind.cql().as_str() {
        "int" => number(random).to_string(),
        "text" => format!("'{}'", "x".repeat(number(random))),
        "list<int>" | "frozen<list<int>>" => {
            let list: Vec<String> =
                (0..number(random)).map(|_| number(random).to_string()).collect();
            format!("[{}]", list.join(", "))
        }
        "set<text>" => {
            let set: Vec<String> = (0..number(random)).map(|it| format!("'{it}'")).collect();
            format!("{{{}}}", set.join(", "))
        }
        "map<int, text>" => {
            let pairs = (0..number(random)).map(|it| format!("{it}: '{}'", number(random)));
            format!("{{{}}}", pairs.collect::<Vec<_>>().join(", "))
        }
        "map<text, int>" => format!("{{'k{}': {}}}", number(random), number(random)),
        "u" => match number(random) {
            0 => "{a: 1}".to_owned(),
            1 => "{b: 'b'}".to_owned(),
            it => format!("{{a: {it}, b: 'c'}}"),
        },
        other => panic!("{other}"),
    };
    kind.read_literal(&literal).expect("a literal")
}

pub(super) fn random_rows(header: &Header, random: &mut Rng, count: usize) -> Vec<Own> {
    let parts = |kinds: &[Type], random: &mut Rng| -> Vec<Vec<u8>> {
        kinds.iter().map(|kind| random_value(kind.ascending(), random).expect("a value")).collect()
    };
    (0..count)
        .map(|_| {
            let key = parts(header.key.key_parts(), random);
            let key: Vec<&[u8]> = key.iter().map(Vec::as_slice).collect();
            let key = header.key.key_of_parts(&key).expect("a key");
            let is_static = random.below(8) == 0;
            let clustering = (!is_static).then(|| parts(&header.clustering, random));
            let timestamp = random.below(5) as i64 - 2;
            let ttl = if random.below(4) == 0 { 60 * (1 + random.below(3) as i32) } else { 0 };
            let expires = if ttl == 0 { NO_LOCAL_TIME } else { 1_700_000_000 + i64::from(ttl) };
            let stamp = Stamp { timestamp, ttl, expires, now: 1_700_000_000 };
            let deletion = match random.below(10) {
                0 if !is_static => {
                    let (marked_at, local_time) = (random.below(5) as i64 - 2, 1_699_999_999);
                    Deletion { marked_at, local_time }
                }
                _ => Deletion::LIVE,
            };
            let mut values = |is_static: bool, one_of: usize| {
                let columns = header.columns(is_static).iter().enumerate();
                let mut list = Vec::new();
                for (number, column) in columns {
                    if random.below(one_of) == 0 {
                        let is_null = random.below(4) == 0;
                        let value = random_value(&column.kind, random);
                        list.push((number, value.filter(|_| !is_null)));
                    }
                }
                list
            };
            let statics = values(true, if is_static { 1 } else { 5 });
            let regulars = if is_static { Vec::new() } else { values(false, 2) };
            let has_liveness = random.below(3) > 0;
            Own { key, clustering, stamp, has_liveness, deletion, statics, regulars }
        })
        .collect()
}

/// What is left of a cell or collection: timestamp, whether it has a local time, whether it is
/// deleted, local time, value, seconds to live.
type Cell = (i64, bool, bool, i64, Vec<u8>, i32);

/// A row as a plain model has it.
#[derive(Default)]
struct Model {
    liveness: Option<(i64, Option<i64>, i32)>,
    deletion: Option<(i64, i64)>,
    /// Deletions of collections, and cells by their paths.
    deletions: BTreeMap<usize, (i64, i64)>,
    cells: BTreeMap<(usize, Vec<u8>), Cell>,
}

/// Paths and values of a value's cells.
fn elements(kind: &Type, value: &[u8], timestamp: i64) -> Vec<(Vec<u8>, Vec<u8>)> {
    let own = |part: Option<&[u8]>| part.unwrap_or_default().to_vec();
    match kind {
        Type::List { .. } => {
            let uuid = |index: usize| {
                let ticks = (timestamp * 10 + 0x01b2_1dd2_1381_4000 + index as i64) as u64;
                let (low, middle, high) =
                    (ticks as u32, (ticks >> 32) as u16, (ticks >> 48) as u16);
                let mut uuid = low.to_be_bytes().to_vec();
                uuid.extend(middle.to_be_bytes());
                uuid.extend((high | 0x1000).to_be_bytes());
                uuid.extend([0x80, 0, 1, 0, 0, 0, 0, 0]);
                uuid
            };
            let list = Elements::of_list(value).enumerate();
            list.map(|(index, element)| (uuid(index), own(element))).collect()
        }
        Type::Set { .. } => Elements::of_list(value).map(|it| (own(it), Vec::new())).collect(),
        Type::Map { .. } => {
            let parts: Vec<_> = Elements::of_map(value).map(own).collect();
            parts.chunks(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect()
        }
        _ => {
            let fields = Elements::of_tuple(value).enumerate();
            let field = |(number, field): (usize, Option<&[u8]>)| {
                Some((vec![0, number as u8], field?.to_vec()))
            };
            fields.filter_map(field).collect()
        }
    }
}

impl Model {
    fn add(&mut self, header: &Header, row: &Own, is_static: bool) {
        let Stamp { timestamp, ttl, expires, now } = row.stamp;
        if !is_static {
            if row.has_liveness {
                let new = (timestamp, (ttl != 0).then_some(expires), ttl);
                self.liveness = self.liveness.max(Some(new));
            }
            if !row.deletion.is_live() {
                let new = (row.deletion.marked_at, row.deletion.local_time);
                self.deletion = self.deletion.max(Some(new));
            }
        }
        for (column, value) in if is_static { &row.statics } else { &row.regulars } {
            let kind = &header.columns(is_static)[*column].kind;
            let mut put = |path: Vec<u8>, value: Vec<u8>, is_deleted: bool| {
                let (time, ttl) = if is_deleted { (now, 0) } else { (expires, ttl) };
                let new = (timestamp, time != NO_LOCAL_TIME, is_deleted, time, value, ttl);
                let there = self.cells.entry((*column, path)).or_insert_with(|| new.clone());
                if *there < new {
                    *there = new;
                }
            };
            match value {
                None if !kind.is_complex() => put(Vec::new(), Vec::new(), true),
                Some(value) if !kind.is_complex() => put(Vec::new(), value.clone(), false),
                value => {
                    for (path, value) in
                        value.iter().flat_map(|value| elements(kind, value, timestamp))
                    {
                        put(path, value, false);
                    }
                    let deletion = self.deletions.entry(*column).or_insert((i64::MIN, 0));
                    *deletion = (*deletion).max((timestamp - 1, now));
                }
            }
        }
    }

    /// Lines for what is left, as those of facts.
    fn lines(&self, header: &Header, at: &str, is_static: bool, out: &mut Vec<String>) {
        let hides = self.deletion.map_or(i64::MIN, |deletion| deletion.0);
        if let Some((timestamp, expires, ttl)) = self.liveness.filter(|it| it.0 > hides) {
            let expires = expires.unwrap_or(NO_LOCAL_TIME);
            out.push(format!("{at} Row  {timestamp} {ttl} {expires}"));
        }
        if let Some((timestamp, time)) = self.deletion {
            out.push(format!("{at} RowDeletion  {timestamp} 0 {time}"));
        }
        for (number, column) in header.columns(is_static).iter().enumerate() {
            let name = String::from_utf8_lossy(&column.name);
            // Of equal timestamps the later local time supersedes.
            let own = self.deletions.get(&number).filter(|it| self.deletion < Some(**it));
            if let Some((timestamp, time)) = own {
                out.push(format!("{at} CollectionDeletion {name} {timestamp} 0 {time}"));
            }
            let hides = own.map_or(hides, |it| it.0.max(hides));
            let cells =
                self.cells.iter().filter(|((column, _), cell)| *column == number && cell.0 > hides);
            let mut lines: Vec<(Vec<u8>, String)> = Vec::new();
            for ((_, path), (timestamp, _, is_deleted, time, value, ttl)) in cells {
                let kind = if *is_deleted { "CellDeletion" } else { "Cell" };
                let (shown, value) = (hex(path), hex(value));
                let line = format!("{at} {kind} {name} {timestamp} {ttl} {time} {shown} {value}");
                lines.push((path.clone(), line));
            }
            lines.sort_by(|left, right| match &column.kind {
                Type::List { .. } => Type::Timeuuid.compare(&left.0, &right.0),
                Type::Set { element, .. } => element.compare(&left.0, &right.0),
                Type::Map { key, .. } => key.compare(&left.0, &right.0),
                _ => left.0.cmp(&right.0),
            });
            out.extend(lines.into_iter().map(|(_, line)| line));
        }
    }
}

pub(super) fn place(header: &Header, key: &[u8], clustering: Option<&[Value<'_>]>) -> String {
    let mut at = String::new();
    header.key.put_literal(Some(key), &mut at);
    for (kind, value) in header.clustering.iter().zip(clustering.into_iter().flatten()) {
        at.push('/');
        kind.put_literal(*value, &mut at);
    }
    at
}

/// Order of two rows of the table.
pub(super) fn compare(header: &Header, left: &Own, right: &Own) -> Ordering {
    let partition = |row: &Own| (Token::of(&row.key), row.key.clone());
    let prefix = |values: &[Vec<u8>]| {
        let values: Vec<Value<'_>> = values.iter().map(|value| Some(&value[..])).collect();
        PrefixBuf::new(PrefixKind::Row, &header.clustering, &values)
    };
    partition(left).cmp(&partition(right)).then_with(|| {
        match (&left.clustering, &right.clustering) {
            (Some(left), Some(right)) => Prefix::compare(
                &header.clustering,
                &prefix(left).as_prefix(),
                &prefix(right).as_prefix(),
            ),
            (left, right) => left.is_some().cmp(&right.is_some()),
        }
    })
}

pub(super) fn model_lines(header: &Header, rows: &[Own]) -> Vec<String> {
    let mut sorted: Vec<Own> = Vec::new();
    for row in rows {
        // The static values of a row are a row of their own.
        if !row.statics.is_empty() {
            sorted.push(Own { clustering: None, regulars: Vec::new(), ..row.clone() });
        }
        if row.clustering.is_some() {
            sorted.push(Own { statics: Vec::new(), ..row.clone() });
        }
    }
    sorted.sort_by(|left, right| compare(header, left, right));
    let mut lines = Vec::new();
    for group in sorted.chunk_by(|left, right| compare(header, left, right).is_eq()) {
        let mut model = Model::default();
        let is_static = group[0].clustering.is_none();
        group.iter().for_each(|row| model.add(header, row, is_static));
        let values: Option<Vec<Value<'_>>> =
            group[0].clustering.as_ref().map(|it| it.iter().map(|it| Some(&it[..])).collect());
        let at = place(header, &group[0].key, values.as_deref());
        model.lines(header, &at, is_static, &mut lines);
    }
    lines
}
