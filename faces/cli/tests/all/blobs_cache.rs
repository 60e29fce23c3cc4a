//! `manicule blobs` with `--index-cache`: every answer is the one without, whatever lies in the
//! cache.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use manicule_testkit::golden_repository;

const PASSWORD: &str = "manicule-golden";

const CALLS: &[&[&str]] = &[
    &["usage", "--json", "--all-packs"],
    &["cost", "--json", "--by", "snapshot"],
    &["ls", "latest"],
    &["ls", "--json", "latest"],
    &["find", "--json", "*a*"],
    &["history", "--json", "/"],
    &["history", "--json", "--new", "/src/top.txt"],
];

fn run(folder: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_manicule"));
    command.arg("blobs").args(words).args(["--repo", "repo"]).current_dir(folder);
    command.env("RESTIC_PASSWORD", PASSWORD).stdin(Stdio::null()).output().expect("it runs")
}

#[derive(Debug, PartialEq)]
struct Answer {
    code: Option<i32>,
    out: String,
    error: String,
}

fn answer(folder: &Path, words: &[&str]) -> Answer {
    let output = run(folder, words);
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    Answer { code: output.status.code(), out: text(output.stdout), error: text(output.stderr) }
}

fn cached(folder: &Path, words: &[&str]) -> Answer {
    answer(folder, &[words, &["--index-cache-dir", "cache"]].concat())
}

/// The files of the only repository in the cache.
fn cache_files(folder: &Path) -> Vec<PathBuf> {
    let place = fs::read_dir(folder.join("cache/blobs")).unwrap().next().unwrap().unwrap().path();
    let files = fs::read_dir(place).unwrap().map(|file| file.unwrap().path());
    let mut files: Vec<PathBuf> =
        files.filter(|file| file.file_name().unwrap() != "lock").collect();
    files.sort();
    files
}

/// Every call's answer is the one without a cache.
#[track_caller]
fn check(folder: &Path, what: &str) {
    for words in CALLS {
        assert_eq!(cached(folder, words), answer(folder, words), "{what}: {words:?}");
    }
}

#[test]
fn answers_are_the_same_with_a_new_cache_and_an_old_one() {
    for name in ["v1", "v2", "unused", "rustic", "fleet", "drafts"] {
        let golden = golden_repository(name);
        for words in CALLS {
            let _ = fs::remove_dir_all(golden.path().join("cache"));
            let plain = answer(golden.path(), words);
            assert!(!golden.path().join("cache").exists(), "none is written unasked");
            assert_eq!(cached(golden.path(), words), plain, "{name} {words:?}, new");
            assert_eq!(cached(golden.path(), words), plain, "{name} {words:?}, old");
        }
    }
}

#[test]
fn a_cache_is_its_owners_alone_and_not_in_the_repository() {
    let golden = golden_repository("small");
    let listing = |folder: &str| {
        let mut names: Vec<_> = fs::read_dir(golden.path().join(folder))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        names.sort();
        names
    };
    let before = listing("repo");
    check(golden.path(), "small");
    assert_eq!(listing("repo"), before);
    for file in cache_files(golden.path()) {
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    }
}

#[test]
fn a_flipped_byte_anywhere_changes_no_answer_and_is_mended() {
    let golden = golden_repository("fleet");
    let words: &[&str] = &["cost", "--json", "--by", "snapshot"];
    let plain = answer(golden.path(), words);
    assert_eq!(cached(golden.path(), words), plain);
    for file in cache_files(golden.path()) {
        let len = fs::metadata(&file).unwrap().len() as usize;
        // Prefix, head, pages, and the last byte.
        let places = (0..len).step_by((len / 25).max(1)).chain([0, 5, 9, 13, 20, 48, len - 1]);
        for at in places {
            assert_eq!(cached(golden.path(), words), plain, "mended before {at}");
            let mut bytes = fs::read(&file).unwrap();
            bytes[at] ^= 0x10;
            fs::write(&file, &bytes).unwrap();
            assert_eq!(cached(golden.path(), words), plain, "{} at {at}", file.display());
        }
        assert_eq!(cached(golden.path(), words), plain);
        let sound = fs::read(&file).unwrap();
        assert_eq!(cached(golden.path(), words), plain);
        assert!(fs::read(&file).unwrap() == sound, "a sound cache stays as it is");
    }
}

#[test]
fn a_cache_of_another_repository_or_of_other_bytes_is_not_believed() {
    let (one, other) = (golden_repository("fleet"), golden_repository("v2"));
    check(one.path(), "its own");
    check(other.path(), "its own");
    for (from, to) in cache_files(one.path()).iter().zip(cache_files(other.path())) {
        fs::copy(from, to).unwrap();
    }
    check(other.path(), "another's");
    for bytes in [&b""[..], b"MANB", &[0; 5000]] {
        for file in cache_files(other.path()) {
            fs::write(file, bytes).unwrap();
        }
        check(other.path(), "rubbish");
    }
}

#[test]
fn index_files_and_snapshots_that_come_and_go_are_seen() {
    let golden = golden_repository("fleet");
    check(golden.path(), "all");
    for kind in ["repo/index", "repo/snapshots"] {
        let files = fs::read_dir(golden.path().join(kind)).unwrap();
        for file in files.map(|file| file.unwrap().path()).take(4) {
            let aside = golden.path().join("aside");
            fs::rename(&file, &aside).unwrap();
            check(golden.path(), "one less");
            fs::rename(&aside, &file).unwrap();
            check(golden.path(), "one more");
        }
    }
}

#[test]
fn a_cache_saves_the_reading_of_packs() {
    let golden = golden_repository("fleet");
    let words: &[&str] = &["cost", "--json", "--by", "snapshot"];
    let plain = cached(golden.path(), words);
    fs::rename(golden.path().join("repo/data"), golden.path().join("aside")).unwrap();
    assert_eq!(cached(golden.path(), words), plain);
    assert_ne!(answer(golden.path(), words), plain);
    // Another state of the repository: then its trees are needed again, and the cache says so as
    // the repository does.
    let index = fs::read_dir(golden.path().join("repo/snapshots")).unwrap().next().unwrap();
    fs::remove_file(index.unwrap().path()).unwrap();
    let less = cached(golden.path(), words);
    assert_eq!(less.code, plain.code, "trees of the other snapshots are still in the cache");
}

#[test]
fn a_cache_that_can_not_be_written_costs_no_answer() {
    let golden = golden_repository("small");
    fs::write(golden.path().join("cache"), "a file").unwrap();
    let words = CALLS[0];
    let (plain, got) = (answer(golden.path(), words), cached(golden.path(), words));
    assert_eq!((got.code, &got.out), (plain.code, &plain.out));
    assert!(got.error.contains("the index can't be kept there"), "{}", got.error);
}

#[test]
fn calls_at_once_share_a_cache() {
    let golden = golden_repository("fleet");
    let plain = answer(golden.path(), CALLS[1]);
    std::thread::scope(|scope| {
        let calls: Vec<_> =
            (0..6).map(|_| scope.spawn(|| cached(golden.path(), CALLS[1]))).collect();
        for call in calls {
            assert_eq!(call.join().unwrap(), plain);
        }
    });
}

#[test]
fn caches_of_repositories_are_listed_and_cleared() {
    let golden = golden_repository("small");
    answer(golden.path(), &["usage", "--index-cache-dir", "cache"]);
    let call = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_manicule"));
        command.arg("cache").args(words).env("MANICULE_CACHE_DIR", golden.path().join("cache"));
        String::from_utf8(command.output().expect("the program runs").stdout).expect("text")
    };
    let listed = call(&["list"]);
    assert!(listed.contains("of a restic repository, made"), "{listed}");
    assert!(listed.contains("\n1 index of restic repositories, "), "{listed}");
    let row: serde_json::Value = serde_json::from_str(&call(&["list", "--json"])).expect("a row");
    assert!(row["repository"] == "restic" && row["len"].as_u64() > Some(1000), "{row}");
    assert_eq!([call(&["clear"]), call(&["clear"])], ["1 index removed\n", "0 indexes removed\n"]);
    assert_eq!(call(&["list", "--json"]), "");
}
