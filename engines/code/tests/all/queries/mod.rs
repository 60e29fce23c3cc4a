//! zoekt's own answers over its golden shards: the same documents, lines, places, symbols and
//! scores.
//!
//! Where scores are equal zoekt promises no order, so documents are compared by their names, and
//! lines by their places.

mod answer;
mod compare;
mod elsewhere;
mod large;
mod lists;
mod options;
mod shown;
mod store;
mod until;

use manicule_code::shards::find::{Foreseen, OpenShard, ShardFiles};
use manicule_testkit::golden::{golden_file, golden_folder};
use serde_json::Value;

use answer::answer;
use compare::{difference, ordered};

/// Requests that are answered otherwise on purpose, and why.
const EXEMPT: [(&str, &str); 6] = [
    ("(?i)DONG", "zoekt takes the flag off and looks for capitals"),
    ("case:no \u{212a}", "the Kelvin sign is a k where case doesn't count, as for ripgrep"),
    ("istanbul", "no letter's lower case is that of another word's capital I with a dot"),
    ("type:filematch lantern", "zoekt crashes inside; here it is no restriction"),
    (
        "content:lamp content:hall -content:yaml",
        "zoekt counts a word as one that matches if it is negated and nowhere in the shard",
    ),
    ("lamp estimate", "an estimate of the number of documents is no search here"),
];

/// Opens the golden folders of shards together.
fn with_shards(folders: &[&str], call: impl FnOnce(&[OpenShard<'_>])) {
    let archive = golden_folder("code", "shards");
    let inner = archive.path().join("shards");
    let root = if inner.is_dir() { inner } else { archive.path().to_owned() };
    let open = |name: &&str| {
        ShardFiles::open(&root.join(name), &mut |error| panic!("{error}")).expect("shards")
    };
    let files: Vec<ShardFiles> = folders.iter().map(open).collect();
    let shards = files
        .iter()
        .flat_map(|files| files.shards(Foreseen::Texts, &mut |error| panic!("{error}")));
    call(&shards.collect::<Vec<_>>());
}

fn rows(name: &str) -> Vec<Value> {
    let text = golden_file("code", &format!("{name}.jsonl"));
    let rows = text.split(|byte| *byte == b'\n').filter(|row| !row.is_empty());
    rows.map(|row| serde_json::from_slice(row).expect("a row")).collect()
}

/// What a request is called in the table of those that are exempt.
fn called(asked: &Value) -> String {
    let query = asked["Q"].as_str().expect("a query");
    let estimate = if asked["Opts"]["EstimateDocCount"] == true { " estimate" } else { "" };
    format!("{query}{estimate}")
}

#[track_caller]
fn check(name: &str, folders: &[&str], count: usize, exempt_count: usize) {
    with_shards(folders, |shards| {
        let (mut same, mut exempt, mut wrong) = (0, 0, Vec::new());
        for row in rows(name) {
            let (asked, want) = (&row["request"], &row["result"]);
            let got = answer(shards, asked, !want["places"].is_null()).expect("sound shards");
            let differs = match (got, want["Error"].is_null()) {
                (None, false) => None,
                (None, true) => Some("a refusal".to_owned()),
                (Some(_), false) => Some("an answer instead of a refusal".to_owned()),
                (Some(got), true) => difference(&ordered(got), &ordered(want.clone())),
            };
            let is_exempt = EXEMPT.iter().any(|(query, _)| *query == called(asked));
            match (differs, is_exempt) {
                (None, false) => same += 1,
                (Some(_), true) => exempt += 1,
                (Some(differs), false) => wrong.push(format!("{asked}: {differs}")),
                (None, true) => wrong.push(format!("{asked}: needs no exemption")),
            }
        }
        assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
        assert_eq!((same, exempt), (count, exempt_count));
    });
}

#[test]
fn one_repository_is_answered_as_zoekt_answers() {
    check("small", &["ctags"], 129, 6);
}

#[test]
fn several_repositories_are_answered_as_zoekt_answers() {
    check("multi", &["compound", "git-ctags"], 31, 0);
}

#[test]
fn deltas_are_answered_as_zoekt_answers() {
    check("delta", &["delta"], 31, 0);
}

#[test]
fn tombstones_are_left_out_as_zoekt_leaves_them_out() {
    check("tomb", &["tomb"], 31, 0);
}
