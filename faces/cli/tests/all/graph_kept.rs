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
fn a_load_that_fails_leaves_what_was_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("a.ttl"), "<http://a/s> <http://a/p> 1, 2 .").expect("a file");
    fs::write(folder.join("bad.ttl"), "<http://a/s> <http://a/p> 3 .\n<http://a/s> oops")
        .expect("a file");
    fs::create_dir(folder.join("empty")).expect("a folder");
    done(folder, &["load", "-q", "full", "a.ttl"]);
    for store in ["new/store", "empty", "full"] {
        said(folder, &["graph", "load", "-q", store, "a.ttl", "bad.ttl"], 2, "bad.ttl:2:");
    }
    assert!(!folder.join("new/store").exists());
    assert_eq!(fs::read_dir(folder.join("empty")).expect("a folder").count(), 0);
    assert_eq!(done(folder, &["query", "--format", "csv", "full", ALL]), "c\r\n2\r\n");
    // The place is free for another try.
    done(folder, &["load", "-q", "new/store", "a.ttl"]);
}

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
    said(
        folder,
        &["graph", "backup", "none", "there"],
        2,
        "none: no such folder; `manicule graph load none FILE...` makes a store",
    );
}

/// A store of one load and five updates, and its log.
fn updated(folder: &Path) -> std::path::PathBuf {
    fs::write(folder.join("a.nt"), "<http://a/s> <http://a/p> \"0\" .\n").expect("a file");
    done(folder, &["load", "-q", "s", "a.nt"]);
    for number in 1..=5 {
        let text = format!("INSERT DATA {{ <http://a/s> <http://a/p> \"{number}\" }}");
        done(folder, &["update", "-q", "s", &text]);
    }
    let logs = fs::read_dir(folder.join("s/log")).expect("a folder");
    let mut logs = logs.map(|entry| entry.expect("an entry").path());
    logs.find(|path| path.extension().is_some_and(|ending| ending == "log")).expect("a log")
}

#[test]
fn commits_that_a_damaged_log_has_lost_are_missed_by_every_command() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let log = updated(folder);
    let whole = fs::read(&log).expect("a log");
    for (at, kept) in [(30, 1), (60, 1), (whole.len() - 1, 5)] {
        let mut flipped = whole.clone();
        flipped[at] ^= 1;
        fs::write(&log, flipped).expect("a log");
        let want = format!("no commit after {kept} can be read, of which there w");
        let insert = "INSERT DATA { <http://a/s> <http://a/p> 7 }";
        for words in [
            &["query", "s", ALL][..],
            &["export", "s"],
            &["stats", "s"],
            &["update", "s", insert],
            &["load", "s", "a.nt"],
            &["compact", "s"],
            &["compact", "--merge", "s"],
            &["snapshot", "s", "may"],
            &["backup", "s", "copy"],
        ] {
            assert_eq!(said(folder, &[&["graph"], words].concat(), 2, &want), "");
        }
        let verified = said(folder, &["verify", "s"], 1, "");
        assert!(verified.contains(&want) && verified.contains("offset"), "{verified}");
    }
    let forgetting = ["update", "s", "INSERT DATA { <http://a/s> <http://a/p> 7 }"];
    let words = [&["graph"], &forgetting[..], &["--forget-after-damage"]].concat();
    said(folder, &words, 0, "given up: s/log/");
    let count = done(folder, &["query", "--format", "csv", "s", ALL]);
    assert_eq!(count, "c\r\n6\r\n", "of six, without the fifth, and a new one");
    said(folder, &["verify", "s"], 0, "");
    done(folder, &["update", "-q", "s", "DELETE WHERE { ?s ?p ?o }"]);
}

#[test]
fn writers_that_come_at_once_wait_for_each_other() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    updated(folder);
    std::thread::scope(|scope| {
        for number in 10..26 {
            scope.spawn(move || {
                let text = format!("INSERT DATA {{ <http://a/s> <http://a/p> {number} }}");
                done(folder, &["update", "-q", "s", &text, "--wait", "60s"]);
            });
        }
    });
    assert_eq!(done(folder, &["query", "--format", "csv", "s", ALL]), "c\r\n22\r\n");
}
