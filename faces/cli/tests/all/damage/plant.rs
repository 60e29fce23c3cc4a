//! Examples planted by the program itself and from golden files; where the records of a file end.

use std::fs;
use std::path::Path;

use manicule_testkit::{copy_folder, golden_folder, golden_repository, names};
use serde_json::Value as Json;

use super::call::Seen;

/// Calls the program, which succeeds.
fn call(folder: &Path, words: &str) {
    let seen = Seen::of(folder, words);
    assert_eq!(seen.code, Some(0), "{words}: {}{}", seen.out, seen.err);
}

/// The golden SSTables of a version's table, as `t`.
fn table(folder: &Path, archive: &str, table: &str) {
    copy_folder(&golden_folder("rows", archive).path().join(table), &folder.join("t"));
    // The golden answers beside it are no part of the table.
    for name in names(&folder.join("t")) {
        // Of several SSTables the first.
        let is_first = !["-6-", "-7-", "-8-"].iter().any(|other| name.contains(other));
        if (name.contains("-big-") || name.contains("-bti-")) && is_first {
            continue;
        }
        fs::remove_file(folder.join("t").join(name)).expect("an answer");
    }
}

pub(crate) fn rows_plain(folder: &Path) {
    table(folder, "me", "me/mixed");
}

pub(crate) fn rows_packed(folder: &Path) {
    table(folder, "cassandra4", "nb/zstd");
}

pub(crate) fn rows_tries(folder: &Path) {
    table(folder, "tries", "da/mixed");
}

pub(crate) fn rows_tries_packed(folder: &Path) {
    table(folder, "tries", "da/lz4");
}

pub(crate) fn series(folder: &Path) {
    let golden = golden_folder("series", "golden");
    for block in ["tiny", "tombstones"] {
        copy_folder(&golden.path().join("blocks").join(block), &folder.join("data"));
    }
}

pub(crate) fn shards(folder: &Path) {
    copy_folder(&golden_folder("code", "trees").path().join("trees/alpha"), &folder.join("alpha"));
    call(folder, "code index -index shards alpha");
}

/// Three commits after the load, of which the first is in the leaves.
pub(crate) const COMMITS: usize = 3;

pub(crate) fn graph(folder: &Path) {
    graph_at(folder, COMMITS);
}

/// The store after some of its commits.
pub(crate) fn graph_at(folder: &Path, commits: usize) {
    let statement = |number| {
        format!("<http://a/s{}> <http://a/p{}> \"text {number}\" .\n", number / 4, number % 3)
    };
    fs::write(folder.join("a.nt"), (0..300).map(statement).collect::<String>()).expect("a file");
    fs::write(folder.join("all.rq"), "SELECT * { ?s ?p ?o } ORDER BY ?s ?p ?o").expect("a file");
    fs::write(folder.join("count.rq"), "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }").expect("a file");
    fs::write(folder.join("new.ru"), "INSERT DATA { <http://a/new> <http://a/p0> 7 }")
        .expect("a file");
    call(folder, "graph load store a.nt");
    call(folder, "graph snapshot store first");
    for commit in 0..commits {
        let update = format!(
            "DELETE DATA {{ <http://a/s{commit}> <http://a/p0> \"text {}\" }} ; INSERT DATA {{ <http://b/s{commit}> <http://a/p1> \"added {commit}\" }}",
            commit * 12
        );
        fs::write(folder.join("change.ru"), update).expect("a file");
        call(folder, "graph update store -f change.ru");
    }
}

pub(crate) fn blobs(folder: &Path) {
    copy_folder(&golden_repository("small").path().join("repo"), &folder.join("repo"));
}

/// A repository whose index is kept in `kept`.
pub(crate) fn blobs_kept(folder: &Path) {
    blobs(folder);
    call(folder, "blobs usage -r repo --index-cache-dir kept");
    call(folder, "blobs cost -r repo --index-cache-dir kept");
}

/// Where the records of a file end: the parts that `inspect` shows of it, and of an SSTable's data
/// where its partitions and rows begin.
pub(crate) fn borders(folder: &Path, file: &str) -> Vec<usize> {
    if file.ends_with("-Data.db") {
        let dump = Seen::of(folder, &format!("rows dump {file}")).out;
        let rows = dump.split("\"position\" : ").skip(1);
        let digits = |rest: &str| rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok();
        return rows.filter_map(digits).collect();
    }
    let parts = Seen::of(folder, &format!("inspect --json {file}")).out;
    let mut borders = Vec::new();
    for part in parts.lines().filter_map(|line| serde_json::from_str::<Json>(line).ok()) {
        add_borders(&part, &mut borders);
    }
    borders
}

/// Begin and end of everything in a report that has an offset and a length.
fn add_borders(part: &Json, borders: &mut Vec<usize>) {
    if let (Some(offset), Some(len)) = (part["offset"].as_u64(), part["len"].as_u64()) {
        borders.extend([offset as usize, (offset + len) as usize]);
    }
    match part {
        Json::Object(fields) => fields.values().for_each(|part| add_borders(part, borders)),
        Json::Array(parts) => parts.iter().for_each(|part| add_borders(part, borders)),
        _ => {}
    }
}
