//! What the command says and does, beside locks of others.

use std::fs;
use std::path::Path;
use std::process::Command;

use manicule_repositories::{FileKind, Id, Lock, Patient, Time};
use manicule_testkit::{Examples, contents};
use serde_json::Value as Json;

use super::call::{damaged, printed, run, started};

#[test]
fn a_dry_run_says_what_the_repair_then_does() {
    let (_golden, repo) = damaged(&["index-wrong-length", "pack-missing-tree", "index-flip"]);
    let before = contents(&repo);
    let would = printed(&repo, &["--dry-run"], 0);
    let planned = printed(&repo, &["--dry-run", "--json"], 0);
    assert_eq!(contents(&repo), before);
    let done = printed(&repo, &[], 0);
    let is_new = |line: &&str| line.ends_with(" is new");
    let without_new: Vec<&str> = done.lines().filter(|line| !is_new(line)).collect();
    assert_eq!(would.replace("would be ", ""), without_new.join("\n") + "\n");
    assert_eq!(done.lines().filter(is_new).count(), 1);
    for part in [
        "in no index, 20 blobs added",
        "its header has other blobs than the index, 8 in place of 8",
        ": its file is gone, and ",
        "index file 287075c75cf969271e907374b909bd4fbec3415ccd0f8627652d854555fb131a can't be read: ",
        "4 index files and 3 pack headers read; 1 written, ",
    ] {
        assert!(done.contains(part), "{part}: {done}");
    }
    let rows: Vec<Json> =
        planned.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let summary = rows.last().expect("a summary");
    for (name, want) in [
        ("index_files_read", 4),
        ("index_files_written", 1),
        ("index_files_unreadable", 1),
        ("pack_headers_read", 3),
        ("packs", 6),
        ("packs_added", 2),
        ("packs_replaced", 1),
        ("packs_missing", 1),
        ("packs_unreadable", 0),
        ("packs_marked", 0),
    ] {
        assert_eq!(summary[name], want, "{name}");
    }
    assert!(summary["dry_run"] == true && summary["type"] == "summary");
    let again = printed(&repo, &["--json"], 0);
    let again: Json = serde_json::from_str(&again).expect("nothing but the summary");
    assert_eq!(again["index_files_kept"], again["index_files_read"]);
}

#[test]
fn the_guide_shows_what_is_printed() {
    let (_golden, repo) = damaged(&["index-wrong-length", "pack-missing-unneeded"]);
    let now = printed(&repo, &["--dry-run"], 0);
    Examples::of("docs/guide/a-repository-whose-index-is-damaged.md").hold("dry run", &now);
}

#[test]
fn a_header_that_cant_be_read_is_exit_code_1() {
    let (_golden, repo) = damaged(&["pack-cut"]);
    for _ in 0..2 {
        let said = printed(&repo, &[], 1);
        assert!(said.contains(": its header can't be read, 8 of 8 blobs kept: "), "{said}");
    }
}

/// A lock of somebody on another machine.
fn put_lock(repo: &Path, year: &str) -> Id {
    let lock = Lock {
        time: Time::parse(format!("{year}-01-01T00:00:00Z").as_bytes()).expect("a time"),
        is_exclusive: true,
        hostname: "elsewhere".to_owned(),
        username: "lee".to_owned(),
        pid: 77,
        uid: 7,
        gid: 8,
    };
    Patient::open(repo).put(FileKind::Lock, &lock.encode()).expect("a lock")
}

#[test]
fn a_locked_repository_is_left_alone_and_a_stale_lock_is_removed() {
    let (_golden, repo) = damaged(&["index-flip"]);
    let before = contents(&repo);
    // A lock from the future is not stale.
    let lock = put_lock(&repo, "2999");
    for words in [&[][..], &["--retry-lock", "1s"]] {
        let output = run(&repo, words);
        let said = String::from_utf8_lossy(&output.stderr);
        let who = "already locked exclusively by process 77 on elsewhere, user lee (7, group 8)";
        assert!(output.status.code() == Some(2) && said.contains(who), "{said}");
    }
    printed(&repo, &["--dry-run"], 0);
    fs::remove_file(repo.join(FileKind::Lock.path(&lock))).expect("a lock");
    assert_eq!(contents(&repo), before);
    let stale = put_lock(&repo, "2001");
    let output = run(&repo, &[]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains(&format!("lock {} was stale, and was removed", stale.short())), "{said}");
    assert_eq!(Patient::open(&repo).ids(FileKind::Lock), []);
}

#[test]
fn an_interrupted_run_removes_its_lock() {
    let (_golden, repo) = damaged(&["index-flip"]);
    let before = contents(&repo);
    let mut child = started(&repo);
    let pid = child.id().to_string();
    // A shell's `&` ignores SIGINT in what it starts.
    let killed = Command::new("kill").args(["-TERM", &pid]).status().expect("kill");
    assert!(killed.success());
    let status = child.wait().expect("it ends");
    assert!(!status.success(), "{status}");
    assert_eq!(contents(&repo), before);
}
