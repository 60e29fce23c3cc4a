//! Writers that are killed at any moment: the acknowledged transactions are there, and at most one
//! more.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use manicule_graph::{Store, read_store};
use manicule_testkit::Killer;

use crate::common::{States, commit, lines, on_disk};

/// Set to the folder of a store, makes this program its writer.
const WRITER: &str = "MANICULE_GRAPH_WRITER";

/// Commits one page after the other, and says so of each.
#[test]
#[ignore = "run by the test below, in a process of its own"]
fn writer() {
    let folder = PathBuf::from(std::env::var_os(WRITER).expect("a folder"));
    let store = Store::open(&folder, &on_disk()).expect("a store");
    println!("open");
    loop {
        let number = store.snapshot().commit() + 1;
        commit(&store, number).expect("a commit");
        if number.is_multiple_of(5) {
            store.merge().expect("a merge");
        }
        println!("committed {number}");
    }
}

#[test]
fn a_writer_that_is_killed_at_any_moment_has_kept_what_it_acknowledged() {
    let mut killer = Killer::new(12);
    let folder = tempfile::tempdir().expect("a folder");
    drop(Store::create(folder.path(), &on_disk()).expect("a store"));
    let mut states = States::new();
    for round in killer.rounds() {
        let mut child = Command::new(std::env::current_exe().expect("this program"))
            .args(["--ignored", "--exact", "--nocapture", "killed::writer"])
            .env(WRITER, folder.path())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut said = BufReader::new(child.stdout.take().expect("its words")).lines();
        let wait_count = killer.rng.below(40);
        let mut acknowledged = None;
        let mut take = |line: &str| {
            acknowledged = line
                .strip_prefix("committed ")
                .map(|text| text.parse::<u64>().expect("a number"))
                .or(acknowledged)
        };
        while let Some(line) = said.by_ref().take(1).next() {
            let line = line.expect("text");
            take(&line);
            if line == format!("committed {wait_count}") || killer.rng.one_in(60) {
                break;
            }
        }
        child.kill().expect("it is ours");
        child.wait().expect("it ends");
        said.for_each(|line| take(&line.expect("text")));
        let snapshot = read_store(folder.path(), 1).expect("a store");
        let commit_count = snapshot.commit();
        let what = killer.what(round);
        if let Some(acknowledged) = acknowledged {
            assert!(
                (acknowledged..=acknowledged + 1).contains(&commit_count),
                "{what}: {acknowledged}, {commit_count}"
            );
        }
        assert!(lines(&snapshot) == states.after(commit_count), "{what}: after {commit_count}");
        killer.count(if acknowledged == Some(commit_count) { "acknowledged" } else { "not yet" });
    }
    killer.print();
}
