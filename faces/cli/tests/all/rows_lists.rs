//! `manicule rows partitions`, `tombstones`, `columns`, `holders`, `list` and `expired`, and `-r`
//! of a data folder, as they are called. The guide's examples are the current output.
//! `UPDATE=1 cargo test` rewrites them.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use manicule_testkit::{Examples, golden_folder, names};
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
    let examples: [(&str, &[&str]); 9] = [
        ("tombstones", &["tombstones", "mixed", "-n", "3", "--now", now]),
        ("grace", &["tombstones", "multi", "-n", "2", "--now", now, "--gc-grace", "3600"]),
        ("partitions", &["partitions", "multi", "-n", "3", "--rows", "--now", now]),
        ("lines", &["dump", "mixed", "-d", "-k", "77"]),
        ("by", &["partitions", "mixed", "-n", "2", "--by", "tombstones", "--now", now]),
        ("columns", &["columns", "multi"]),
        ("list", &["list", "multi", "--now", now]),
        ("holders", &["holders", "multi", "1"]),
        ("expired", &["expired", "drops", "--now", "1800000000"]),
    ];
    for (name, words) in examples {
        let now = text(&rows(&folder, words));
        page.hold(name, &now);
    }
    let data = data_folder();
    page.hold("verify", &text(&rows(data.path(), &["verify", "-r", "ks"])));
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

/// A data folder: two tables, a snapshot of one of them, and what is no table.
fn data_folder() -> tempfile::TempDir {
    let (golden, data) = (golden_folder("rows", "me"), tempfile::tempdir().unwrap());
    let tables = [("mixed", "ks/a-1"), ("multi", "ks/b-2"), ("small", "ks/b-2/snapshots/old")];
    for (table, to) in tables {
        let (from, to) = (golden.path().join("me").join(table), data.path().join(to));
        fs::create_dir_all(&to).unwrap();
        for name in names(&from) {
            fs::write(to.join(&name), fs::read(from.join(&name)).unwrap()).unwrap();
        }
    }
    fs::create_dir_all(data.path().join("commitlog")).unwrap();
    data
}

/// The last words of lines: the tables.
fn last_words(said: &str) -> Vec<&str> {
    said.lines().filter_map(|line| line.rsplit(' ').next()).collect()
}

#[test]
fn a_data_folder_is_read_table_by_table() {
    let data = data_folder();
    let folder = data.path();
    let one_by_one = ["columns", "expired"];
    for verb in ["verify", "partitions", "tombstones", "stats", "list", "columns", "expired"] {
        let output = rows(folder, &[verb, "."]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let is_one = one_by_one.contains(&verb);
        let how = if is_one { ", which this command takes one by one" } else { ": -r reads them" };
        let named = format!("2 tables below it, such as ./ks/a-1{how}");
        assert!(said.contains(&named), "{verb}: {said}");
        assert_ne!(output.status.code(), Some(0), "{verb}");
    }
    let of = |words: &[&str]| text(&rows(folder, words));
    let verified = of(&["verify", "-r", "."]);
    assert_eq!(last_words(&verified), ["table", "./ks/a-1", "./ks/b-2", "tables"]);
    let all = of(&["verify", "-r", "--snapshots", "--quick", "ks"]);
    assert_eq!(last_words(&all)[3..], ["ks/b-2/snapshots/old", "tables"]);
    let now = ["--now", "1700900000"];
    let said = of(&[&["tombstones", "-r", "ks"], &now[..]].concat());
    assert_eq!(last_words(&said)[..3], ["table", "ks/a-1", "ks/b-2"]);
    assert!(said.contains("\n       328        67        32       229        229"), "{said}");
    let said = of(&["partitions", "-r", "-n", "5", "ks"]);
    assert_eq!(last_words(&said)[4..6], ["ks/b-2", "ks/a-1"]);
    assert!(said.ends_with("13 partitions, 40.8 KB in 4 SSTables\n"), "{said}");
    let stats = of(&["stats", "-r", "ks"]);
    assert_eq!(stats.matches("Table: ks/b-2\nSSTable: me-").count(), 3, "{stats}");
    assert_eq!(of(&["list", "-r", "ks"]).matches("ks/b-2/me-").count(), 3);
    // Damage of one table leaves the lines of the others.
    fs::write(folder.join("ks/a-1/me-1-big-Index.db"), "damage").unwrap();
    let output = rows(folder, &["verify", "-r", "ks"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("ks/a-1: me-1-big-Index.db, "), "{said}");
    assert!(said.contains(" ks/b-2\n"), "{said}");
    for words in [&["verify", "-r", "commitlog"][..], &["list", "--snapshots", "ks"]] {
        assert_eq!(rows(folder, words).status.code(), Some(2), "{words:?}");
    }
}

#[test]
fn partitions_are_listed_by_what_they_hold() {
    let golden = golden_folder("rows", "me");
    let folder = golden.path().join("me");
    let all = json(&folder, &["partitions", "--json", "--rows", "mixed"]);
    let (_, all) = all.split_last().expect("a summary");
    for by in ["rows", "cells", "tombstones"] {
        let count = |row: &Value| row[by].as_u64().expect("a count");
        let mut want: Vec<u64> = all.iter().map(count).filter(|count| *count > 0).collect();
        want.sort_unstable_by(|a, b| b.cmp(a));
        let found = json(&folder, &["partitions", "--json", "--by", by, "mixed"]);
        let found: Vec<u64> = found[..found.len() - 1].iter().map(count).collect();
        assert_eq!(found, want, "{by}");
        let min = want[1].to_string();
        let few = json(&folder, &["partitions", "--json", "--by", by, "--min", &min, "mixed"]);
        let least = want.iter().filter(|count| **count >= want[1]).count();
        assert_eq!(few.len(), least + 1, "{by}");
    }
    let size = ["partitions", "--by", "size", "--min", "2K", "mixed"];
    assert_eq!(rows(&folder, &size), rows(&folder, &["partitions", "-t", "2KiB", "mixed"]));
    for wrong in [&["--by", "rows", "--min", "2K"][..], &["--min", "1", "-t", "1"], &["--by", "x"]]
    {
        let output = rows(&folder, &[&["partitions", "mixed"], wrong].concat());
        assert_eq!(output.status.code(), Some(2), "{wrong:?}");
    }
}

#[test]
fn holders_are_the_sstables_that_have_the_key_itself() {
    let golden = golden_folder("rows", "me");
    let folder = golden.path().join("me");
    let all = json(&folder, &["partitions", "--json", "multi"]);
    for partition in &all[..all.len() - 1] {
        let key = partition["key"].as_str().unwrap();
        let held = text(&rows(&folder, &["holders", "multi", key]));
        assert_eq!(Some(held.lines().count() as u64), partition["sstables"].as_u64(), "{key}");
        for path in held.lines() {
            let keys = text(&rows(&folder, &["dump", "-e", path]));
            assert!(keys.contains(&format!("[ \"{key}\" ]")), "{path}: {keys}");
        }
        let hex = format!("{:#010x}", key.parse::<u32>().unwrap());
        assert_eq!(text(&rows(&folder, &["holders", "multi", &hex])), held);
    }
    // A filter for a false answer in two admits what no index has.
    let scratch = tempfile::tempdir().unwrap();
    let from = folder.join("small").to_string_lossy().into_owned();
    text(&rows(scratch.path(), &["rebuild", &from, "-o", "t", "--fp-chance", "0.5"]));
    let mut admitted = 0;
    for key in 0..40 {
        let key = format!("{}", 1_000_000 + key);
        let output = rows(scratch.path(), &["holders", "--json", "t", &key]);
        assert_eq!(output.status.code(), Some(1));
        let sums: Value = serde_json::from_slice(&output.stdout).unwrap();
        admitted += sums["admitted"].as_u64().unwrap();
    }
    assert!(admitted > 0, "{admitted}");
    let none = rows(&folder, &["holders", "multi", "777"]);
    assert!(String::from_utf8_lossy(&none.stderr).contains("none of 3 SSTables has the partition"));
}

#[test]
fn all_bytes_of_the_data_are_some_columns_or_none() {
    let golden = golden_folder("rows", "me");
    let folder = golden.path().join("me");
    for table in ["types", "mixed", "wide", "cols", "udt", "edge", "counters", "multi", "small"] {
        if !folder.join(table).is_dir() {
            continue;
        }
        let all = json(&folder, &["columns", "--json", table]);
        let (sums, columns) = all.split_last().unwrap();
        let of = |row: &Value, name: &str| row[name].as_u64().unwrap();
        let of_columns: u64 = columns.iter().map(|row| of(row, "bytes")).sum();
        let others: u64 =
            ["partition_bytes", "row_bytes", "marker_bytes"].map(|it| of(sums, it)).iter().sum();
        assert_eq!(of_columns + others, of(sums, "bytes"), "{table}");
        let listed = json(&folder, &["partitions", "--json", "--rows", table, "-n", "100000"]);
        let (summary, partitions) = listed.split_last().unwrap();
        assert_eq!(of(summary, "bytes"), of(sums, "bytes"), "{table}");
        let cells: u64 = partitions.iter().map(|row| of(row, "cells")).sum();
        assert_eq!(columns.iter().map(|row| of(row, "cells")).sum::<u64>(), cells, "{table}");
    }
}

#[test]
fn expired_sstables_are_blocked_by_what_is_as_old() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    fs::write(folder.join("t.cql"), "CREATE TABLE ks.t (p int PRIMARY KEY, v text)").unwrap();
    // Keys, time of writing, seconds to live from 100 s on.
    let tables = [("1,2", "50", "10"), ("1,2", "40", "0"), ("1,2", "60", "0"), ("3", "40", "0")];
    for (keys, timestamp, ttl) in tables {
        let lines: String = keys.split(',').map(|key| format!("{key},a\n")).collect();
        fs::write(folder.join("r.csv"), format!("p,v\n{lines}")).unwrap();
        let words = ["write", "--schema", "t.cql", "r.csv", "-o", "t", "--now", "100"];
        let output =
            rows(folder, &[&words[..], &["--timestamp", timestamp, "--ttl", ttl]].concat());
        assert!(output.status.success(), "{output:?}");
    }
    let at =
        |now: &str| json(folder, &["expired", "--json", "--gc-grace", "10", "--now", now, "t"]);
    let found = at("1000");
    assert_eq!(found.len(), 2, "{found:?}");
    assert_eq!((&found[0]["sstable"], &found[0]["droppable"]), (&"me-1-big".into(), &false.into()));
    let blockers: Vec<_> = found[0]["blockers"].as_array().unwrap().iter().collect();
    let blockers: Vec<_> =
        blockers.iter().map(|it| (it["sstable"].as_str(), it["overlaps"].as_bool())).collect();
    assert_eq!(blockers, [(Some("me-2-big"), Some(true)), (Some("me-4-big"), Some(false))]);
    for name in names(&folder.join("t")).iter().filter(|name| name.starts_with("me-2-")) {
        fs::remove_file(folder.join("t").join(name)).unwrap();
    }
    assert_eq!(at("1000")[0]["droppable"], true);
    // Ten seconds of life and ten of grace after 100 s.
    let none = rows(folder, &["expired", "--gc-grace", "10", "--now", "120", "t"]);
    assert_eq!(none.status.code(), Some(1), "{none:?}");
    assert_eq!(at("121").len(), 2);
}
