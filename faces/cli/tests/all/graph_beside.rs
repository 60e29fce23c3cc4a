//! `manicule graph update` and `load`, whose commits are merged by a process that they start and
//! don't wait for.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread::{scope, sleep};
use std::time::{Duration, Instant};

use manicule_testkit::names;
use rustix::fs::{FlockOperation, flock};
use tempfile::TempDir;

/// Triples of a commit after which commits are merged.
const DUE: usize = 4200;

/// A store `s`, which isn't among temporary files.
struct Kept {
    folder: TempDir,
}

impl Kept {
    fn new() -> Kept {
        let kept = Kept { folder: tempfile::tempdir().expect("a folder") };
        fs::create_dir(kept.path("temporary")).expect("a folder");
        fs::write(kept.path("a.nt"), "<http://a/s> <http://a/p> \"1\" .\n").expect("a file");
        kept.done(&["load", "-q", "s", "a.nt"]);
        kept
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn graph(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_manicule"));
        command.arg("graph").args(words).current_dir(self.folder.path()).stdin(Stdio::null());
        command.env("TMPDIR", self.path("temporary"));
        command
    }

    #[track_caller]
    fn done(&self, words: &[&str]) -> String {
        ended(self.graph(words).output().expect("it runs"))
    }

    /// A file with a request that adds this number of triples.
    fn request(&self, name: &str, count: usize) -> String {
        let triple = |at| format!("<http://a/{name}> <http://a/p> \"{at}\" .\n");
        let text: String = (0..count).map(triple).collect();
        fs::write(self.path(name), format!("INSERT DATA {{ {text} }}")).expect("a file");
        name.to_owned()
    }

    /// The manifest of the store.
    fn current(&self) -> String {
        fs::read_to_string(self.path("s/CURRENT")).expect("a store")
    }

    /// Waits until nobody merges any more, and the store has another manifest.
    #[track_caller]
    fn wait_for_merge(&self, before: &str) {
        let start = Instant::now();
        let is_done = || self.current() != before && locked(&self.path("s/merging")).is_some();
        while !is_done() {
            assert!(start.elapsed() < Duration::from_secs(60), "it is merged in a while");
            sleep(Duration::from_millis(5));
        }
    }

    fn count(&self) -> String {
        self.done(&["query", "s", "SELECT (COUNT(*) AS ?c) { ?s ?p ?o }", "--format", "tsv"])
    }
}

#[track_caller]
fn ended(output: Output) -> String {
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// A lock that a store's processes take, if nobody has it.
fn locked(path: &Path) -> Option<File> {
    let file = File::options().create(true).truncate(false).write(true).open(path).expect("a lock");
    flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok().then_some(file)
}

#[test]
fn commits_are_merged_by_a_process_that_nobody_waits_for() {
    let kept = Kept::new();
    let before = kept.current();
    kept.done(&["update", "s", "INSERT DATA { <http://a/s> <http://a/p> 2 }"]);
    let request = kept.request("many", DUE);
    kept.done(&["update", "-q", "s", "-f", &request]);
    kept.wait_for_merge(&before);
    assert_eq!(kept.done(&["compact", "--merge", "s"]), "there was nothing to merge\n");
    assert_eq!(kept.count(), format!("?c\n{}\n", 2 + DUE));
    // A load into a store that isn't empty too.
    let before = kept.current();
    let lines = |at| format!("<http://a/load> <http://a/p> \"{at}\" .\n");
    fs::write(kept.path("b.nt"), (0..DUE).map(lines).collect::<String>()).expect("a file");
    kept.done(&["load", "-q", "s", "b.nt"]);
    kept.wait_for_merge(&before);
    assert_eq!(kept.count(), format!("?c\n{}\n", 2 + 2 * DUE));
    for (folder, want) in [("log", 2), ("stat", 1), ("leaf", 3), ("temporary", 0)] {
        let path =
            if folder == "temporary" { kept.path(folder) } else { kept.path("s").join(folder) };
        assert_eq!(names(&path).len(), want, "{folder}");
    }
}

#[test]
fn no_process_is_started_for_a_store_of_temporary_files_or_where_it_is_not_wanted() {
    let kept = Kept::new();
    let before = kept.current();
    let request = kept.request("many", DUE);
    kept.done(&["update", "-q", "--no-merge", "s", "-f", &request]);
    let request = kept.request("more", DUE);
    let mut temporary = kept.graph(&["update", "-q", "s", "-f", &request]);
    ended(temporary.env("TMPDIR", kept.folder.path()).output().expect("it runs"));
    // A process would have merged them, or be at it.
    sleep(Duration::from_millis(300));
    assert!(locked(&kept.path("s/merging")).is_some());
    assert_eq!(kept.current(), before);
    assert_eq!(kept.done(&["compact", "--merge", "s"]), "merged\n");
}

#[test]
fn the_process_that_merges_keeps_no_pipe_open_and_waits_for_who_writes() {
    let kept = Kept::new();
    let (before, request) = (kept.current(), kept.request("many", DUE));
    let log = kept.path("s/log/00000000000000000002.log");
    let len = || fs::metadata(&log).map_or(0, |metadata| metadata.len());
    let empty = len();
    // Whoever reads the output waits for all who might write to it: here they are two handles.
    let script =
        format!("exec 3>&1; {} graph update -q s -f {request}", env!("CARGO_BIN_EXE_manicule"));
    let mut update = Command::new("sh");
    update.args(["-c", &script]).current_dir(kept.folder.path()).stdin(Stdio::null());
    update.env("TMPDIR", kept.path("temporary"));
    let started = Instant::now();
    let is_late = || started.elapsed() > Duration::from_secs(20);
    let writer = scope(|scope| {
        let writer = scope.spawn(|| {
            // When the commit is there, the next writer comes at once.
            let mut writer = None;
            while writer.is_none() && !is_late() {
                sleep(Duration::from_micros(50));
                writer = (len() > empty).then(|| locked(&kept.path("s/lock"))).flatten();
            }
            writer
        });
        ended(update.output().expect("it runs"));
        assert!(!is_late(), "{:?}", started.elapsed());
        writer.join().expect("it ends")
    });
    drop(writer);
    kept.wait_for_merge(&before);
}

#[test]
fn who_merges_makes_no_call_fail() {
    let kept = Kept::new();
    let insert =
        ["update", "-q", "s", "INSERT DATA { <http://a/s> <http://a/p> 3 }", "--wait", "0s"];
    let writing = locked(&kept.path("s/lock")).expect("nobody writes");
    let refused = kept.graph(&insert).output().expect("it runs");
    assert_eq!(refused.status.code(), Some(2), "somebody else writes");
    let merging = locked(&kept.path("s/merging")).expect("nobody merges");
    scope(|scope| {
        let insert = scope.spawn(|| kept.done(&insert));
        sleep(Duration::from_millis(100));
        // Who merges has the store for a moment.
        drop(writing);
        insert.join().expect("it is done");
        let words: [&[&str]; 3] =
            [&["snapshot", "s", "kept"], &["compact", "s"], &["compact", "--merge", "s"]];
        let kept = &kept;
        let call = move |words: &[&str]| kept.done(&[words, &["--wait", "60s"]].concat());
        let calls = words.map(|words| scope.spawn(move || call(words)));
        sleep(Duration::from_millis(200));
        assert!(calls.iter().all(|call| !call.is_finished()), "they wait for who merges");
        drop(merging);
        calls.into_iter().for_each(|call| drop(call.join().expect("it is done")));
    });
}
