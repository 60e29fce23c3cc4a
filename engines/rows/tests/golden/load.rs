//! Rows loaded: the files of Cassandra for the rows of its golden partition; random rows beside a plain model of what is left of
//! them, whatever the memory, sorted or not.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use manicule_core::watch::Watch;
use manicule_format_sstable::{
    Deletion, Header, NO_LOCAL_TIME, Prefix, PrefixBuf, PrefixKind, Token, Type, Value, Version,
    read_schema,
};
use manicule_rows::RowsError;
use manicule_rows::export::{Fact, FactKind, facts};
use manicule_rows::merge::CellPath;
use manicule_rows::scan::Chosen;
use manicule_rows::table::{Access, list};
use manicule_rows::verify::{Depth, verify};
use manicule_rows::write::{LoadOptions, Loaded, NewRow, NewValue, Stamp, Target, load};
use manicule_store::Disk;
use manicule_store::pages::{Budget, ReadCounts, Reading};
use manicule_testkit::Rng;
use sha2::{Digest, Sha256};

use crate::support::{hex, open, options};

fn header(cql: &str, version: Version) -> Header {
    read_schema(cql).expect("CQL")[0].header(version).expect("a header")
}

fn load_options(header: Header) -> LoadOptions {
    LoadOptions {
        header,
        filter_chance: 0.01,
        index_interval: 128,
        compress: None,
        block_len: 64 << 10,
        host: None,
        is_sorted: false,
        memory_bytes: 256 << 20,
    }
}

fn loaded(
    folder: &Path,
    wanted: LoadOptions,
    rows: impl FnOnce(&mut dyn FnMut(&NewRow<'_>) -> Result<(), RowsError>) -> Result<(), RowsError>,
) -> Result<Loaded, RowsError> {
    let (mut counts, budget) = (ReadCounts::default(), Budget::new(256 << 20));
    let mut reading = Reading { counts: &mut counts, budget: &budget };
    let (files, folder) = (Disk::shared(), folder.to_owned());
    let target = Target { files, folder, generation: Some(1), is_dry: false };
    let table = options(Access::Mapped);
    load(&target, wanted, &table, &mut reading, &Watch::none(), |take| rows(take))
}

/// The value of a row of the golden partition: splitmix64, chained from the row's number.
fn value(row: u64, value: &mut [u8]) {
    let mut word = row;
    for bytes in value.chunks_mut(8) {
        word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
        word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^= word >> 31;
        bytes.copy_from_slice(&word.to_le_bytes()[..bytes.len()]);
    }
}

/// The hashes are those of the files that Cassandra 3.11.3 wrote.
#[test]
fn the_golden_partition_has_the_files_of_cassandra() {
    let cql = "CREATE TABLE ks.t (pk int, ck int, value blob, PRIMARY KEY (pk, ck))";
    for is_sorted in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        let wanted = LoadOptions { is_sorted, ..load_options(header(cql, Version::Mc)) };
        let written = loaded(folder.path(), wanted, |take| {
            let mut bytes = [0; 200];
            for row in 0..1_000_000 {
                value(row, &mut bytes);
                let ck = (2 * row as i32 + 1).to_be_bytes();
                let timestamp = 1_600_000_000_000_000 + row as i64;
                let stamp = Stamp { timestamp, ttl: 0, expires: NO_LOCAL_TIME, now: 0 };
                take(&NewRow {
                    key: &[0; 4],
                    clustering: Some(&[Some(&ck)]),
                    stamp,
                    has_liveness: false,
                    deletion: Deletion::LIVE,
                    statics: &[],
                    regulars: &[(0, NewValue::Set(&bytes))],
                })?;
            }
            Ok(())
        });
        let written = written.unwrap();
        assert_eq!((written.given_count, written.run_count), (1_000_000, 0));
        for (name, want) in [
            ("Data.db", "e6ca3f4c62b6c67b7cb8141b5f6725e69c8c6b90fb25099beaf2a04ce02f4de0"),
            ("Index.db", "19f5fe5f8bce14fc9e18b26b1b7450a8dda72473605fdb163dbcf1d354f5fc4f"),
            ("Filter.db", "7aa9dce46f9fad26af370d081c8a2c54240954dd9175ac17aee5bb7c8c2dd2c6"),
            ("Summary.db", "b46525e94ef8046afa9cc9bab04a2ecb2088c36c650939c6e9f3ef5ef6bf6d9d"),
        ] {
            let bytes = fs::read(folder.path().join(format!("mc-1-big-{name}"))).unwrap();
            assert_eq!(hex(&Sha256::digest(&bytes)), want, "{name}, sorted: {is_sorted}");
        }
        let digest = fs::read(folder.path().join("mc-1-big-Digest.crc32")).unwrap();
        assert_eq!(digest, b"3597157811");
    }
}

/// A row that owns what it says.
#[derive(Clone, Debug)]
struct Own {
    key: Vec<u8>,
    clustering: Option<Vec<Vec<u8>>>,
    stamp: Stamp,
    has_liveness: bool,
    deletion: Deletion,
    statics: Vec<(usize, Option<Vec<u8>>)>,
    regulars: Vec<(usize, Option<Vec<u8>>)>,
}

impl Own {
    fn give(
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

const CQL: &str = "CREATE TYPE ks.u (a int, b text);
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

fn random_rows(header: &Header, random: &mut Rng, count: usize) -> Vec<Own> {
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

/// What is left of a cell or collection: timestamp, whether it has a local time, whether it is deleted, local time, value, seconds to live.
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
    use manicule_format_sstable::Elements;
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

fn place(header: &Header, key: &[u8], clustering: Option<&[Value<'_>]>) -> String {
    let mut at = String::new();
    header.key.put_literal(Some(key), &mut at);
    for (kind, value) in header.clustering.iter().zip(clustering.into_iter().flatten()) {
        at.push('/');
        kind.put_literal(*value, &mut at);
    }
    at
}

/// Order of two rows of the table.
fn compare(header: &Header, left: &Own, right: &Own) -> std::cmp::Ordering {
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

fn model_lines(header: &Header, rows: &[Own]) -> Vec<String> {
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

fn line(header: &Header, fact: &Fact<'_>) -> String {
    let values: Option<Vec<Value<'_>>> =
        fact.place.map(|place| place.values(&header.clustering).collect());
    let at = place(header, fact.key, values.as_deref());
    let Fact { kind, timestamp, ttl, local_time, .. } = fact;
    let name =
        fact.column.map_or(String::new(), |it| String::from_utf8_lossy(&it.name).into_owned());
    let mut line = format!("{at} {kind:?} {name} {timestamp} {ttl} {local_time}");
    if let (Some(cell), Some(column)) = (fact.cell, fact.column) {
        // The path and the type of a value are named too.
        assert_eq!(matches!(cell.path_of(&column.kind), CellPath::None), cell.path.is_none());
        let path = cell.path.as_deref().unwrap_or_default();
        line.push_str(&format!(" {} {}", hex(path), hex(&cell.value)));
    }
    assert_ne!(*kind, FactKind::PartitionDeletion);
    line
}

/// The facts of a folder's only SSTable, which is sound.
fn read_back(folder: &Path, header: &Header) -> Vec<String> {
    let (mut counts, budget) = (ReadCounts::default(), Budget::new(16 << 20));
    let mut reading = Reading { counts: &mut counts, budget: &budget };
    let (listed, left_out) = list(folder).unwrap();
    assert!(listed.len() == 1 && left_out.is_empty(), "{left_out:?}");
    let table = options(Access::Mapped);
    let verified = verify(&listed[0], Depth::Whole, &table, &mut reading, &Watch::none()).unwrap();
    assert_eq!(verified.verdict.findings.count, 0, "{:?}", verified.verdict);
    let sstables = open(folder, Access::Mapped);
    let mut lines = Vec::new();
    let read = facts(&sstables, &Chosen::ALL, &mut reading, &Watch::none(), |fact| {
        lines.push(line(header, fact));
        Ok::<(), RowsError>(())
    });
    assert_eq!(read.unwrap().rows, lines.len() as u64);
    lines
}

/// Names the first line that differs.
fn check_lines(got: &[String], want: &[String], what: &str) {
    let first = got.iter().zip(want).find(|(got, want)| got != want);
    assert!(first.is_none(), "{what}: {first:?}");
    assert_eq!(got.len(), want.len(), "{what}");
}

fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    entries
        .map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap()))
        .collect()
}

#[test]
fn random_rows_are_what_a_plain_model_leaves_of_them() {
    let seed = std::env::var("MANICULE_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let rounds = std::env::var("MANICULE_ROUNDS").ok().and_then(|it| it.parse().ok()).unwrap_or(40);
    let (mut run_count, mut merged_count) = (0, 0);
    for round in 0..rounds {
        let mut random = Rng::new(seed + round);
        let version = [Version::Mc, Version::Md, Version::Me, Version::Na, Version::Nb];
        let header = header(CQL, version[round as usize % version.len()]);
        let count = 1 + random.below(300);
        let rows = random_rows(&header, &mut random, count);
        let want = model_lines(&header, &rows);
        let wanted = |memory_bytes, is_sorted| LoadOptions {
            memory_bytes,
            is_sorted,
            block_len: 200,
            ..load_options(header.clone())
        };
        let give = |rows: &[Own], wanted: LoadOptions| {
            let folder = tempfile::tempdir().unwrap();
            let loaded = loaded(folder.path(), wanted, |take| {
                rows.iter().try_for_each(|row| row.give(take))
            });
            (folder, loaded.unwrap())
        };
        let (whole, of_whole) = give(&rows, wanted(1 << 30, false));
        check_lines(&read_back(whole.path(), &header), &want, &format!("round {round}"));
        assert_eq!(of_whole.run_count, 0);
        // In less memory: the same files.
        for memory in [100, 1000, 10_000] {
            // So many runs that some are merged before all are.
            if memory == 100 && round % 10 != 0 {
                continue;
            }
            let (runs, of_runs) = give(&rows, wanted(memory, false));
            assert!(files(runs.path()) == files(whole.path()), "round {round}, memory {memory}");
            run_count += of_runs.run_count;
            merged_count += u64::from(of_runs.run_count > 64);
        }
        // In the order of the table: static values first, and those of a partition in one row.
        let mut sorted: Vec<Own> = rows.clone();
        sorted
            .iter_mut()
            .filter(|row| row.clustering.is_some())
            .for_each(|row| row.statics.clear());
        sorted.sort_by(|left, right| compare(&header, left, right));
        let (streamed, _) = give(&sorted, wanted(0, true));
        let want = model_lines(&header, &sorted);
        check_lines(&read_back(streamed.path(), &header), &want, &format!("round {round}, sorted"));
    }
    println!("{run_count} runs, {merged_count} tables of more than 64");
    assert!(run_count > 500 && merged_count > 1 || rounds < 40, "{run_count} {merged_count}");
}

#[test]
fn rows_that_have_no_place_are_refused() {
    let header = header(CQL, Version::Me);
    let mut random = Rng::new(9);
    let rows = loop {
        let rows = random_rows(&header, &mut random, 50);
        if rows.iter().filter(|row| row.clustering.is_some()).count() > 10 {
            break rows;
        }
    };
    let row = rows.iter().find(|row| row.clustering.is_some()).expect("a row");
    let check = |change: &dyn Fn(&mut Own), want: &str| {
        let mut row = row.clone();
        change(&mut row);
        let folder = tempfile::tempdir().unwrap();
        let refused = loaded(folder.path(), load_options(header.clone()), |take| row.give(take));
        let error = refused.expect_err(want).to_string();
        assert!(error.contains(want), "{error}");
        assert!(files(folder.path()).is_empty());
    };
    check(&|row| row.key.clear(), "the partition key is empty");
    check(&|row| row.key = vec![0; 70_000], "a partition key has 70000 bytes");
    check(&|row| row.clustering = Some(Vec::new()), "a row has 0 clustering values: wanted 2");
    check(&|row| row.clustering.as_mut().unwrap()[1] = vec![1], "none of the type int");
    check(&|row| row.clustering.as_mut().unwrap()[0] = vec![b'x'; 70_000], "65,535 at most fit");
    check(
        &|row| row.regulars = vec![(1, Some(vec![1, 2]))],
        "a value of 2 bytes is none of the type",
    );
    check(&|row| row.stamp = Stamp { ttl: 1, expires: 1 << 40, ..row.stamp }, "deletion time");
    // Out of order.
    let mut sorted: Vec<Own> =
        rows.iter().filter(|row| row.clustering.is_some()).cloned().collect();
    sorted.iter_mut().for_each(|row| row.statics.clear());
    sorted.sort_by(|left, right| compare(&header, right, left));
    let folder = tempfile::tempdir().unwrap();
    let wanted = LoadOptions { is_sorted: true, ..load_options(header.clone()) };
    let refused =
        loaded(folder.path(), wanted, |take| sorted.iter().try_for_each(|row| row.give(take)));
    assert!(refused.expect_err("order").to_string().contains("rows are not sorted"));
    assert!(files(folder.path()).is_empty());
    // Nothing at all.
    let none = loaded(folder.path(), load_options(header), |_| Ok(())).unwrap();
    assert_eq!((none.given_count, none.written), (0, None));
}
