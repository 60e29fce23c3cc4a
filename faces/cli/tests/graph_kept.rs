//! `manicule graph snapshot`, `--at`, `stats` and `backup`.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value as Json;

/// Standard output of a call that ends with a code and says something on standard error.
#[track_caller]
fn said(folder: &Path, words: &[&str], code: i32, want: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_manicule"));
    command.args(words).current_dir(folder).stdin(Stdio::null());
    let output = command.output().expect("the program runs");
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{words:?}: {error}");
    assert!(error.contains(want) && error.is_empty() == want.is_empty(), "{words:?}: {error}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[track_caller]
fn done(folder: &Path, words: &[&str]) -> String {
    said(folder, &[&["graph"], words].concat(), 0, "")
}

const ALL: &str = "SELECT (COUNT(*) AS ?c) { ?s ?p ?o }";

#[test]
fn a_snapshot_is_asked_exported_counted_and_dropped() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("a.ttl"), "<http://a/s> <http://a/p> 1, 2 .").expect("a file");
    done(folder, &["load", "-q", "s", "a.ttl"]);
    assert_eq!(done(folder, &["snapshot", "s"]), "");
    assert_eq!(done(folder, &["snapshot", "s", "may"]), "kept may\n");
    done(folder, &["update", "-q", "s", "INSERT DATA { <http://a/s> <http://a/p> 3 }"]);
    let count =
        |words: &[&str]| done(folder, &[&["query", "--format", "csv", "s", ALL], words].concat());
    assert_eq!((count(&["--at", "may"]), count(&[])), ("c\r\n2\r\n".into(), "c\r\n3\r\n".into()));
    assert_eq!(done(folder, &["export", "s", "--at", "may"]).lines().count(), 2);
    let stats = |words: &[&str]| -> Json {
        let text = done(folder, &[&["stats", "--json", "s"], words].concat());
        serde_json::from_str(&text).expect("JSON")
    };
    assert_eq!(
        (&stats(&["--at", "may"])["default"]["quads"], &stats(&[])["default"]["quads"]),
        (&2.into(), &3.into())
    );
    assert_eq!(stats(&[])["default"]["predicates"][0]["objects"], 3);
    let list: Json =
        serde_json::from_str(&done(folder, &["snapshot", "--json", "s"])).expect("JSON");
    assert_eq!(
        (&list["type"], &list["name"], &list["quads"]),
        (&"snapshot".into(), &"may".into(), &2.into())
    );
    let missing = "there is no snapshot \"june\"";
    said(folder, &["graph", "query", "s", ALL, "--at", "june"], 2, missing);
    said(folder, &["graph", "snapshot", "s", "--drop", "june"], 1, missing);
    said(
        folder,
        &["graph", "snapshot", "s", "../june"],
        2,
        "a snapshot can't be called \"../june\"",
    );
    assert_eq!(done(folder, &["snapshot", "s", "--drop", "may"]), "dropped may\n");
    assert_eq!(done(folder, &["snapshot", "s", "--list"]), "");
}

#[test]
fn a_backup_is_a_store_with_everything_that_was_durable() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("a.ttl"), "<http://a/s> <http://a/p> 1, 2 .").expect("a file");
    done(folder, &["load", "-q", "s", "a.ttl"]);
    done(folder, &["snapshot", "-q", "s", "may"]);
    done(folder, &["update", "-q", "s", "INSERT DATA { <http://a/s> <http://a/p> 3 }"]);
    let report: Json =
        serde_json::from_str(&done(folder, &["backup", "--json", "s", "copy"])).expect("JSON");
    assert_eq!((&report["type"], &report["commit"]), (&"summary".into(), &2.into()));
    done(folder, &["backup", "-q", "--at", "may", "s", "old"]);
    let count = |store: &str| done(folder, &["query", "--format", "csv", store, ALL]);
    assert_eq!((count("copy"), count("old")), ("c\r\n3\r\n".into(), "c\r\n2\r\n".into()));
    assert!(said(folder, &["verify", "copy"], 0, "").starts_with("ok: "));
    assert_eq!(done(folder, &["snapshot", "copy"]), "");
    // A copy is written to like any store; a folder that isn't empty is refused.
    done(folder, &["update", "-q", "copy", "INSERT DATA { <http://a/s> <http://a/p> 4 }"]);
    said(folder, &["graph", "backup", "s", "copy"], 2, "the folder isn't empty");
    said(folder, &["graph", "backup", "none", "there"], 2, "there is no graph store here");
}
