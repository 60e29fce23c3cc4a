//! A table, asked while SSTables come and go.

use std::fs;
use std::ops::Bound;
use std::path::{Path, PathBuf};

use manicule::rows::{
    Error, ExportCall, ExportFormat, INDEX_BLOCK_LEN, MarkCall, OpenCall, PartitionOptions, Place,
    RankedBy, RowTimes, SliceCall, SliceWork, Table, Taken, Times, TombstonesCall, Version,
    WriteCall, mark, write,
};
use manicule::watch::Watch;

use super::ask_at_once;

const NOW: i64 = 1_700_000_000;

/// Writes an SSTable with rows of `p,v` into a table; of several that have a row the last is
/// newest.
pub(super) fn add(folder: &Path, number: i64, rows: &str) {
    let [schema, input] = ["t.cql", "rows.csv"].map(|name| folder.join(name));
    fs::write(&schema, "CREATE TABLE ks.t (p int PRIMARY KEY, v text)").unwrap();
    fs::write(&input, format!("p,v\n{rows}")).unwrap();
    let times = RowTimes {
        timestamp: NOW * 1_000_000 + number,
        timestamp_field: None,
        ttl: None,
        ttl_field: None,
        now: NOW,
    };
    let call = WriteCall {
        schema,
        table: None,
        inputs: vec![input],
        format: None,
        names: None,
        delimiter: b',',
        ignores_others: false,
        times,
        is_update: false,
        deletes_nulls: false,
        is_raw: false,
        is_sorted: false,
        memory: 1 << 20,
        host: None,
        version: Version::Me,
        compress: None,
        block_len: INDEX_BLOCK_LEN,
        filter_chance: None,
        place: Place { folder: place(folder), generation: None, is_dry: false },
    };
    assert!(write(&call, &Watch::none()).unwrap().written.is_some());
}

pub(super) fn place(folder: &Path) -> PathBuf {
    folder.join("t")
}

fn open(folder: &Path) -> Table {
    Table::open(&OpenCall::new(place(folder))).unwrap()
}

/// Removes an SSTable, as a server does that has merged it.
fn remove(folder: &Path, generation: u32) {
    for entry in fs::read_dir(place(folder)).unwrap().flatten() {
        let name = entry.file_name().into_string().unwrap();
        if name.starts_with(&format!("me-{generation}-big-")) {
            fs::remove_file(entry.path()).unwrap();
        }
    }
}

/// The live rows as CSV.
fn export(table: &Table) -> String {
    let call = ExportCall {
        format: ExportFormat::Csv,
        keys: Vec::new(),
        tokens: Vec::new(),
        taken: Taken::Others,
        as_text: Vec::new(),
        start: Bound::Unbounded,
        end: Bound::Unbounded,
        has_times: false,
        is_raw: false,
        now: NOW,
        schema: None,
    };
    let mut text = Vec::new();
    let exported = table.export(&call, &Watch::none(), |part| {
        text.extend_from_slice(part);
        Ok::<(), Error>(())
    });
    exported.unwrap();
    String::from_utf8(text).unwrap()
}

/// Number of the rows of a partition, and what they have cost.
fn slice(table: &Table, key: &str) -> (u64, SliceWork) {
    let slice = table.slice(&SliceCall::new(key.to_owned(), NOW)).unwrap();
    let work = slice.each(&Watch::none(), |_, _| Ok::<(), Error>(())).unwrap();
    (work.rows, work)
}

/// Something of the answer of each verb.
fn ask(table: &Table) -> Vec<String> {
    let times = Times { now: NOW, gc_grace_s: 0 };
    let options =
        PartitionOptions { listed_count_max: 9, by: RankedBy::Size, min: 0, counted: Some(times) };
    let watch = Watch::none();
    let partitions = table.partitions(&options, &watch).unwrap();
    let tombstones = table.tombstones(&TombstonesCall { times, top: 1 }, &watch).unwrap();
    let [statistics, overviews] =
        [table.stats().unwrap().sstables.len(), table.overviews().unwrap().list.len()];
    vec![
        export(table),
        slice(table, "1").0.to_string(),
        format!("{:?}", table.holders("1").unwrap().list),
        format!("{partitions:?}"),
        format!("{:?}", tombstones.all),
        format!("{:?}", table.column_shares(&watch).unwrap()),
        table.schema(None).unwrap().cql,
        format!("{:?}", table.inspect(None, &watch).unwrap().sstables),
        format!("{statistics} {overviews}"),
    ]
}

#[test]
fn a_table_is_asked_by_many_threads() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    add(folder, 1, "1,one\n2,two\n");
    let table = open(folder);
    let before = ask_at_once(|| ask(&table));
    assert_eq!((before[0].as_str(), before[1].as_str()), ("p,v\n1,one\n2,two\n", "1"));

    add(folder, 2, "1,newer\n3,three\n");
    assert_eq!(ask_at_once(|| ask(&table)), before);
    table.look_again().unwrap();
    let after = ask_at_once(|| ask(&table));
    assert_eq!(after, ask(&open(folder)));
    assert_eq!(table.sstables().unwrap().list.len(), 2);
    assert!(after[0].contains("1,newer\n") && !before[0].contains("1,newer\n"), "{after:?}");
}

#[test]
fn what_is_open_stays_so_until_its_files_are_others() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    add(folder, 1, "1,one\n");
    add(folder, 2, "2,two\n");
    let table = open(folder);
    let reads = |key| slice(&table, key).1.reading.reads;
    let (first, second) = (reads("1"), reads("1"));
    assert!(second < first, "{second} reads, at first {first}");
    table.look_again().unwrap();
    assert_eq!(reads("1"), second);

    // Its level changes, which is in Statistics.db.
    let paths = vec![place(folder).join("me-1-big-Data.db")];
    let call = MarkCall { paths, level: Some(1), repaired: None, is_dry: false };
    mark(&call, |_, _| Ok::<(), Error>(())).unwrap();
    assert_eq!(reads("1"), second);
    table.look_again().unwrap();
    assert!(reads("1") > second, "it wasn't opened again");
}

#[test]
fn what_a_server_removes_is_shown_while_it_is_open() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    add(folder, 1, "1,one\n");
    add(folder, 2, "2,two\n");
    let (opened, listed) = (open(folder), open(folder));
    let all = export(&opened);
    remove(folder, 1);
    assert_eq!(export(&opened), all);
    // What was never opened is gone: a verb looks again by itself.
    assert_eq!(export(&listed), "p,v\n2,two\n");
    opened.look_again().unwrap();
    assert_eq!(export(&opened), "p,v\n2,two\n");

    remove(folder, 2);
    assert_eq!(opened.look_again().unwrap_err().class(), manicule::ErrorClass::Missing);
    assert_eq!(export(&opened), "p,v\n2,two\n");
}
