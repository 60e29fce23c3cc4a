//! `manicule code git-index` as a user calls it.

use std::fs;
use std::process::{Command, Output};

use manicule_testkit::golden_folder;

use super::place::Place;

/// A place with the golden repositories, of which `lamps` is told by its commits.
fn place() -> Place {
    let place = Place::new();
    let trees = golden_folder("code", "trees");
    fs::rename(trees.path().join("trees/git"), place.path("git")).unwrap();
    place
}

fn call(place: &Place, words: &[&str], code: i32) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_manicule"));
    command.args(["code"]).args(words).current_dir(place.path("."));
    command.env("PATH", place.path("bin")).env_remove("CTAGS_COMMAND");
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{words:?}: {said}");
    output
}

fn out(place: &Place, words: &[&str]) -> String {
    let output = call(place, words, 0);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    String::from_utf8(output.stdout).unwrap()
}

fn said(place: &Place, words: &[&str], code: i32) -> String {
    String::from_utf8(call(place, words, code).stderr).unwrap()
}

const LAMPS: &str = "git/example.org/lamps.git";

#[test]
fn branches_are_indexed_kept_and_searched() {
    let place = place();
    let words = ["git-index", "-branches=main,dev", "-repo_cache", "git", "-index", "out", LAMPS];
    let first = out(&place, &words);
    assert!(first.starts_with("indexed example.org/lamps: 17 documents, "), "{first}");
    let again = out(&place, &words);
    assert!(again.starts_with("unchanged: example.org/lamps, 17 documents, "), "{again}");
    let found = out(&place, &["search", "-l", "branch:dev lamp", "out"]);
    assert!(found.contains("dev:dev_only.txt\n"), "{found}");
    let found = out(&place, &["search", "-l", "branch:main lamp", "out"]);
    assert!(!found.contains("dev_only"), "{found}");
    let found = out(&place, &["search", "-l", "Trim", "out"]);
    assert_eq!(found, "dev:third/wick/wick.go\n");
}

#[test]
fn a_branch_that_moves_is_followed() {
    let place = place();
    let index = |more: &[&str]| {
        let words = ["git-index", "-submodules=false", "-index=out", "--json", "-branches=main"];
        let said = out(&place, &[&words[..], more, &[LAMPS]].concat());
        let last = said.lines().last().unwrap();
        serde_json::from_str::<serde_json::Value>(last).unwrap()
    };
    let commits = fs::read_to_string(place.path("git/stage2")).unwrap();
    let first = index(&[]);
    assert_eq!(
        (&first["kept"], &first["delta"], &first["unchanged"]),
        (&0.into(), &false.into(), &false.into())
    );
    fs::create_dir_all(place.path(LAMPS).join("refs/heads")).unwrap();
    fs::write(place.path(LAMPS).join("refs/heads/main"), commits.lines().next().unwrap()).unwrap();
    let delta = index(&["-delta"]);
    assert_eq!((&delta["delta"], &delta["documents"]), (&true.into(), &2.into()));
    assert_eq!(place.names("out").len(), 3, "two shards and a sidecar");
    let found = out(&place, &["search", "-l", "lamp", "out"]);
    assert!(found.contains("added.txt\n") && found.contains("differs.txt\n"), "{found}");
    call(&place, &["search", "one thing on main", "out"], 1);
    let whole = index(&["--force"]);
    assert_eq!((&whole["delta"], &whole["shards"]), (&false.into(), &1.into()));
}

#[test]
fn what_cannot_be_is_said() {
    let place = place();
    let refused = said(&place, &["git-index", "-index=out", "-branches=none", LAMPS], 2);
    assert_eq!(refused, format!("manicule: {LAMPS} has no branch, tag or commit \"none\"\n"));
    place.write("plain/a.txt", "text\n");
    let refused = said(&place, &["git-index", "-index=out", "plain"], 2);
    assert!(refused.starts_with("manicule: plain is no git repository: "), "{refused}");
    let refused = said(&place, &["index", "-index=out", LAMPS], 2);
    assert!(refused.contains("`manicule code git-index`"), "{refused}");
    // The other one is indexed, whatever becomes of the first.
    let wick = "git/example.org/wick.git";
    let refused = said(&place, &["git-index", "-index=out", "plain", wick], 2);
    assert!(refused.starts_with("manicule: plain is no git repository: "), "{refused}");
    assert_eq!(place.names("out"), ["wick_v16.00000.zoekt"]);
    let empty = said(&place, &["git-index", "-index=out", "-branches=", wick], 0);
    assert!(
        empty.ends_with("no file is indexed: its commit has none, or rules leave all out\n"),
        "{empty}"
    );
}
