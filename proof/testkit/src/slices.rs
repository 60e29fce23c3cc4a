//! Golden SSTables, what Cassandra's own readers were asked about them, and its answers.

use std::fs;
use std::path::{Path, PathBuf};

pub use manicule_core::hex::encode as hex;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use crate::folders::names;
use crate::golden::golden_folder;

/// Archives of proof/golden/rows.
const ARCHIVES: [&str; 6] = ["me", "old", "cassandra4", "cassandra5", "tries", "slices"];

/// Values longer than this stand in the answers as their hash.
const VALUE_LEN_MAX: usize = 48;

/// Answers of more items than this have the first and last three and a hash.
const ITEM_COUNT_MAX: usize = 120;

/// Live rows are listed up to this number.
const LIVE_COUNT_MAX: usize = 40;

/// The golden tables: all that there are where `MANICULE_GOLDEN` names their folder, or those that
/// are kept with the project.
pub struct GoldenTables {
    roots: Vec<PathBuf>,
    _unpacked: Vec<TempDir>,
}

impl GoldenTables {
    /// Unpacks those that are kept with the project, unless there are others.
    #[expect(clippy::new_without_default, reason = "files are unpacked")]
    pub fn new() -> Self {
        if let Some(path) = std::env::var_os("MANICULE_GOLDEN") {
            return GoldenTables {
                roots: vec![Path::new(&path).join("rows")],
                _unpacked: Vec::new(),
            };
        }
        let unpacked: Vec<TempDir> =
            ARCHIVES.iter().map(|archive| golden_folder("rows", archive)).collect();
        let roots = unpacked.iter().map(|folder| folder.path().to_owned()).collect();
        GoldenTables { roots, _unpacked: unpacked }
    }

    fn path(&self, path: &str) -> Option<PathBuf> {
        self.roots.iter().map(|root| root.join(path)).find(|path| path.exists())
    }

    /// Folder of a table with its data; says so where it isn't kept with the project.
    pub fn table(&self, version: &str, table: &str) -> Option<PathBuf> {
        let folder = self.path(&format!("{version}/{table}")).filter(|folder| is_whole(folder));
        if folder.is_none() {
            println!("left out: {version}/{table}, as MANICULE_GOLDEN is not set");
        }
        folder
    }

    /// Folders of all tables with whole SSTables.
    ///
    /// # Panics
    /// If one can't be read.
    pub fn folders(&self) -> Vec<PathBuf> {
        let mut waiting = self.roots.clone();
        let mut folders = Vec::new();
        while let Some(folder) = waiting.pop() {
            let entries = fs::read_dir(&folder).expect("a folder").map(|entry| entry.unwrap());
            waiting.extend(entries.map(|entry| entry.path()).filter(|path| path.is_dir()));
            if is_whole(&folder) {
                folders.push(folder);
            }
        }
        folders.sort();
        folders
    }

    /// The questions about a table, each with its answer: of the version where list elements have
    /// other time UUIDs.
    ///
    /// # Panics
    /// If there are none.
    pub fn questions(&self, version: &str, table: &str) -> Vec<(Value, Value)> {
        let own = self.path(&format!("slices/answers/{table}-{version}.jsonl"));
        let answers = own.or_else(|| self.path(&format!("slices/answers/{table}.jsonl")));
        let questions = self.path(&format!("slices/{table}.jsonl"));
        let (questions, answers) = (lines(&questions.unwrap()), lines(&answers.unwrap()));
        assert_eq!(questions.len(), answers.len());
        questions.into_iter().zip(answers).collect()
    }
}

/// Whether a folder has SSTables, and each of them all files that its TOC.txt names.
fn is_whole(folder: &Path) -> bool {
    let names = names(folder);
    let ends =
        |end: &str| names.iter().filter_map(|name| name.strip_suffix(end)).collect::<Vec<_>>();
    let (tables, data) = (ends("TOC.txt"), ends("Data.db"));
    let has_all = |table: &&str| {
        let toc = fs::read_to_string(folder.join(format!("{table}TOC.txt")));
        toc.is_ok_and(|toc| toc.lines().all(|name| names.contains(&format!("{table}{name}"))))
    };
    !tables.is_empty() && tables == data && tables.iter().all(has_all)
}

fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The bytes of hexadecimal digits.
///
/// # Panics
/// If they are others.
pub fn unhex(text: &str) -> Vec<u8> {
    manicule_core::hex::decode(text).unwrap()
}

/// Bytes of a value as an answer has them.
pub fn value(bytes: &[u8]) -> Value {
    if bytes.len() <= VALUE_LEN_MAX {
        return hex(bytes).into();
    }
    format!("sha256:{}:{}", hex(Sha256::digest(bytes)), bytes.len()).into()
}

/// A local time as an answer has it: "none", which is the largest number, is the largest one of
/// 32 bits.
pub fn local_time(seconds: i64) -> i64 {
    if seconds == i64::MAX { i32::MAX.into() } else { seconds }
}

/// A deletion as an answer has it.
pub fn deletion(marked_at: i64, deleted: i64) -> Value {
    json!([marked_at, local_time(deleted)])
}

/// Components of a place as an answer has them.
pub fn clustering<'v>(values: impl Iterator<Item = Option<&'v [u8]>>) -> Value {
    values.map(|part| part.map_or(Value::Null, |part| hex(part).into())).collect()
}

/// A marker as an answer has it; its kind has the number that it has in files.
///
/// # Panics
/// If no marker has the kind.
pub fn marker(
    kind_number: u8,
    clustering: Value,
    closes: Option<Value>,
    opens: Option<Value>,
) -> Value {
    let kind = match kind_number {
        0 => "EXCL_END_BOUND",
        1 => "INCL_START_BOUND",
        2 => "EXCL_END_INCL_START_BOUNDARY",
        5 => "INCL_END_EXCL_START_BOUNDARY",
        6 => "INCL_END_BOUND",
        7 => "EXCL_START_BOUND",
        other => panic!("{other} is no kind of a marker"),
    };
    let mut shown = json!({ "ck": clustering, "marker": kind });
    for (name, deletion) in [("open", opens), ("close", closes)] {
        if let Some(deletion) = deletion {
            shown[name] = deletion;
        }
    }
    shown
}

/// A row as an answer has it: its clustering, of the static one none; timestamp, TTL and expiry of
/// its liveness; its deletion.
pub fn row(
    clustering: Option<Value>,
    liveness: Option<(i64, i32, i64)>,
    deleted: Option<Value>,
    cells: Vec<Value>,
) -> Value {
    let mut shown = json!({ "cells": cells });
    if let Some(clustering) = clustering {
        shown["ck"] = clustering;
    }
    if let Some((timestamp, ttl, expires)) = liveness {
        shown["ts"] = timestamp.into();
        if ttl != 0 {
            shown["ttl"] = ttl.into();
            shown["expires"] = local_time(expires).into();
        }
    }
    if let Some(deleted) = deleted {
        shown["deleted"] = deleted;
    }
    shown
}

/// The SHA-256 over a line an item: its clustering.
///
/// # Panics
/// If an item has none.
pub fn clusterings_hash(items: &[Value]) -> String {
    let line = |item: &Value| {
        let parts = item["ck"].as_array().unwrap().iter();
        let parts: Vec<&str> = parts.map(|part| part.as_str().unwrap_or_default()).collect();
        parts.join(",") + "\n"
    };
    hex(Sha256::digest(items.iter().map(line).collect::<String>()))
}

/// An answer's parts that say what was read: the partition's deletion, the static row, items, or
/// the first and last of many.
pub fn answer_of(partition: Option<Value>, statics: Option<Value>, items: Vec<Value>) -> Value {
    let markers = items.iter().filter(|item| !item["marker"].is_null()).count();
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

/// An answer's parts that say what is live.
pub fn live_answer_of(statics: Option<Value>, live: Vec<Value>) -> Value {
    let mut answer = json!({
        "live_static": statics,
        "live_rows": live.len(),
        "live_ck_sha256": clusterings_hash(&live),
    });
    if live.len() <= LIVE_COUNT_MAX {
        answer["live"] = live.into();
    }
    answer
}

/// Compares what was computed of an answer with the answer.
///
/// # Panics
/// If they differ.
pub fn check_answer(got: &Value, wanted: &Value, question: &Value, shown: &str) {
    for (name, got) in got.as_object().unwrap() {
        assert_eq!(got, &wanted[name], "{shown} {name}\n{question}");
    }
}

/// The answer for a partition that isn't in the table.
pub fn absent() -> Value {
    json!({ "rows": 0, "markers": 0, "items": [], "partition_deletion": null, "static": null })
}

/// The answer for a slice that ends before it starts.
pub fn refused() -> Value {
    json!({ "refused": "the slice is empty: its start is not before its end" })
}
