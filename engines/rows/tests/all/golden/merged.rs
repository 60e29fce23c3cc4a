//! Several SSTables as one, and what is live, against the answers of Cassandra's own reader.

use std::path::Path;

use manicule_rows::merge::{MergedColumns, MergedItem, MergedRow, open_merged};
use manicule_rows::table::{Access, Sstable};
use manicule_store::context::Budget;
use manicule_store::pages::{ReadCounts, Reading, SystemCache};
use serde_json::{Value, json};

use crate::golden::support::{
    Golden, SEEKS, absent, answer_of, bounds, check_answer, clustering, deletion, hex,
    live_answer_of, local_time, marker, open, refused, row_shown, slice_options, unhex, value,
};

fn name(columns: &MergedColumns, is_static: bool, column: usize) -> String {
    String::from_utf8(columns.list(is_static)[column].name.clone()).unwrap()
}

fn cells(row: &MergedRow, columns: &MergedColumns, is_static: bool) -> Vec<Value> {
    let mut cells = Vec::new();
    for column in &row.columns {
        let name = name(columns, is_static, column.column);
        if !column.deletion.is_live() {
            cells.push(json!([name, "complex_deletion", deletion(column.deletion)]));
        }
        for cell in &column.cells {
            let (path, time) = (cell.path.as_deref().map(hex), local_time(cell.local_time));
            let shown = (cell.timestamp, cell.ttl, time, value(&cell.value));
            cells.push(json!([name, path, shown.0, shown.1, shown.2, shown.3]));
        }
    }
    cells
}

fn live_cells(row: &MergedRow, columns: &MergedColumns, is_static: bool) -> Value {
    let mut cells = Vec::new();
    for column in &row.columns {
        let name = name(columns, is_static, column.column);
        for cell in &column.cells {
            cells.push(json!([name, cell.path.as_deref().map(hex), value(&cell.value)]));
        }
    }
    cells.into()
}

/// What is live in an answer, and, if all of it is wanted, what was read.
fn answer(sstables: &[Sstable], question: &Value, is_whole: bool) -> Value {
    let types = &sstables[0].header().clustering;
    let Some(bounds) = bounds(question, types) else { return refused() };
    let mut options = slice_options(question, SEEKS[0]);
    // A limit counts merged rows in what was read, live rows in what is live.
    let limit = options.row_count_max.take().map_or(usize::MAX, |limit| limit as usize);
    let (mut counts, budget) = (ReadCounts::default(), Budget::new(4 << 20));
    let mut reading = Reading { counts: &mut counts, budget: &budget };
    let key = unhex(question["key"].as_str().unwrap());
    let all: Vec<&Sstable> = sstables.iter().collect();
    let opened = open_merged(&all, &key, &bounds, &options, &mut reading).unwrap();
    let Some(mut slice) = opened else { return absent() };
    // The program that asked took times as 32 bits with a sign: after 2038 it asked about a time
    // long ago.
    let now = i64::from(question["now"].as_i64().unwrap() as i32);
    let columns = slice.columns().clone();
    let (mut items, mut live, mut rows) = (Vec::new(), Vec::new(), 0);
    while let Some(item) = slice.next(&mut reading).unwrap() {
        let shown = match &item {
            MergedItem::Row(row) => {
                let prefix = row.clustering.as_prefix();
                if live.len() < limit {
                    live.extend(row.clone().live(now).map(|row| {
                        json!({
                            "ck": clustering(types, &prefix),
                            "cells": live_cells(&row, &columns, false),
                        })
                    }));
                }
                let cells = cells(row, &columns, false);
                row_shown(types, Some(&prefix), row.liveness, row.deletion, cells)
            }
            MergedItem::Marker(read) => {
                marker(types, &read.prefix.as_prefix(), read.closes, read.opens)
            }
        };
        if rows < limit {
            rows += usize::from(matches!(item, MergedItem::Row(_)));
            items.push(shown);
        }
    }
    let mut answer = json!({});
    if is_whole {
        let statics = slice.static_row().map(|row| {
            row_shown(types, None, row.liveness, row.deletion, cells(row, &columns, true))
        });
        answer = answer_of(slice.deletion(), statics, items);
    }
    let live_static = slice.static_row().cloned().and_then(|row| row.live(now));
    let live_static = live_static.map(|row| live_cells(&row, &columns, true));
    let live = live_answer_of(live_static, live);
    answer.as_object_mut().unwrap().extend(live.as_object().unwrap().clone());
    answer
}

fn check_table(folder: &Path, questions: &[(Value, Value)]) {
    for access in [Access::Mapped, Access::Positioned(SystemCache::Used)] {
        let sstables = open(folder, access);
        for (question, wanted) in questions {
            let got = answer(&sstables, question, sstables.len() > 1);
            let shown = format!("{folder:?} {} {access:?}", question["id"]);
            check_answer(&got, wanted, question, &shown);
        }
    }
}

fn check(versions: &[&str], tables: &[&str]) {
    let (golden, mut count) = (Golden::new(), 0);
    for (version, table) in
        versions.iter().flat_map(|version| tables.iter().map(move |table| (version, table)))
    {
        let Some(folder) = golden.table(version, table) else { continue };
        let questions = golden.questions(version, table);
        check_table(&folder, &questions);
        count += questions.len();
    }
    println!("{count} questions");
    assert!(count > 0);
}

const VERSIONS: [&str; 6] = ["mc", "md", "me", "na", "pa", "ea"];

#[test]
fn three_sstables_are_merged_as_cassandra_does() {
    check(&VERSIONS, &["multi"]);
}

#[test]
fn what_is_live_is_what_cassandra_shows() {
    let tables = ["cols", "comp", "compact", "counters", "edge", "mixed", "narrow", "types", "udt"];
    check(&VERSIONS, &tables);
    check(&VERSIONS, &["wide", "small"]);
    check(&["pa", "ea"], &["dict", "late", "vec"]);
}
