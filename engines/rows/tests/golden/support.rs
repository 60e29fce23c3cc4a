//! Golden tables, the questions and answers about them, and what was read shown as an answer is.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use manicule_core::blocks::ReadCost;
use manicule_format_sstable::{
    Deletion, Liveness, NO_LOCAL_TIME, Prefix, PrefixKind, Type, Value as Part,
};
use manicule_rows::slice::{Bounds, Direction, Edge, Seek, SliceOptions};
use manicule_rows::table::{Access, Sstable, TableOptions, list};
use manicule_store::pages::{Budget, Cache, CacheOptions, ReadCounts, Reading};
use manicule_testkit::golden_folder;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

/// Archives of proof/golden/rows.
const ARCHIVES: [&str; 6] = ["me", "old", "cassandra4", "cassandra5", "tries", "slices"];

/// The golden tables: all that there are, or those that are kept with the project.
pub(crate) struct Golden {
    roots: Vec<PathBuf>,
    _unpacked: Vec<TempDir>,
}

impl Golden {
    pub(crate) fn new() -> Self {
        if let Some(path) = std::env::var_os("MANICULE_GOLDEN") {
            return Golden { roots: vec![Path::new(&path).join("rows")], _unpacked: Vec::new() };
        }
        let unpacked: Vec<TempDir> =
            ARCHIVES.iter().map(|archive| golden_folder("rows", archive)).collect();
        let roots = unpacked.iter().map(|folder| folder.path().to_owned()).collect();
        Golden { roots, _unpacked: unpacked }
    }

    fn path(&self, path: &str) -> Option<PathBuf> {
        self.roots.iter().map(|root| root.join(path)).find(|path| path.exists())
    }

    /// Folder of a table with its data; says so where it isn't kept with the project.
    pub(crate) fn table(&self, version: &str, table: &str) -> Option<PathBuf> {
        let folder = self.path(&format!("{version}/{table}"));
        let folder = folder.filter(|folder| list(folder).is_ok_and(|(_, out)| out.is_empty()));
        if folder.is_none() {
            println!("left out: {version}/{table}, as MANICULE_GOLDEN is not set");
        }
        folder
    }

    /// Folders of all tables with whole SSTables.
    pub(crate) fn folders(&self) -> Vec<PathBuf> {
        let mut waiting = self.roots.clone();
        let mut folders = Vec::new();
        while let Some(folder) = waiting.pop() {
            let entries = fs::read_dir(&folder).expect("a folder").map(|entry| entry.unwrap());
            waiting.extend(entries.map(|entry| entry.path()).filter(|path| path.is_dir()));
            if list(&folder).is_ok_and(|(listed, out)| !listed.is_empty() && out.is_empty()) {
                folders.push(folder);
            }
        }
        folders.sort();
        folders
    }

    /// The questions about a table, each with its answer: of the version where list elements have other time UUIDs.
    pub(crate) fn questions(&self, version: &str, table: &str) -> Vec<(Value, Value)> {
        let own = self.path(&format!("slices/answers/{table}-{version}.jsonl"));
        let answers = own.or_else(|| self.path(&format!("slices/answers/{table}.jsonl")));
        let questions = self.path(&format!("slices/{table}.jsonl"));
        let (questions, answers) = (lines(&questions.unwrap()), lines(&answers.unwrap()));
        assert_eq!(questions.len(), answers.len());
        questions.into_iter().zip(answers).collect()
    }
}

/// Values longer than this stand in the answers as their hash.
pub(crate) const VALUE_LEN_MAX: usize = 48;

/// Answers of more items than this have the first and last three and a hash.
pub(crate) const ITEM_COUNT_MAX: usize = 120;

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

pub(crate) fn unhex(text: &str) -> Vec<u8> {
    let digit = |at| u8::from_str_radix(&text[at..at + 2], 16).unwrap();
    (0..text.len()).step_by(2).map(digit).collect()
}

pub(crate) fn value(bytes: &[u8]) -> Value {
    if bytes.len() <= VALUE_LEN_MAX {
        return hex(bytes).into();
    }
    format!("sha256:{}:{}", hex(&Sha256::digest(bytes)), bytes.len()).into()
}

/// "None" is the largest 32-bit number in all answers.
pub(crate) fn local_time(seconds: i64) -> i64 {
    if seconds == NO_LOCAL_TIME { i32::MAX.into() } else { seconds }
}

pub(crate) fn deletion(deletion: Deletion) -> Value {
    json!([deletion.marked_at, local_time(deletion.local_time)])
}

pub(crate) fn clustering(types: &[Type], prefix: &Prefix<'_>) -> Value {
    let parts = prefix.values(types).map(|part| part.map_or(Value::Null, |part| hex(part).into()));
    parts.collect()
}

/// The SHA-256 over a line an item: its clustering.
pub(crate) fn clusterings_hash(items: &[Value]) -> String {
    let line = |item: &Value| {
        let parts = item["ck"].as_array().unwrap().iter();
        let parts: Vec<&str> = parts.map(|part| part.as_str().unwrap_or_default()).collect();
        parts.join(",") + "\n"
    };
    hex(&Sha256::digest(items.iter().map(line).collect::<String>()))
}

pub(crate) fn edge<'v>(question: &Value, side: &str, parts: &'v [Part<'v>]) -> Edge<'v> {
    if question[side].is_null() {
        return Edge::Open;
    }
    match question[format!("{side}_incl")].as_bool().unwrap() {
        true => Edge::Inclusive(parts),
        false => Edge::Exclusive(parts),
    }
}

pub(crate) fn bounds(question: &Value, types: &[Type]) -> Option<Bounds> {
    let bytes = |side: &str| -> Vec<Vec<u8>> {
        let parts = question[side].as_array().into_iter().flatten();
        parts.map(|part| unhex(part.as_str().unwrap())).collect()
    };
    let (from, to) = (bytes("from"), bytes("to"));
    let from: Vec<Part<'_>> = from.iter().map(|part| Some(&part[..])).collect();
    let to: Vec<Part<'_>> = to.iter().map(|part| Some(&part[..])).collect();
    Bounds::new(types, edge(question, "from", &from), edge(question, "to", &to)).ok()
}

fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn options(access: Access) -> TableOptions {
    let cache = Cache::new(CacheOptions { limit_bytes: 100_000, shard_count: 1, seed: 1 });
    TableOptions { access, cache, chunk_bytes_max: 1 << 20, component_bytes_max: 1 << 20 }
}

pub(crate) fn marker(
    types: &[Type],
    prefix: &Prefix<'_>,
    closes: Option<Deletion>,
    opens: Option<Deletion>,
) -> Value {
    let kind = match prefix.kind {
        PrefixKind::ExclusiveEnd => "EXCL_END_BOUND",
        PrefixKind::InclusiveStart => "INCL_START_BOUND",
        PrefixKind::ExclusiveEndInclusiveStart => "EXCL_END_INCL_START_BOUNDARY",
        PrefixKind::InclusiveEndExclusiveStart => "INCL_END_EXCL_START_BOUNDARY",
        PrefixKind::InclusiveEnd => "INCL_END_BOUND",
        PrefixKind::ExclusiveStart => "EXCL_START_BOUND",
        PrefixKind::Static | PrefixKind::Row => unreachable!("no marker is a row"),
    };
    let mut shown = json!({ "ck": clustering(types, prefix), "marker": kind });
    if let Some(opens) = opens {
        shown["open"] = deletion(opens);
    }
    if let Some(closes) = closes {
        shown["close"] = deletion(closes);
    }
    shown
}

/// A row; the static one has no clustering.
pub(crate) fn row_shown(
    types: &[Type],
    prefix: Option<&Prefix<'_>>,
    liveness: Option<Liveness>,
    own_deletion: Deletion,
    cells: Value,
) -> Value {
    let mut shown = json!({ "cells": cells });
    if let Some(prefix) = prefix {
        shown["ck"] = clustering(types, prefix);
    }
    if let Some(Liveness { timestamp, ttl, expires }) = liveness {
        shown["ts"] = timestamp.into();
        if ttl != 0 {
            shown["ttl"] = ttl.into();
            shown["expires"] = local_time(expires).into();
        }
    }
    if !own_deletion.is_live() {
        shown["deleted"] = deletion(own_deletion);
    }
    shown
}

/// An answer's parts that say what was read: items, or the first and last of many.
pub(crate) fn answer_of(partition: Deletion, statics: Option<Value>, items: Vec<Value>) -> Value {
    let markers = items.iter().filter(|item| !item["marker"].is_null()).count();
    let partition = Some(partition).filter(|deletion| !deletion.is_live()).map(deletion);
    let mut answer = json!({
        "partition_deletion": partition,
        "static": statics,
        "rows": items.len() - markers,
        "markers": markers,
    });
    if items.len() > ITEM_COUNT_MAX {
        answer["ck_sha256"] = clusterings_hash(&items).into();
        answer["first"] = items[..3].into();
        answer["last"] = items[items.len() - 3..].into();
    } else {
        answer["items"] = items.into();
    }
    answer
}

/// How a question is read.
pub(crate) fn slice_options(question: &Value, seek: Seek) -> SliceOptions {
    let is_reverse = question["reverse"] == true;
    SliceOptions {
        direction: if is_reverse { Direction::Reverse } else { Direction::Forward },
        row_count_max: question["limit"].as_u64().filter(|limit| *limit > 0),
        seek,
        read_bytes_max: 10_000,
    }
}

/// Compares what was computed of an answer with the answer.
pub(crate) fn check_answer(got: &Value, wanted: &Value, question: &Value, shown: &str) {
    for (name, got) in got.as_object().unwrap() {
        assert_eq!(got, &wanted[name], "{shown} {name}\n{question}");
    }
}

/// The answer for a partition that isn't in the table.
pub(crate) fn absent() -> Value {
    json!({ "rows": 0, "markers": 0, "items": [], "partition_deletion": null, "static": null })
}

pub(crate) fn refused() -> Value {
    json!({ "refused": "the slice is empty: its start is not before its end" })
}

/// The SSTables of a table.
pub(crate) fn open(folder: &Path, access: Access) -> Vec<Sstable> {
    let (listed, left_out) = list(folder).unwrap();
    assert!(!listed.is_empty() && left_out.is_empty(), "{folder:?}: {left_out:?}");
    let (mut counts, budget) = (ReadCounts::default(), Budget::new(4 << 20));
    let mut reading = Reading { counts: &mut counts, budget: &budget };
    let options = options(access);
    listed.iter().map(|listed| Sstable::open(listed, &options, &mut reading).unwrap()).collect()
}

/// Bisection, many ways, an index fetched whole, none.
pub(crate) const SEEKS: [Seek; 4] = [
    Seek::Index(ReadCost { whole_bytes_max: 0, ways: 2 }),
    Seek::Index(ReadCost { whole_bytes_max: 0, ways: 8 }),
    Seek::Index(ReadCost { whole_bytes_max: 1 << 20, ways: 2 }),
    Seek::Scan,
];
