//! `manicule blobs export` and `duplicates`, beside the plaintexts of restic's index files.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use manicule_testkit::golden_repository;
use serde_json::Value as Json;

/// Standard output of a call that ends with this exit code.
#[track_caller]
fn printed(folder: &Path, words: &[&str], code: i32) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_manicule"));
    command.arg("blobs").args(words).current_dir(folder).stdin(Stdio::null());
    command.env("RESTIC_PASSWORD", "manicule-golden").env("RESTIC_REPOSITORY", "repo");
    let output = command.output().expect("the program runs");
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{words:?}: {error}");
    String::from_utf8(output.stdout).expect("text")
}

/// The lines that the index files of a repository should make, sorted.
fn wanted(folder: &Path) -> Vec<String> {
    let mut lines = Vec::new();
    for file in fs::read_dir(folder.join("expected/index")).expect("index files") {
        let file = file.expect("a file").path();
        let index = file.file_stem().and_then(|name| name.to_str()).expect("a name").to_owned();
        let json: Json = serde_json::from_slice(&fs::read(&file).expect("JSON")).expect("JSON");
        for pack in json["packs"].as_array().into_iter().flatten() {
            for blob in pack["blobs"].as_array().expect("blobs") {
                let text = |value: &Json| value.as_str().expect("text").to_owned();
                let raw_len = blob["uncompressed_length"].as_u64().unwrap_or(0);
                let (kind, id, pack) = (text(&blob["type"]), text(&blob["id"]), text(&pack["id"]));
                let (offset, len) = (&blob["offset"], &blob["length"]);
                lines.push(format!("{kind},{id},{pack},{offset},{len},{raw_len},{index}"));
            }
        }
    }
    lines.sort_unstable();
    lines
}

#[test]
fn the_table_has_every_entry_of_every_index_file() {
    for name in ["v1", "v2", "rustic", "fleet"] {
        let golden = golden_repository(name);
        let folder = golden.path();
        let table = printed(folder, &["export"], 0);
        let mut lines: Vec<&str> = table.lines().collect();
        assert_eq!(lines.remove(0), "type,id,pack,offset,length,uncompressed_length,index");
        lines.sort_unstable();
        assert_eq!(lines, wanted(folder), "{name}");
        assert_eq!(printed(folder, &["export", "-o", "index.csv"], 0), "");
        assert_eq!(fs::read_to_string(folder.join("index.csv")).unwrap(), table);
        let rows = printed(folder, &["export", "--json"], 0);
        let of = |row: &Json| {
            let columns =
                ["type", "id", "pack", "offset", "length", "uncompressed_length", "index"];
            columns.map(|column| row[column].to_string().replace('"', "")).join(",")
        };
        let rows = rows.lines().map(|row| of(&serde_json::from_str(row).expect("JSON")));
        assert!(rows.eq(table.lines().skip(1)), "{name}");
    }
}

#[test]
fn duplicates_are_the_blobs_of_several_places() {
    for (name, code) in [("fleet", 0), ("unused", 1)] {
        let golden = golden_repository(name);
        let folder = golden.path();
        let mut places: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
        for line in wanted(folder) {
            let fields: Vec<&str> = line.split(',').collect();
            let blob = (fields[0].to_owned(), fields[1].to_owned());
            places.entry(blob).or_default().push(fields[2].to_owned());
        }
        let rows = printed(folder, &["duplicates", "--json"], code);
        let mut rows: Vec<Json> =
            rows.lines().map(|row| serde_json::from_str(row).unwrap()).collect();
        let sums = rows.pop().expect("the sums");
        let wanted = places.into_iter().filter(|(_, packs)| packs.len() > 1);
        let wanted: Vec<_> = wanted.collect();
        assert_eq!(rows.len(), wanted.len(), "{name}");
        for (row, ((kind, id), mut packs)) in rows.iter().zip(wanted) {
            assert_eq!((&row["kind"], &row["id"]), (&Json::from(kind), &Json::from(id)));
            let found = row["places"].as_array().unwrap().iter();
            let mut found: Vec<_> =
                found.map(|place| place["pack"].as_str().unwrap().to_owned()).collect();
            found.sort_unstable();
            packs.sort_unstable();
            assert_eq!(found, packs);
        }
        if name == "fleet" {
            let cost = fs::read(folder.join("expected/cost.json")).unwrap();
            let cost: Json = serde_json::from_slice(&cost).unwrap();
            assert_eq!(sums["copies"], cost["extra_copies"]);
            assert_eq!(sums["wasted_bytes"], cost["extra_copies_bytes"]);
        }
    }
}
