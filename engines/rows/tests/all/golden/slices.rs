//! Slices of one SSTable against the answers of Cassandra's own reader.

use std::path::Path;

use manicule_format_sstable::{Cell, Row, RowPart};
use manicule_rows::slice::{Item, Seek, open_slice};
use manicule_rows::table::{Access, Sstable};
use manicule_store::context::Budget;
use manicule_store::pages::{ReadCounts, Reading, SystemCache};
use serde_json::{Value, json};

use crate::golden::support::{
    Golden, SEEKS, absent, answer_of, bounds, check_answer, deletion, hex, local_time, marker,
    open, refused, row_shown, slice_options, unhex, value,
};

fn cells(row: &Row<'_>, sstable: &Sstable) -> Vec<Value> {
    let columns = sstable.header().columns(row.is_static);
    let name = |column: usize| String::from_utf8(columns[column].name.clone()).unwrap();
    let mut cells = Vec::new();
    for part in row.cells(sstable.shape()) {
        match part.unwrap() {
            RowPart::Complex { column, deletion: complex, .. } if !complex.is_live() => {
                cells.push(json!([name(column), "complex_deletion", deletion(complex)]));
            }
            RowPart::Complex { .. } => {}
            RowPart::Cell(cell) => {
                let Cell { column, path, timestamp, ttl, value: bytes, .. } = cell;
                let path = path.map(hex);
                let time = local_time(cell.local_time);
                cells.push(json!([name(column), path, timestamp, ttl, time, value(bytes)]));
            }
        }
    }
    cells
}

fn row(row: &Row<'_>, sstable: &Sstable) -> Value {
    let prefix = (!row.is_static).then(|| row.prefix());
    let types = &sstable.header().clustering;
    row_shown(types, prefix.as_ref(), row.liveness, row.deletion, cells(row, sstable))
}

/// What a question's answer has of one SSTable.
fn answer(sstable: &Sstable, question: &Value, seek: Seek) -> Value {
    let types = &sstable.header().clustering;
    let Some(bounds) = bounds(question, types) else { return refused() };
    let options = slice_options(question, seek);
    let (mut counts, budget) = (ReadCounts::default(), Budget::new(4 << 20));
    let mut reading = Reading { counts: &mut counts, budget: &budget };
    let key = unhex(question["key"].as_str().unwrap());
    let opened = open_slice(sstable, &key, bounds, &options, &mut reading).unwrap();
    let Some(mut slice) = opened else { return absent() };
    let mut items = Vec::new();
    while let Some(item) = slice.next(&mut reading).unwrap() {
        items.push(match item {
            Item::Row(read) => row(&read, sstable),
            Item::Marker(read) => marker(types, &read.prefix, read.closes, read.opens),
        });
    }
    let statics = slice.head().static_row(sstable).unwrap().map(|read| row(&read, sstable));
    answer_of(slice.head().deletion, statics, items)
}

/// A table of one SSTable with the questions for `asked`, the table of the same rows.
fn check_table(folder: &Path, questions: &[(Value, Value)]) {
    for access in [Access::Mapped, Access::Positioned(SystemCache::Used)] {
        let sstables = open(folder, access);
        let [sstable] = &sstables[..] else { panic!("{folder:?} has several SSTables") };
        for (question, wanted) in questions {
            for seek in SEEKS {
                let got = answer(sstable, question, seek);
                let shown = format!("{folder:?} {} {access:?} {seek:?}", question["id"]);
                check_answer(&got, wanted, question, &shown);
            }
        }
    }
}

/// Tables of one SSTable in a version: those with questions of their own, and those with the rows
/// of `small`.
fn check(version: &str, tables: &[&str]) {
    let (golden, mut count) = (Golden::new(), 0);
    for table in tables {
        let Some(folder) = golden.table(version, table) else { continue };
        let asked = if table.starts_with("small") { "small" } else { table };
        let questions = golden.questions(version, asked);
        check_table(&folder, &questions);
        count += questions.len();
    }
    println!("{version}: {count} questions");
    assert!(count > 0, "{version}");
}

const ALL: [&str; 14] = [
    "cols", "comp", "compact", "counters", "edge", "mixed", "narrow", "small", "small_de",
    "small_lz", "small_sn", "types", "udt", "wide",
];

const LATER: [&str; 4] = ["small_zs", "dict", "late", "vec"];

#[test]
fn slices_of_mc_are_cassandras() {
    check("mc", &ALL);
}

#[test]
fn slices_of_md_are_cassandras() {
    check("md", &ALL);
}

#[test]
fn slices_of_me_are_cassandras() {
    check("me", &ALL);
}

#[test]
fn slices_of_na_are_cassandras() {
    check("na", &[&ALL[..], &["small_zs"]].concat());
}

#[test]
fn slices_of_pa_are_cassandras() {
    check("pa", &[&ALL[..], &LATER].concat());
}

#[test]
fn slices_of_ea_are_cassandras() {
    check("ea", &[&ALL[..], &LATER].concat());
}
