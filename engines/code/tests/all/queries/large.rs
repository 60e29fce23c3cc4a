//! Shards of whole systems, where the machine has them.

use std::path::PathBuf;

use manicule_code::shards::find::{Foreseen, ShardFiles};
use manicule_code::shards::{IndexOptions, Linguist, SymbolSource, index};
use manicule_core::watch::Watch;
use serde_json::Value;

use super::super::identity::{ctags, options};
use super::answer::answer;
use super::compare::difference;

/// Requests that are answered otherwise on purpose, and why.
const EXEMPT: [(&str, &str); 1] = [(
    "[^\\x00-\\x7f]{3}",
    "zoekt takes s and k for members, as letters beyond ASCII fold to them",
)];

/// Compares the answers to the requests in `golden` over shards that are made here of a tree: those
/// of zoekt have the same bytes.
fn check(tree: &str, golden: &str, symbols: SymbolSource, count: usize, exempt_count: usize) {
    let folders = ["MANICULE_GOLDEN", "MANICULE_CORPORA"].map(std::env::var_os);
    let [Some(answers), Some(corpora)] = folders else {
        return println!(
            "left out: {golden}, for MANICULE_GOLDEN and MANICULE_CORPORA are not set"
        );
    };
    let rows = PathBuf::from(answers).join(format!("queries/{golden}.jsonl"));
    let tree = PathBuf::from(corpora).join(tree);
    if !tree.exists() || !rows.exists() {
        return println!("left out: {golden} is not in MANICULE_CORPORA and MANICULE_GOLDEN");
    }
    let (output, linguist) = (tempfile::tempdir().expect("a folder"), Linguist::default());
    let options = IndexOptions { symbols, ..options(&tree, output.path(), &linguist) };
    index(&options, &Watch::none()).expect("shards");
    let files = ShardFiles::open(output.path(), &mut |error| panic!("{error}")).expect("shards");
    let shards = files.shards(Foreseen::Texts, &mut |error| panic!("{error}"));
    let rows = std::fs::read_to_string(rows).expect("golden answers");
    let (mut same, mut exempt, mut wrong) = (0, 0, Vec::new());
    for row in rows.lines() {
        let row: Value = serde_json::from_str(row).expect("a row");
        let got = answer(&shards, &row["request"], true).expect("sound shards").expect("an answer");
        let is_exempt = EXEMPT.iter().any(|(query, _)| row["request"]["Q"] == *query);
        match (difference(&got, &row["result"]), is_exempt) {
            (None, false) => same += 1,
            (Some(_), true) => exempt += 1,
            (Some(differs), false) => wrong.push(format!("{}: {differs}", row["request"])),
            (None, true) => wrong.push(format!("{}: needs no exemption", row["request"])),
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!((same, exempt), (count, exempt_count));
    println!("{golden}: {same} equal, {exempt} exempt");
}

#[test]
fn kubernetes_is_answered_as_zoekt_answers() {
    check("k8s-full", "k8s-full", SymbolSource::Off, 63, EXEMPT.len());
}

#[test]
fn symbols_of_kubernetes_are_found_as_zoekt_finds_them() {
    match ctags() {
        Some(symbols) => check("kubernetes", "kubernetes-ctags", symbols, 10, 0),
        None => println!("left out: symbols of kubernetes, for want of universal-ctags 5.9.0"),
    }
}
