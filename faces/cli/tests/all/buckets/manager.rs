//! Backups by ScyllaDB Manager at an address and in a folder: the snapshots that its manifests say,
//! and their tables, whichever backup has replaced their files since.

use std::path::Path;

use manicule_testkit::{copy_folder, golden_folder};
use serde_json::Value;

use super::bucket::{Example, Seen};

const CLUSTER: &str = "85329747-839e-547d-89d8-83feb58b7a1f";
const TASK: &str = "0546769c-0b06-5dc1-92ef-16d3a659fc2b";
/// The nodes of the cluster.
const FIRST: &str = "7bba3bec-5e86-511a-8559-e876cd95a529";
const SECOND: &str = "0b07899f-4da4-563f-a9c1-c5d65c8bcc7a";
/// Its snapshots, the last of which has not finished.
const TAGS: [&str; 3] = ["sm_20231116080000UTC", "sm_20231117080000UTC", "sm_20231118080000UTC"];

fn planted() -> Example {
    let (golden, rows) = (golden_folder("rows", "manager"), golden_folder("rows", "me"));
    Example::planted(|folder: &Path| {
        copy_folder(&golden.path().join("backup"), &folder.join("managed/backup"));
        for table in ["multi", "wide"] {
            copy_folder(&rows.path().join("me").join(table), &folder.join(table));
        }
    })
}

/// The address of a node's manifest.
fn manifest(node: &str, tag: &str) -> String {
    let below = format!("cluster/{CLUSTER}/dc/dc1/node/{node}");
    format!("managed/backup/meta/{below}/task_{TASK}_tag_{tag}_manifest.json.gz")
}

#[test]
fn snapshots_are_those_of_the_manifests() {
    let example = planted();
    let words = "rows backups --format jsonl managed";
    let (Seen { code, out, err }, asked) = example.asked(words);
    assert_eq!((code, &example.local(words).out), (Some(0), &out), "{err}");
    // A listing of all manifests beside that of Medusa's index; then the four that have finished.
    assert_eq!(asked.requests(), 6, "{asked:?}");
    let rows: Vec<Value> = out.lines().map(|it| serde_json::from_str(it).expect("JSON")).collect();
    let got = rows.iter().map(|row| {
        let counts = ["finished_nodes", "files", "bytes"].map(|count| row[count].as_u64());
        (row["backup"].as_str(), row["is_complete"].as_bool(), counts, &row["unfinished_nodes"])
    });
    let (none, first) = (Value::Array(Vec::new()), Value::from(vec![FIRST]));
    let want = [
        (Some(TAGS[0]), Some(true), [Some(2), Some(24), Some(58_383)], &none),
        (Some(TAGS[1]), Some(true), [Some(2), Some(32), Some(68_076)], &none),
        (Some(TAGS[2]), Some(false), [Some(0), Some(0), Some(0)], &first),
    ];
    assert_eq!(got.collect::<Vec<_>>(), want);
    assert_eq!(rows[0]["started"], "2023-11-16T08:00:00Z");
}

#[test]
fn tables_are_those_of_their_backup() {
    let example = planted();
    let version = "7d00c180ed605a42a3e2a3896e1750cd";
    let [old, new] = [TAGS[0], TAGS[1]].map(|tag| manifest(SECOND, tag));
    let first = manifest(FIRST, TAGS[0]);
    for (place, same) in [
        // Its files have been replaced by those of the next backup.
        (format!("{old}/ks/multi"), "multi/me-3-big-Data.db"),
        (format!("{new}/ks/multi"), "multi/me-1-big-Data.db"),
        (format!("{new}/ks/multi/{version}"), "multi/me-1-big-Data.db"),
        (format!("{old}/ks/multi/me-5-big-Data.db"), "multi/me-3-big-Data.db"),
        (format!("{first}/ks/multi"), "multi/me-1-big-Data.db"),
        (format!("{old}/ks/wide"), "wide/me-1-big-Data.db"),
    ] {
        let want = example.local(&format!("rows dump {same}"));
        let words = format!("rows dump {place}");
        for seen in [example.local(&words), example.remote(&words)] {
            assert_eq!(seen.code, Some(0), "{words}: {}", seen.err);
            assert!(seen.out == want.out && !want.out.is_empty(), "{words}");
        }
    }
}

#[test]
fn what_is_no_table_of_a_backup_is_an_error_that_says_why() {
    let example = planted();
    let [old, unfinished] = [TAGS[0], TAGS[2]].map(|tag| manifest(FIRST, tag));
    let gone = manifest(SECOND, TAGS[2]);
    for (words, says) in [
        (format!("rows list --now 1 {unfinished}/ks/multi"), "the backup has not finished"),
        (format!("rows list --now 1 {gone}/ks/multi"), "no such backup"),
        (format!("rows list --now 1 {old}/ks/other"), "one table of the backup is wanted"),
        (format!("rows list --now 1 {old}/ks/multi/0a"), "it has ks/multi/7d00c180"),
        ("rows backups managed/backup".to_owned(), "no backups here"),
    ] {
        for seen in [example.local(&words), example.remote(&words)] {
            assert_eq!((seen.code, seen.out.as_str()), (Some(2), ""), "{words}");
            assert!(seen.err.contains(says), "{words}: {}", seen.err);
        }
    }
    let sst = format!("managed/backup/sst/cluster/{CLUSTER}/dc/dc1/node/{SECOND}");
    let multi = format!("{sst}/keyspace/ks/table/multi/7d00c180ed605a42a3e2a3896e1750cd");
    std::fs::remove_file(example.path(&format!("{multi}/me-5-big-Index.db"))).expect("removed");
    let seen = example.local(&format!("rows list --now 1 {}/ks/multi", manifest(SECOND, TAGS[1])));
    assert_eq!(seen.code, Some(2), "{}", seen.out);
    assert!(
        seen.err.contains("me-5-big-Index.db is not there, which the manifest"),
        "{}",
        seen.err
    );
}
