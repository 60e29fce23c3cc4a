//! `manicule rows rebuild`, `salvage`, `extract`, `merge` and `write` killed at any moment: the new
//! SSTable is there whole or not at all, and the next run leaves no litter of the one before.
//!
//! `MANICULE_ROUNDS` and `MANICULE_SEED` (numbers) change the number of kills of each verb, and the
//! moments.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use manicule_testkit::{Killer, golden_folder, names};

/// Number of kills of each verb in `cargo test`.
const KILLS: u64 = 10;
/// Number of rounds after which a run is not killed, and the folder is emptied.
const ROUNDS_OF_A_FOLDER: u64 = 10;

/// Files of an SSTable by the names of their components.
type Files = BTreeMap<String, Vec<u8>>;

/// The SSTables of a folder by their generations, finished or not.
fn sstables(folder: &Path) -> BTreeMap<String, Files> {
    let mut all = BTreeMap::<String, Files>::new();
    for name in names(folder) {
        // What is being written lies in a folder of its own.
        if !folder.join(&name).is_file() {
            continue;
        }
        let parts: Vec<&str> = name.splitn(4, '-').collect();
        let [_, generation, _, component] = parts[..] else { continue };
        let bytes = fs::read(folder.join(&name)).expect("a file");
        let files = all.entry(generation.to_owned()).or_default();
        files.insert(component.to_owned(), bytes);
    }
    all
}

/// Number of finished SSTables of a folder, all of which have the wanted files.
fn finished(folder: &Path, want: &Files, what: &str) -> usize {
    let mut all = sstables(folder);
    // A reader takes what has a list of its files.
    all.retain(|_, files| files.contains_key("TOC.txt"));
    for (generation, files) in &all {
        assert!(files == want, "{what}: generation {generation} is not whole");
    }
    all.len()
}

/// Kills a call that writes of a golden table.
fn check(words: &[&str], table: &str) {
    let golden = golden_folder("rows", "me");
    check_call(words, &golden.path().join("me").join(table));
}

/// Kills a call that writes into a folder at many moments; `words` are those before the source and
/// `-o`.
fn check_call(words: &[&str], source: &Path) {
    let mut killer = Killer::new(KILLS);
    let scratch = tempfile::tempdir().expect("a folder");
    let call = |into: &Path| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_manicule"));
        command.arg("rows").args(words).arg(source).arg("-o").arg(into);
        command
    };
    let done = |into: &Path| {
        let output = call(into).output().expect("it runs");
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{words:?}: {error}");
    };
    let path = |name: &str| -> PathBuf { scratch.path().join(name) };
    done(&path("want"));
    let want = sstables(&path("want")).remove("1").expect("the first generation");
    let out = path("out");
    for round in killer.rounds() {
        let what = format!("{words:?}, {}", killer.what(round));
        if round % ROUNDS_OF_A_FOLDER == 0 {
            if round > 0 {
                check_swept(&out, &want, &what, done);
                fs::remove_dir_all(&out).expect("ours");
            }
            killer.time(|| done(&out));
        }
        let before = finished(&out, &want, &what);
        let mut child = call(&out).stdout(Stdio::piped()).spawn().expect("it starts");
        let mut stdout = child.stdout.take().expect("a pipe");
        let killed = killer.kill(child, None);
        let mut said = String::new();
        stdout.read_to_string(&mut said).expect("text");
        let is_acknowledged = killed.has_ended || said.contains("-Data.db\n");
        killer.count(match finished(&out, &want, &what) - before {
            1 if is_acknowledged => "acknowledged",
            1 => "done, not said",
            0 if !is_acknowledged => "not done",
            more => panic!("{what}: {more} SSTables after {:?}; said {said:?}", killed.wait),
        });
    }
    check_swept(&out, &want, "the last", done);
    killer.print();
}

/// A run that is not killed leaves nothing beside finished SSTables.
fn check_swept(folder: &Path, want: &Files, what: &str, done: impl Fn(&Path)) {
    done(folder);
    let count = finished(folder, want, what);
    let mut names = names(folder);
    // That of the table that was read, or the one that was given.
    names.retain(|name| name != "schema.cql");
    assert_eq!(sstables(folder).len(), count, "{what}: {names:?}");
    assert_eq!(names.len(), count * want.len(), "{what}: {names:?}");
}

#[test]
fn a_rebuilt_sstable_is_there_whole_or_not_at_all() {
    check(&["rebuild"], "wide");
}

#[test]
fn a_salvaged_sstable_is_there_whole_or_not_at_all() {
    check(&["salvage"], "wide");
}

#[test]
fn an_extracted_sstable_is_there_whole_or_not_at_all() {
    check(&["extract", "--tokens", ".."], "wide");
}

#[test]
fn a_merged_sstable_is_there_whole_or_not_at_all() {
    check(&["merge"], "multi");
}

/// With sorted runs on disk, of which the next run leaves none either.
#[test]
fn a_written_sstable_is_there_whole_or_not_at_all() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    fs::write(path("t.cql"), "CREATE TABLE ks.t (k int PRIMARY KEY, v text)").expect("a file");
    let mut rows = String::from("k,v\n");
    (0..3000).for_each(|row| rows.push_str(&format!("{row},{}\n", "v".repeat(row % 90))));
    fs::write(path("rows.csv"), rows).expect("a file");
    let schema = path("t.cql").to_string_lossy().into_owned();
    let words = ["write", "--schema", &schema, "--memory", "50KiB", "--timestamp", "1"];
    check_call(&words, &path("rows.csv"));
}
