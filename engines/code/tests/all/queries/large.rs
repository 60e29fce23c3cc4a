//! Shards of whole systems, where the machine has them.

use std::path::PathBuf;

use manicule_code::shards::find::ShardFiles;
use manicule_code::shards::{Linguist, index};
use manicule_core::watch::Watch;
use serde_json::Value;

use super::super::identity::options;
use super::answer::answer;
use super::compare::difference;

/// Requests that are answered otherwise on purpose, and why.
const EXEMPT: [(&str, &str); 1] = [(
    "[^\\x00-\\x7f]{3}",
    "zoekt takes s and k for members, as letters beyond ASCII fold to them",
)];

/// The shards are made here: those of zoekt without symbols have the same bytes.
#[test]
fn kubernetes_is_answered_as_zoekt_answers() {
    let folders = ["MANICULE_GOLDEN", "MANICULE_CORPORA"].map(std::env::var_os);
    let [Some(golden), Some(corpora)] = folders else {
        return println!(
            "left out: k8s-full, for MANICULE_GOLDEN and MANICULE_CORPORA are not set"
        );
    };
    let (rows, tree) = (
        PathBuf::from(golden).join("queries/k8s-full.jsonl"),
        PathBuf::from(corpora).join("k8s-full"),
    );
    if !tree.exists() || !rows.exists() {
        return println!("left out: k8s-full is not in MANICULE_CORPORA and MANICULE_GOLDEN");
    }
    let (output, linguist) = (tempfile::tempdir().expect("a folder"), Linguist::default());
    index(&options(&tree, output.path(), &linguist), &Watch::none()).expect("shards");
    let files = ShardFiles::open(output.path(), &mut |error| panic!("{error}")).expect("shards");
    let shards = files.shards(&mut |error| panic!("{error}"));
    let rows = std::fs::read_to_string(rows).expect("golden answers");
    let (mut same, mut exempt, mut wrong) = (0, 0, Vec::new());
    for row in rows.lines() {
        let row: Value = serde_json::from_str(row).expect("a row");
        let got = answer(&shards, &row["request"], true).expect("an answer");
        let is_exempt = EXEMPT.iter().any(|(query, _)| row["request"]["Q"] == *query);
        match (difference(&got, &row["result"]), is_exempt) {
            (None, false) => same += 1,
            (Some(_), true) => exempt += 1,
            (Some(differs), false) => wrong.push(format!("{}: {differs}", row["request"])),
            (None, true) => wrong.push(format!("{}: needs no exemption", row["request"])),
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!((same, exempt), (63, EXEMPT.len()));
}
