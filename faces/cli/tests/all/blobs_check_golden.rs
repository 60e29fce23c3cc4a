//! `manicule blobs check` beside restic's answers, where MANICULE_GOLDEN names the full set: over
//! its repositories, over 81 damaged or unusual ones that are made of one, and over those in
//! restic's own module.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value as Json;

/// Where we decide otherwise than restic 0.19.1: the case, whether it is about --read-data, our
/// exit code and number of errors, and why.
const OTHERWISE: &[(&str, bool, i32, Option<u64>, &str)] = &[
    ("config-flip", false, 2, None, FAILED),
    ("config-missing", false, 2, None, FAILED),
    ("config-version-3", false, 2, None, FAILED),
    ("config-reducible-polynomial", false, 0, Some(0), "an index needs no polynomial"),
    (
        "files-pack-in-other-folder",
        false,
        1,
        Some(1),
        "nobody opens a pack there; restic finds that only when it reads it",
    ),
    ("key-data-flip", false, 2, None, FAILED),
    ("key-foreign-master", false, 2, None, FAILED),
    ("key-kdf-unknown", false, 2, None, FAILED),
    ("key-n-0", false, 2, None, FAILED),
    ("key-n-3", false, 2, None, FAILED),
    ("key-n-6", false, 2, None, FAILED),
    ("key-name-differs", false, 2, None, FAILED),
    ("key-none", false, 2, None, FAILED),
    ("key-not-json", false, 2, None, FAILED),
    ("key-p-huge", false, 2, None, FAILED),
    ("key-salt-32", false, 2, None, FAILED),
    ("key-zero-master", false, 2, None, FAILED),
    ("lock-broken", false, 0, Some(0), NO_LOCK),
    ("lock-exclusive-dead-process", false, 0, Some(0), NO_LOCK),
    ("lock-exclusive-far-future", false, 0, Some(0), NO_LOCK),
    ("lock-exclusive-stale", false, 0, Some(0), NO_LOCK),
    ("lock-shared-far-future", false, 0, Some(0), NO_LOCK),
    (
        "pack-cut",
        true,
        1,
        Some(1),
        "what is left of the pack has all its blobs; restic reads none of them",
    ),
    ("pack-missing", true, 1, Some(1), ONCE),
    ("pack-missing-tree", true, 1, Some(2), ONCE),
    ("pack-missing-unneeded", true, 1, Some(1), ONCE),
    ("snapshot-no-tree", false, 1, Some(1), "a finding; restic panics"),
    ("snapshot-no-tree", true, 1, Some(1), "a finding; restic panics"),
    ("repo-data-missing", true, 1, Some(1), ONCE),
    ("repo-unused-data-missing", true, 1, Some(4), ONCE),
];
const FAILED: &str = "2 is a repository that can't be opened; restic has 1, 10 and 12";
const NO_LOCK: &str = "nothing is locked, so no lock is in the way";
const ONCE: &str = "a pack without a file is one error; restic counts it again where it reads";

/// What a check came to.
#[derive(Debug, PartialEq)]
struct Verdict {
    exit: i32,
    /// `None` where there was none.
    errors: Option<u64>,
}

fn golden() -> Option<PathBuf> {
    let golden = std::env::var_os("MANICULE_GOLDEN").map(|path| PathBuf::from(path).join("blobs"));
    if golden.is_none() {
        println!("left out: checks beside restic's, where MANICULE_GOLDEN is not set");
    }
    golden
}

/// Checks a repository: the verdict, and the summary.
fn check(repo: &Path, password: &str, read_data: bool) -> (Verdict, Json) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_manicule"));
    command.args(["blobs", "check", "--json", "-r"]).arg(repo).env("RESTIC_PASSWORD", password);
    command.args(read_data.then_some("--read-data"));
    let output = command.output().expect("the program runs");
    let last = output.stdout.split(|byte| *byte == b'\n').rfind(|line| !line.is_empty());
    let summary: Json = last.map_or(Json::Null, |line| serde_json::from_slice(line).expect("JSON"));
    let exit = output.status.code().expect("no signal");
    (Verdict { exit, errors: summary["num_errors"].as_u64() }, summary)
}

/// The verdict in a text of restic's answers to one call.
fn verdict_in(text: &str) -> Verdict {
    let exit = text.lines().find_map(|line| line.strip_prefix("--- exit "));
    let exit: i32 = exit.map_or(0, |code| code.trim().parse().expect("a code"));
    let is_error = |line: &&str| {
        let in_pack = line.strip_prefix("pack ").and_then(|rest| rest.get(64..));
        let of_pack = [": does not exist", ": unexpected file", " has different", " contains "];
        let is_hint = line.contains("contained in several") || line.contains("a mix of tree");
        line.starts_with("error: ")
            || line.starts_with("download error: ")
            || line.starts_with("  ")
            || (!is_hint
                && in_pack.is_some_and(|rest| of_pack.iter().any(|start| rest.starts_with(start))))
    };
    let errors = text.lines().filter(is_error).count() as u64;
    Verdict { exit, errors: Some(errors) }
}

/// The answers to calls of check in a file, and whether each read data. `None` for what was no
/// plain check.
fn answers(text: &str) -> impl Iterator<Item = (bool, &str)> {
    text.split("$ restic").skip(1).filter_map(|part| {
        let (words, answer) = part.split_once('\n')?;
        let words = words.trim().trim_start_matches("--no-lock ");
        match words {
            "check" => Some((false, answer)),
            "check --read-data" => Some((true, answer)),
            _ => None,
        }
    })
}

/// Compares our verdict with restic's, or with the one of the table.
#[track_caller]
fn compare(case: &str, read_data: bool, got: &Verdict, want: Verdict, used: &mut BTreeSet<usize>) {
    let is_case = |row: &(&str, bool, i32, Option<u64>, &str)| row.0 == case && row.1 == read_data;
    let want = match OTHERWISE.iter().position(is_case) {
        None => want,
        Some(at) => {
            used.insert(at);
            let (_, _, exit, errors, why) = OTHERWISE[at];
            let ours = Verdict { exit, errors };
            assert_ne!(ours, want, "{case}: no longer otherwise: {why}");
            ours
        }
    };
    // A failure has no summary, and restic's panics none of errors.
    let is_failure = want.exit == 2 && got.exit == 2;
    assert!(is_failure || *got == want, "{case}, read data {read_data}: {got:?}, wanted {want:?}");
}

fn newest(golden: &Path, name: &str) -> String {
    let files = ["expected-0.19.1", "expected"].map(|folder| golden.join(folder).join(name));
    let file = files.iter().find(|file| file.exists()).expect("an answer");
    String::from_utf8_lossy(&fs::read(file).expect("an answer")).into_owned()
}

fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().expect("text")).collect();
    names.sort_unstable();
    names
}

#[test]
fn whole_repositories() {
    let Some(golden) = golden() else { return };
    let mut used = BTreeSet::new();
    let names = names_in(&golden.join("repos"));
    assert_eq!(names.len(), 13);
    for name in names {
        let repo = golden.join("repos").join(&name);
        for (file, read_data) in [("check.txt", false), ("check-read-data.txt", true)] {
            if !golden.join("expected").join(&name).join(file).exists() {
                // A repository of an index only.
                continue;
            }
            let want = verdict_in(&newest(&golden, &format!("{name}/{file}")));
            let (got, summary) = check(&repo, "manicule-golden", read_data);
            compare(&name, read_data, &got, want, &mut used);
            check_summary(&name, &newest(&golden, &format!("{name}/check.jsonl")), &summary);
        }
    }
}

#[test]
fn damaged_and_unusual_repositories() {
    let Some(golden) = golden() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let python = std::env::var_os("MANICULE_PYTHON").unwrap_or_else(|| "python3".into());
    let derive = ["-B", "make/derive.py", "repos/unused"];
    let made = Command::new(python).args(derive).arg(folder.path()).current_dir(&golden).output();
    if !made.as_ref().is_ok_and(|output| output.status.success()) {
        println!("left out: damaged repositories; derive.py, run by $MANICULE_PYTHON: {made:?}");
        return;
    }
    let (cases, mut used, mut asked) = (names_in(folder.path()), BTreeSet::new(), 0);
    assert_eq!(cases.len(), 81);
    for case in cases {
        let text = newest(&golden, &format!("derived/{case}.txt"));
        for (read_data, answer) in answers(&text) {
            let (got, _) = check(&folder.path().join(&case), "manicule-golden", read_data);
            compare(&case, read_data, &got, verdict_in(answer), &mut used);
            asked += 1;
        }
    }
    assert!(asked > 130 && used.len() == 28, "{asked} checks, otherwise {used:?}");
}

#[test]
fn repositories_of_restics_own_module() {
    let Some(golden) = golden() else { return };
    let asked = Command::new("go").args(["env", "GOMODCACHE"]).output();
    let cache = asked.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    let module = PathBuf::from(cache.unwrap_or_default()).join("github.com/restic/restic@v0.19.1");
    if !module.is_dir() {
        println!("left out: repositories of restic's module, which Go's module cache lacks");
        return;
    }
    let (names, mut used) = (names_in(&golden.join("module")), BTreeSet::new());
    assert_eq!(names.len(), 17);
    for file in names {
        let name = file.trim_end_matches(".txt");
        let text = fs::read_to_string(golden.join("module").join(&file)).expect("answers");
        let archive = text.strip_prefix("# ").and_then(|text| text.split(',').next());
        let folder = tempfile::tempdir().expect("a folder");
        let archive = module.join(archive.expect("the archive's path"));
        let mut tar = Command::new("tar");
        let unpacked = tar.arg("xf").arg(archive).arg("-C").arg(folder.path());
        assert!(unpacked.status().expect("tar").success());
        let repo = repo_in(folder.path());
        // What comes after is of a repaired copy.
        for (read_data, answer) in answers(&text).take(2) {
            let (got, summary) = check(&repo, "geheim", read_data);
            compare(name, read_data, &got, verdict_in(answer), &mut used);
            if !read_data {
                check_summary(name, &text, &summary);
            }
        }
    }
    assert_eq!(used.len(), 2);
}

/// The folder with a config, at most two levels down.
fn repo_in(folder: &Path) -> PathBuf {
    let has_config = |path: &PathBuf| path.join("config").is_file();
    let below = |path: &Path| names_in(path).into_iter().map(|name| path.join(name)).collect();
    let mut level: Vec<PathBuf> = below(folder);
    level.insert(0, folder.to_owned());
    level.into_iter().find(has_config).expect("a repository")
}

/// Compares our summary with restic's, field by field.
fn check_summary(name: &str, text: &str, got: &Json) {
    let line = text.lines().find(|line| line.contains("\"message_type\":\"summary\""));
    let want: Json = serde_json::from_str(line.expect("restic's summary")).expect("JSON");
    for (field, value) in want.as_object().expect("an object") {
        assert_eq!(got[field], *value, "{name}, {field}");
    }
}
