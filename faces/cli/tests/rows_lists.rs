//! `manicule rows partitions` and `manicule rows tombstones`, as they are called. The guide's examples are the current output.
//! `UPDATE=1 cargo test` rewrites them.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use manicule_testkit::{Examples, golden_folder};
use serde_json::Value;

fn rows(folder: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_manicule"));
    command.current_dir(folder).arg("rows").args(words).output().expect("manicule runs")
}

fn text(output: &Output) -> String {
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

fn json(folder: &Path, words: &[&str]) -> Vec<Value> {
    let said = text(&rows(folder, words));
    said.lines().map(|line| serde_json::from_str(line).expect("an object")).collect()
}

#[test]
fn the_guide_shows_what_is_printed() {
    let golden = golden_folder("rows", "me");
    let folder = golden.path().join("me");
    let mut page = Examples::of("docs/guide/who-has-the-tombstones.md");
    let now = "1700900000";
    let examples: [(&str, &[&str]); 4] = [
        ("tombstones", &["tombstones", "mixed", "-n", "3", "--now", now]),
        ("grace", &["tombstones", "multi", "-n", "2", "--now", now, "--gc-grace", "3600"]),
        ("partitions", &["partitions", "multi", "-n", "3", "--rows", "--now", now]),
        ("lines", &["dump", "mixed", "-d", "-k", "77"]),
    ];
    for (name, words) in examples {
        let now = text(&rows(&folder, words));
        page.hold(name, &now);
    }
}

#[test]
fn partitions_come_largest_first_united_by_key() {
    let golden = golden_folder("rows", "me");
    let all = json(&golden.path().join("me"), &["partitions", "--json", "multi"]);
    let (summary, partitions) = all.split_last().expect("a summary");
    assert_eq!(
        (summary["type"].as_str(), summary["sstables"].as_u64()),
        (Some("summary"), Some(3))
    );
    assert_eq!(summary["partitions"].as_u64(), Some(partitions.len() as u64));
    let bytes = |row: &Value| row["bytes"].as_u64().unwrap();
    assert!(partitions.is_sorted_by(|a, b| bytes(a) >= bytes(b)));
    assert_eq!(partitions.iter().map(bytes).sum::<u64>(), bytes(summary));
    assert!(partitions.iter().all(|row| row["type"] == "partition" && row["token"].is_i64()));
    assert!(partitions[0].get("rows").is_none());
    let limit = bytes(&partitions[0]).to_string();
    let words = ["partitions", "--json", "-t", &limit, "--rows", "multi"];
    let few = json(&golden.path().join("me"), &words);
    assert_eq!(few.len(), 2);
    assert!(few[0]["rows"].as_u64() > Some(0) && few[0]["cells"].as_u64() > Some(0));
    let one = json(&golden.path().join("me"), &["partitions", "--json", "-n1", "mixed"]);
    assert_eq!((one.len(), one[1]["partitions"].as_u64()), (2, Some(9)));
    // Keys are as CQL writes them.
    let said = text(&rows(&golden.path().join("me"), &["partitions", "comp"]));
    assert!(said.contains("(4, 'x4')") && said.ends_with("in 1 SSTable\n"), "{said}");
}

#[test]
fn tombstones_are_counted_by_kind_and_age() {
    let golden = golden_folder("rows", "me");
    let folder = golden.path().join("me");
    let words = ["tombstones", "--json", "--now", "1700000000", "mixed"];
    let young = json(&folder, &words);
    let summary = young.last().unwrap();
    assert_eq!(summary["gc_grace_seconds"].as_u64(), Some(864_000));
    assert_eq!(summary["droppable"].as_u64(), Some(0));
    assert_eq!(summary["expired_rows"].as_u64(), Some(0));
    let old = json(&folder, &["tombstones", "--json", "--now", "1701000000", "mixed"]);
    let summary = old.last().unwrap();
    let count = |name: &str| summary[name].as_u64().unwrap();
    assert!(count("expired_rows") > 0 && count("droppable") > 0);
    let kinds = ["partition_deletions", "row_deletions", "range_deletions", "collection_deletions"];
    let kinds = [&kinds[..], &["cell_tombstones", "expired_cells", "expired_rows"]].concat();
    assert_eq!(kinds.iter().map(|name| count(name)).sum::<u64>(), count("tombstones"));
    let ages = summary["ages"].as_array().unwrap().iter();
    assert_eq!(
        ages.map(|age| age["tombstones"].as_u64().unwrap()).sum::<u64>(),
        count("tombstones")
    );
    let lists = ["rows", "ranges", "cells"];
    let found = |name: &str| old.iter().filter(|row| row["by"] == name).count();
    assert!(lists.iter().all(|name| found(name) > 0));
    // A table without any.
    let none = rows(&folder, &["tombstones", "types"]);
    assert_eq!(none.status.code(), Some(1));
    assert!(text(&none).starts_with("0 tombstones in 0 of "), "{}", text(&none));
}

#[test]
fn what_is_damaged_or_missing_is_said() {
    let golden = golden_folder("rows", "me");
    let data = golden.path().join("me/comp/me-1-big-Data.db");
    let bytes = fs::read(&data).unwrap();
    fs::write(&data, &bytes[..bytes.len() / 2]).unwrap();
    let said = rows(golden.path(), &["tombstones", "me/comp"]);
    assert_eq!(said.status.code(), Some(2));
    let why = String::from_utf8_lossy(&said.stderr).into_owned();
    assert!(why.contains("me-1-big-Data.db") && why.contains("offset"), "{why}");
    for words in [&["partitions", "nowhere"][..], &["tombstones", "nowhere"], &["stats", "nowhere"]]
    {
        assert_eq!(rows(golden.path(), words).status.code(), Some(2), "{words:?}");
    }
    let said = rows(golden.path(), &["partitions", "--csv", "me/comp"]);
    assert!(String::from_utf8_lossy(&said.stderr).contains("--json"), "{said:?}");
}
