//! Backups by Medusa at an address: their list is Medusa's own, and their tables are those of the
//! folder.

use std::collections::BTreeMap;
use std::path::Path;

use manicule_testkit::{copy_folder, golden_folder};
use serde_json::Value;

use super::bucket::{Example, Seen};

fn planted() -> Example {
    let golden = golden_folder("rows", "medusa");
    let plant = |folder: &Path| {
        for prefix in ["prod-eu", "stage"] {
            copy_folder(&golden.path().join(prefix), &folder.join(prefix));
        }
    };
    Example::planted(plant)
}

#[test]
fn lists_of_backups_are_those_of_medusa() {
    let (example, golden) = (planted(), golden_folder("rows", "medusa"));
    let answers = std::fs::read(golden.path().join("backups.json")).expect("answers");
    let answers: Value = serde_json::from_slice(&answers).expect("JSON");
    for prefix in ["prod-eu", "stage"] {
        let words = format!("rows backups --format jsonl {prefix}");
        let Seen { code, out, err } = example.remote(&words);
        assert_eq!((code, &example.local(&words).out), (Some(0), &out), "{err}");
        let rows: Vec<Value> =
            out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        let got: BTreeMap<&str, &Value> =
            rows.iter().map(|row| (row["backup"].as_str().expect("a name"), row)).collect();
        let want = answers[prefix]["backups"].as_object().expect("backups");
        assert_eq!(got.keys().copied().collect::<Vec<_>>(), want.keys().collect::<Vec<_>>());
        for (name, row) in got {
            check(row, &want[name]);
        }
    }
}

/// A row against what Medusa says of the backup.
#[track_caller]
fn check(row: &Value, want: &Value) {
    let named = |list: &str| -> Vec<&str> {
        let nodes = want[list].as_array().expect("a list").iter();
        nodes.map(|node| node["fqdn"].as_str().or(node.as_str()).expect("a name")).collect()
    };
    let texts = |list: &str| -> Vec<&str> {
        let names = row[list].as_array().expect("a list").iter();
        names.map(|name| name.as_str().expect("a name")).collect()
    };
    assert_eq!(row["kind"], want["backup_type"], "{row}");
    assert_eq!(row["files"], want["num_objects"], "{row}");
    assert_eq!(row["bytes"], want["size"], "{row}");
    assert_eq!(row["finished_nodes"], want["completed_nodes"], "{row}");
    assert_eq!(texts("unfinished_nodes"), named("incomplete_nodes_list"), "{row}");
    assert_eq!(texts("missing_nodes"), named("missing_nodes_list"), "{row}");
    let is_complete =
        named("incomplete_nodes_list").is_empty() && texts("missing_nodes").is_empty();
    assert_eq!(row["is_complete"], is_complete, "{row}");
    for time in ["started", "finished"] {
        assert_eq!(row[time].is_null(), want[time].is_null(), "{row}");
    }
}

#[test]
fn tables_of_backups_are_those_of_the_folder() {
    let example = planted();
    let node = "prod-eu/node1.example.org";
    for (words, code) in [
        ("rows backups prod-eu".to_owned(), 0),
        ("rows backups stage".to_owned(), 0),
        (format!("rows list --now 1 {node}/thursday/ks/multi"), 0),
        (format!("rows list --now 1 {node}/monday-full/ks/multi"), 0),
        (format!("rows slice --now 1 {node}/tuesday/ks/multi 0"), 0),
        (format!("rows schema {node}/tuesday/ks/wide"), 0),
        (format!("rows dump {node}/wednesday/ks/multi/.multi_v_idx"), 0),
        (format!("rows verify {node}/tuesday/ks/multi"), 0),
        (format!("rows list {node}/tuesday/ks/other"), 2),
        ("rows list prod-eu/node2.example.org/friday/ks/multi".to_owned(), 2),
        ("rows backups prod-eu/index".to_owned(), 2),
    ] {
        let (local, remote) = (example.local(&words), example.remote(&words));
        assert_eq!((remote.code, &remote.out), (local.code, &local.out), "{words}: {}", remote.err);
        assert_eq!(local.code, Some(code), "{words}: {}", local.err);
        assert_eq!(code == 2, remote.out.is_empty(), "{words}: {}", remote.out);
    }
}
