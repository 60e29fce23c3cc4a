//! `manicule blobs` over restic's repositories, beside restic's answers.

mod damaged;
mod readers;
mod restored;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use manicule_testkit::{Examples, golden_folder, golden_repository};
use serde_json::Value as Json;

const PASSWORD: &str = "manicule-golden";

fn command(folder: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_manicule"));
    command.arg("blobs").args(words).current_dir(folder).stdin(Stdio::null());
    for name in ["REPOSITORY", "REPOSITORY_FILE", "PASSWORD", "PASSWORD_FILE", "PASSWORD_COMMAND"] {
        command.env_remove(format!("RESTIC_{name}"));
    }
    command
}

fn run(folder: &Path, words: &[&str]) -> Output {
    command(folder, words)
        .env("RESTIC_PASSWORD", PASSWORD)
        .env("RESTIC_REPOSITORY", "repo")
        .output()
        .expect("the program runs")
}

/// Standard output of a call that ends with this exit code.
#[track_caller]
fn printed(folder: &Path, words: &[&str], code: i32) -> String {
    let output = run(folder, words);
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{words:?}: {error}");
    String::from_utf8(output.stdout).expect("text")
}

/// Objects of a call's lines.
#[track_caller]
fn rows(folder: &Path, words: &[&str], code: i32) -> Vec<Json> {
    printed(folder, words, code)
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

fn expected(folder: &Path, name: &str) -> Json {
    let text = fs::read(folder.join("expected").join(name)).expect("an answer of restic");
    serde_json::from_slice(&text).expect("JSON")
}

/// Whether all fields of `want` are in `got` with the same values.
#[track_caller]
fn check_fields(want: &Json, got: &Json, left_out: &[&str], what: &str) {
    for (name, value) in want.as_object().expect("an object") {
        if !left_out.contains(&name.as_str()) {
            assert_eq!(got.get(name), Some(value), "{what}, {name}");
        }
    }
}

#[test]
fn files_and_blobs_are_listed_as_restic_lists_them() {
    for name in ["v1", "v2", "unused", "keys", "rustic", "fleet", "drafts", "small"] {
        let golden = golden_repository(name);
        let folder = golden.path();
        for what in ["blobs", "index", "snapshots"] {
            let listed = printed(folder, &["list", what], 0);
            let mut listed: Vec<&str> = listed.lines().collect();
            let file = folder.join("expected").join(format!("list-{what}.txt"));
            let want = fs::read_to_string(file).expect("restic's list");
            let mut want: Vec<&str> =
                want.lines().take_while(|line| !line.starts_with("---")).collect();
            let is_sorted = listed.is_sorted();
            listed.sort_unstable();
            want.sort_unstable();
            assert_eq!(listed, want, "{name} {what}");
            assert!(what == "blobs" || is_sorted, "{name} {what}: by id");
        }
    }
}

#[test]
fn snapshots_are_listed_line_by_line_as_restic_does() {
    for name in ["v2", "v1", "unused", "rustic"] {
        let golden = golden_repository(name);
        let folder = golden.path();
        for file in fs::read_dir(folder.join("expected")).unwrap() {
            let file = file.unwrap().path();
            let Some(id) = file
                .file_name()
                .and_then(|name| name.to_str())
                .and_then(|name| name.strip_prefix("ls-")?.strip_suffix(".jsonl"))
            else {
                continue;
            };
            let want = fs::read_to_string(&file).unwrap();
            assert_eq!(printed(folder, &["ls", "--json", id], 0), want, "{name} {id}");
            // Names are bytes, some with line breaks.
            let paths = run(folder, &["ls", &id[..8]]).stdout;
            let line_count = paths.iter().filter(|byte| **byte == b'\n').count();
            assert!(line_count >= want.lines().count(), "{name} {id}");
            assert!(paths.starts_with(format!("snapshot {} of [/", &id[..8]).as_bytes()));
        }
    }
    let golden = golden_repository("drafts");
    let list =
        |words: &[&str]| printed(golden.path(), &[&["ls", "-q", "547cb575"], words].concat(), 0);
    let below = list(&["/srv/drafts/sub"]);
    let deeper = list(&["-R", "/srv/drafts/sub/"]);
    assert!(
        below.starts_with("/srv/drafts/sub\n/srv/drafts/sub/") && !below.contains("/er"),
        "{below}"
    );
    assert!(deeper.contains("/srv/drafts/sub/deep/er/leaf.txt\n"), "{deeper}");
    assert_eq!(list(&["/srv/drafts/twin-a"]), "/srv/drafts/twin-a\n");
    assert_eq!(list(&["/srv/else/..//drafts/./twin-a/"]), "/srv/drafts/twin-a\n");
    assert_eq!(printed(golden.path(), &["ls", "-q", "547cb575", "/nowhere"], 1), "");
    for (word, says) in [("00", "no snapshot"), ("x", "is no id"), ("", "is no id")] {
        let output = run(golden.path(), &["ls", word]);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && error.contains(says), "{word}: {error}");
    }
}

#[test]
fn costs_are_what_restic_frees() {
    for name in ["fleet", "drafts"] {
        let golden = golden_repository(name);
        let folder = golden.path();
        let want = expected(folder, "cost.json");
        let all = rows(folder, &["cost", "--json"], 0);
        let mut asked = 0;
        for answer in want["answers"].as_array().expect("a list") {
            let (by, value) = (answer["by"].as_str().unwrap(), answer["value"].as_str().unwrap());
            let of_set =
                |words: &[&str]| rows(folder, &[&["cost", "--json"], words].concat(), 0).remove(0);
            let got = match by {
                "oldest" => of_set(&["--oldest", value]),
                "random" => {
                    let ids = answer["snapshots"].as_array().unwrap().iter();
                    of_set(&ids.map(|id| id.as_str().unwrap()).collect::<Vec<_>>())
                }
                _ => all
                    .iter()
                    .find(|row| row["by"] == by && row["value"] == value)
                    .expect("a row")
                    .clone(),
            };
            check_fields(answer, &got, &["by", "value"], &format!("{name}: {by} {value}"));
            asked += 1;
        }
        assert!(asked > 40, "{asked} answers");
        let totals = all.last().expect("a row");
        assert_eq!(totals["by"], "all");
        for field in [
            "used_blobs",
            "used_bytes",
            "unused_blobs",
            "unused_bytes",
            "extra_copies",
            "extra_copies_bytes",
        ] {
            assert_eq!(totals[field], want[field], "{name}: {field}");
        }
        let text = printed(folder, &["cost"], 0);
        let used = format!("used: {} blobs", want["used_blobs"]);
        let unused = format!("unused, freed by any prune: {} blobs", want["unused_blobs"]);
        assert!(text.contains(&used) && text.contains(&unused), "{name}: {text}");
    }
}

#[test]
fn costs_are_chosen_and_ordered() {
    let golden = golden_repository("fleet");
    let words = ["cost", "--json", "--by", "snapshot", "--host", "birch", "--sort", "bytes"];
    let chosen = rows(golden.path(), &words, 0);
    let bytes: Vec<u64> = chosen.iter().filter_map(|row| row["bytes"].as_u64()).collect();
    assert!(bytes.len() == 4 && bytes.is_sorted_by(|one, other| one >= other), "{bytes:?}");
    // Whoever else reaches a blob still counts.
    let all = rows(golden.path(), &["cost", "--json", "--by", "snapshot"], 0);
    for row in chosen.iter().filter(|row| row["by"] == "snapshot") {
        assert!(all.contains(row), "{row}");
    }
}

#[test]
fn a_path_that_no_snapshot_was_made_of_is_said_to_be_none() {
    let golden = golden_repository("drafts");
    let folder = golden.path();
    let output = run(folder, &["history", "/srv"]);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(1) && error.contains("/srv/drafts"), "{error}");
    let shown = printed(folder, &["history", "/srv/drafts/notes/todo.txt"], 0);
    let path = "/srv/else/../drafts/./notes//todo.txt";
    assert_eq!(printed(folder, &["history", path], 0), shown);
}

#[test]
fn a_version_is_written_out() {
    let golden = golden_repository("fleet");
    let folder = golden.path();
    let path = "/srv/fleet/cedar/home/ledger.csv";
    let versions = rows(folder, &["history", "--sha256", "--json", path], 0);
    let mut written = 0;
    for (number, version) in (1..).zip(&versions) {
        let number = number.to_string();
        let words = ["history", path, "--write", &number, "-o", "out"];
        let is_file = version["state"] == "file";
        let output = run(folder, &words);
        assert_eq!(output.status.success(), is_file, "{words:?}: {output:?}");
        if is_file {
            let bytes = fs::read(folder.join("out")).unwrap();
            assert_eq!(manicule::blobs::Id::of(&bytes).to_string(), version["sha256"], "{number}");
            assert_eq!(run(folder, &words[..4]).stdout, bytes);
            written += 1;
        }
    }
    assert!(written > 1, "{versions:?}");
    assert_eq!(run(folder, &["history", path, "--write", "99"]).status.code(), Some(2));
}

#[test]
fn a_path_has_the_versions_that_its_snapshots_show() {
    for name in ["fleet", "drafts"] {
        let golden = golden_repository(name);
        let folder = golden.path();
        let want = expected(folder, "history.json");
        let paths = want["paths"].as_array().expect("a list");
        let shown = paths[0]["path"].as_str().unwrap();
        let (text, count) =
            (printed(folder, &["history", shown], 0), paths[0]["versions"].as_array());
        assert_eq!(text.lines().count(), count.unwrap().len(), "{shown}");
        for path in paths {
            let shown = path["path"].as_str().unwrap();
            let versions = path["versions"].as_array().unwrap();
            let is_there = versions.iter().any(|version| version["state"] != "absent");
            let code = i32::from(!is_there);
            let got = rows(folder, &["history", "--new", "--json", shown], code);
            assert_eq!(got.len(), versions.len(), "{shown}");
            for (want, got) in versions.iter().zip(&got) {
                // The hash of the contents, for which they have to be read.
                check_fields(want, got, &["sha256"], shown);
            }
        }
    }
}

#[test]
fn a_version_of_a_file_has_the_hash_of_its_content() {
    let golden = golden_repository("fleet");
    let folder = golden.path();
    let want = expected(folder, "history.json");
    let (mut compared, mut failed) = (0, 0);
    for path in want["paths"].as_array().expect("a list") {
        let shown = path["path"].as_str().unwrap();
        let output = run(folder, &["history", "--sha256", "--json", shown]);
        let text = String::from_utf8(output.stdout).unwrap();
        let versions = path["versions"].as_array().unwrap();
        for (want, got) in versions.iter().zip(text.lines()) {
            let got: Json = serde_json::from_str(got).expect("JSON");
            assert_eq!(got["state"], want["state"], "{shown}");
            match &got["sha256"] {
                // Its pack is not in the archive.
                Json::Null if want["state"] == "file" => failed += 1,
                hash => {
                    assert_eq!(*hash, want["sha256"], "{shown}");
                    compared += u32::from(want["state"] == "file");
                }
            }
        }
        let is_read = output.status.code() != Some(2);
        assert_eq!(is_read, output.stderr.is_empty(), "{shown}: {:?}", output.status);
        assert!(is_read || failed > 0, "{shown}");
    }
    assert!(compared > 5, "{compared} compared, {failed} not read");
}

#[test]
fn a_prune_is_planned_as_restic_plans_it() {
    let calls: &[(&str, &[&str])] = &[
        ("default", &[]),
        ("max-unused-0", &["--max-unused", "0"]),
        ("unlimited", &["--max-unused", "unlimited"]),
        ("cacheable-only", &["--max-unused", "0", "--repack-cacheable-only"]),
        ("uncompressed", &["--repack-uncompressed"]),
        ("max-repack-60k", &["--max-unused", "0", "--max-repack-size", "60K"]),
        ("smaller-than-5m", &["--repack-smaller-than", "5M"]),
    ];
    for name in ["unused", "keys", "small"] {
        let golden = golden_repository(name);
        let folder = golden.path();
        for (variant, words) in calls {
            let want = expected(folder, &format!("prune-{variant}.json"));
            let output = run(folder, &[&["usage", "--json"], *words].concat());
            let got: Json = serde_json::from_slice(&output.stdout).expect("one object");
            for part in ["blobs", "bytes", "packfiles"] {
                assert_eq!(got[part], want[part], "{name} {variant} {part}");
            }
        }
    }
    let golden = golden_repository("v1");
    let refused = run(golden.path(), &["usage", "--repack-uncompressed"]);
    assert_eq!(refused.status.code(), Some(2));
    let golden = golden_repository("unused");
    let packs: BTreeSet<String> = printed(golden.path(), &["usage", "--packs"], 0)
        .lines()
        .filter_map(|line| {
            let (pack, rest) = line.split_once(' ')?;
            (pack.len() == 64)
                .then(|| format!("{} {}", &pack[..8], rest.split(':').next().unwrap()))
        })
        .collect();
    let want = ["49fac4b2 remove", "498e4174 repack", "cd5edae3 repack", "ed44a038 remove"];
    assert_eq!(packs, want.map(str::to_owned).into());
    let packs = rows(golden.path(), &["usage", "--packs", "--json"], 0);
    let removed = packs.iter().filter(|row| row["fate"] == "remove");
    assert_eq!(removed.filter(|row| row["used_bytes"] == 0 && row["header_bytes"] != 0).count(), 2);
}

#[test]
fn a_plan_that_needs_what_is_not_there_fails_with_its_name() {
    let golden = golden_repository("unused");
    let pack = "cd5edae333386a1748aaf4ae5e48810a4c3c83f46f96d2747f8c8869b9ca7170";
    fs::remove_file(golden.path().join("repo/data/cd").join(pack)).expect("the pack");
    let output = run(golden.path(), &["usage"]);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2));
    assert!(error.contains(pack), "{error}");
    // Costs go on with what there is, and say what there is not.
    let output = run(golden.path(), &["cost"]);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    let is_tree_pack = error.contains(pack);
    assert_eq!(output.status.code(), Some(i32::from(is_tree_pack)), "{error}");
}

#[test]
fn passwords_come_from_files_commands_variables_and_standard_input() {
    let golden = golden_folder("blobs", "keys");
    let folder = golden.path();
    fs::write(folder.join("third"), "\u{feff}third key\r\n").unwrap();
    fs::write(folder.join("wrong"), "fourth key").unwrap();
    fs::write(folder.join("where"), "repo\n").unwrap();
    let check = |words: &[&str], variables: &[(&str, &str)], code: i32, says: &str| {
        let words = [&["list", "keys"], words].concat();
        let output = command(folder, &words).envs(variables.iter().copied()).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{words:?} {variables:?}: {error}");
        assert!(error.contains(says), "{words:?} {variables:?}: {error}");
    };
    check(&["-r", "repo", "-p", "third"], &[], 0, "");
    let keys = printed(folder, &["list", "keys"], 0);
    assert_eq!(keys, fs::read_to_string(folder.join("expected/list-keys.txt")).unwrap());
    check(&["-r", "repo", "--password-command", "echo 'second key'"], &[], 0, "");
    check(&["-r", "repo", "--password-command", "echo 'second"], &[], 2, "quotes");
    check(&["-r", "repo", "--password-command", "false"], &[], 2, "password command false");
    check(&["--repo=repo"], &[("RESTIC_PASSWORD", PASSWORD)], 0, "");
    check(&[], &[("RESTIC_PASSWORD", PASSWORD), ("RESTIC_REPOSITORY_FILE", "where")], 0, "");
    check(&["-r", "repo"], &[("RESTIC_PASSWORD_FILE", "third")], 0, "");
    check(&["-r", "repo"], &[("RESTIC_PASSWORD", " third key")], 2, "wrong password");
    check(&["-r", "repo", "-p", "wrong"], &[], 2, "none of 3 key files");
    check(&["-r", "repo", "--insecure-no-password"], &[], 2, "wrong password");
    check(&["-r", "repo"], &[], 2, "no password: use --password-file");
    check(&["-r", "nowhere"], &[], 2, "no restic repository");
    check(&["-r", "."], &[("RESTIC_PASSWORD", "x")], 2, "no restic repository");
    check(&["-r", "repo", "--key-hint", "xyz", "-p", "third"], &[], 2, "is no id");
    let b2 = ("RESTIC_REPOSITORY", "b2:bucket:/srv");
    check(&[], &[b2, ("RESTIC_PASSWORD", "x")], 2, "object stores, not by b2");
    let password = [("RESTIC_PASSWORD", PASSWORD)];
    for place in ["sftp:me@host:/srv", "b2:bucket:/srv", "rest:http://host/"] {
        check(&["-r", place], &password, 2, "local folders and object stores");
    }
    check(&["-r", "local:repo", "--no-lock", "--no-cache", "-q", "-v"], &password, 0, "");
    check(&["--repository-file", "where"], &password, 0, "");
    check(&["repo"], &password, 0, "");
}

#[test]
fn restics_words_may_come_before_the_command() {
    let golden = golden_repository("keys");
    let words = ["--no-lock", "-r", "local:repo", "-q", "--no-cache", "-v", "list", "snapshots"];
    let listed = printed(golden.path(), &words, 0);
    assert_eq!(listed, printed(golden.path(), &["list", "snapshots"], 0));
}

#[test]
fn a_broken_file_is_named_and_nothing_of_it_is_believed() {
    let golden = golden_repository("unused");
    let folder = golden.path();
    let index = fs::read_dir(folder.join("repo/index")).unwrap().next().unwrap().unwrap().path();
    let sound = fs::read(&index).unwrap();
    let name = index.file_name().unwrap().to_str().unwrap().to_owned();
    for at in [0, 15, 16, sound.len() / 2, sound.len() - 1] {
        let mut flipped = sound.clone();
        flipped[at] ^= 4;
        fs::write(&index, &flipped).unwrap();
        for words in [&["list", "blobs"][..], &["usage"], &["cost"], &["history", "/x"]] {
            let output = run(folder, words);
            let error = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(2), "{words:?}: {error}");
            assert!(error.contains(&name) && error.contains("SHA-256"), "{words:?}: {error}");
        }
    }
}

#[test]
fn nothing_is_written_into_a_repository() {
    let golden = golden_repository("unused");
    let folder = golden.path();
    let before = manicule_testkit::contents(&folder.join("repo"));
    for words in
        [&["list", "packs"][..], &["usage", "--all-packs"], &["cost"], &["history", "/srv"]]
    {
        run(folder, words);
    }
    assert_eq!(manicule_testkit::contents(&folder.join("repo")), before);
}

#[test]
fn the_guide_shows_what_is_printed() {
    let mut page = Examples::of("docs/guide/which-snapshot-holds-it.md");
    let [fleet, drafts, unused] = ["fleet", "drafts", "unused"].map(golden_repository);
    let examples: [(&str, &Path, &[&str]); 6] = [
        ("cost", fleet.path(), &["cost"]),
        ("oldest", fleet.path(), &["cost", "--oldest", "5"]),
        ("history", drafts.path(), &["history", "/srv/drafts/notes/todo.txt"]),
        ("duplicates", fleet.path(), &["duplicates"]),
        ("find", drafts.path(), &["find", "3e0cc3fb"]),
        ("usage", unused.path(), &["usage"]),
    ];
    for (name, folder, words) in examples {
        let now = printed(folder, words, 0);
        page.hold(name, &now);
    }
    let mut page = Examples::of("docs/guide/get-a-file-back.md");
    let examples: [(&str, &Path, &[&str]); 3] = [
        ("snapshots", fleet.path(), &["snapshots", "--host", "birch"]),
        ("ls", drafts.path(), &["ls", "-l", "latest", "/srv/drafts/notes"]),
        ("diff", fleet.path(), &["diff", "03fbb1b6", "2d8c9989"]),
    ];
    for (name, folder, words) in examples {
        let now = printed(folder, words, 0);
        page.hold(name, &now);
    }
}
