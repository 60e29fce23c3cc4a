//! Files of a repository that are cut, empty, longer, changed or no files at all: each is named, by
//! every command that needs it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use manicule_testkit::golden_repository;

use super::{PASSWORD, rows, run};

/// Every way of damaging a file.
const WAYS: [&str; 7] = ["empty", "absent", "longer", "half", "first bit", "last bit", "folder"];

fn damage(path: &Path, way: &str) {
    let bytes = fs::read(path).unwrap();
    fs::remove_file(path).unwrap();
    let mut changed = bytes.clone();
    match way {
        "empty" => changed.clear(),
        "absent" => return,
        "longer" => changed.push(0),
        "half" => changed.truncate(bytes.len() / 2),
        "first bit" => changed[0] ^= 1,
        "last bit" => *changed.last_mut().unwrap() ^= 1,
        _ => return fs::create_dir(path).unwrap(),
    }
    fs::write(path, changed).unwrap();
}

fn only_file(folder: &Path) -> PathBuf {
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.remove(0)
}

const CALLS: &[&[&str]] = &[
    &["snapshots"],
    &["ls", "latest"],
    &["find", "*a*"],
    &["stats"],
    &["stats", "--mode", "raw-data"],
    &["cost"],
    &["history", "/srv/parts"],
    &["diff", "latest", "latest"],
    &["dump", "latest", "/"],
    &["restore", "latest", "--target", "out"],
    &["list", "blobs"],
    &["duplicates"],
    &["export"],
    &["usage"],
    &["check"],
    &["check", "--read-data"],
    &["repair-index", "--dry-run"],
];

/// The answer of a call: its code, and what is on standard output but for clocks.
fn answer(folder: &Path, words: &[&str]) -> (Option<i32>, Vec<u8>, String) {
    let _ = fs::remove_dir_all(folder.join("out"));
    let output = run(folder, words);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code(), output.stdout, error)
}

/// Whatever is damaged, a call gives the answer of the whole repository, or fails and names the
/// file; it never says something else with 0.
#[test]
fn a_damaged_file_is_never_believed() {
    let golden = golden_repository("unused");
    let sound: Vec<_> = CALLS.iter().map(|words| answer(golden.path(), words)).collect();
    for kind in ["config", "keys", "snapshots", "index", "data"] {
        for way in WAYS {
            let golden = golden_repository("unused");
            let repo = golden.path().join("repo");
            let file = match kind {
                "config" => repo.join("config"),
                // A pack of trees that both snapshots need.
                "data" => {
                    repo.join("data/12").join(only_file(&repo.join("data/12")).file_name().unwrap())
                }
                _ => only_file(&repo.join(kind)),
            };
            damage(&file, way);
            let mut failed = 0;
            for (words, (sound_code, sound_out, _)) in CALLS.iter().zip(&sound) {
                let (code, out, error) = answer(golden.path(), words);
                let is_same = code == *sound_code && out == *sound_out;
                // What a listing no longer has was forgotten, or is repaired: nothing refutes it.
                let is_gone = way == "absent" && (kind == "snapshots" || kind == "index");
                let is_repair = words[0] == "repair-index";
                let says = [1, 2].contains(&code.unwrap_or(0));
                assert!(
                    is_same || says || is_gone || is_repair,
                    "{kind} {way} {words:?}: {code:?} {error}"
                );
                failed += u32::from(!is_same && says);
            }
            let is_gone = way == "absent" && kind == "snapshots";
            assert!(failed > 0 || is_gone, "{kind} {way}");
        }
    }
}

/// Number of times that a failed restore names `blobs check`.
fn advised(folder: &Path) -> usize {
    let output = run(folder, &["restore", "latest", "--target", "out"]);
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{error}");
    let want = "manicule: `manicule blobs check` lists what a missing or damaged pack damages";
    error.lines().filter(|line| *line == want).count()
}

#[test]
fn a_restore_from_a_missing_or_damaged_pack_names_the_command_that_lists_what_is_lost() {
    for way in WAYS.into_iter().filter(|way| !["longer", "last bit"].contains(way)) {
        let golden = golden_repository("unused");
        damage(&only_file(&golden.path().join("repo/data/12")), way);
        assert_eq!(advised(golden.path()), 1, "{way}");
    }
}

/// A target that can't be written is no fault of the repository's, which has nothing to check.
#[test]
fn a_restore_into_a_target_that_refuses_does_not() {
    let file = Path::new("out/srv/parts/d/texts/00/0000.txt");
    for is_target_a_file in [true, false] {
        let golden = golden_repository("unused");
        let folder = golden.path();
        if is_target_a_file {
            fs::write(folder.join("out"), "no folder").unwrap();
        } else {
            fs::create_dir_all(folder.join(file).join("in the place of a file")).unwrap();
        }
        assert_eq!(advised(folder), 0, "{is_target_a_file}");
    }
}

/// Where a snapshot or a tree can't be read, no sum is printed as if it were of all: a table lacks
/// its end, and the rest is not printed.
#[test]
fn no_sum_is_printed_of_what_can_not_be_read() {
    for kind in ["snapshots", "data/12"] {
        let golden = golden_repository("unused");
        let folder = golden.path();
        let ids: Vec<String> = rows(folder, &["snapshots", "--json"], 0)
            .remove(0)
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row["id"].as_str().unwrap().to_owned())
            .collect();
        let file = only_file(&folder.join("repo").join(kind));
        damage(&file, "empty");
        let name = file.file_name().unwrap().to_str().unwrap();
        for words in [
            &["cost"][..],
            &["cost", "--json"],
            &["stats"],
            &["stats", "--mode", "raw-data"],
            &["stats", "--mode", "files-by-contents", "--json"],
            &["history", "/srv/parts"],
        ] {
            let (code, out, error) = answer(folder, words);
            assert!(
                code == Some(2) && out.is_empty() && error.contains(name),
                "{words:?}: {error}"
            );
        }
        let (code, out, error) = answer(folder, &["diff", &ids[0], &ids[1]]);
        let out = String::from_utf8(out).unwrap();
        assert!(code == Some(2) && !out.contains("Files:") && error.contains(name), "{out}{error}");
    }
}

#[test]
fn a_list_of_snapshots_that_lacks_one_has_no_end() {
    let golden = golden_repository("unused");
    let folder = golden.path();
    let (_, whole, _) = answer(folder, &["snapshots"]);
    let whole = String::from_utf8(whole).unwrap();
    let file = only_file(&folder.join("repo/snapshots"));
    damage(&file, "half");
    let name = file.file_name().unwrap().to_str().unwrap();
    let (code, out, error) = answer(folder, &["snapshots"]);
    let out = String::from_utf8(out).unwrap();
    assert!(code == Some(2) && error.contains(name), "{error}");
    let rules = |text: &str| text.lines().filter(|line| line.starts_with("---")).count();
    assert_eq!((rules(&whole), rules(&out)), (2, 1), "{out}");
    assert!(out.lines().count() > 2 && !out.contains("snapshots"), "{out}");
    assert_eq!(answer(folder, &["snapshots", "--json"]).1, b"");
    // One that is named is whole.
    let other = out.lines().nth(2).unwrap().split(' ').next().unwrap();
    let (code, out, _) = answer(folder, &["snapshots", other]);
    assert!(code == Some(0) && out.ends_with(b"1 snapshots\n"));
    assert_eq!(answer(folder, &["stats", other]).0, Some(0));
}

/// It would be searched as text, and be found to have none.
#[test]
fn a_repository_without_config_or_key_is_no_plain_folder() {
    for (kind, way) in [("config", "absent"), ("config", "folder"), ("keys", "absent")] {
        let golden = golden_repository("unused");
        let repo = golden.path().join("repo");
        let file = if kind == "config" { repo.join(kind) } else { only_file(&repo.join(kind)) };
        damage(&file, way);
        for words in [&["find", "a", "repo"][..], &["verify", "repo"], &["inspect", "repo"]] {
            let mut command = Command::new(env!("CARGO_BIN_EXE_manicule"));
            command.args(words).current_dir(golden.path()).env("RESTIC_PASSWORD", PASSWORD);
            let output = command.stdin(Stdio::null()).output().unwrap();
            let error = String::from_utf8_lossy(&output.stderr);
            let code = output.status.code();
            assert!(matches!(code, Some(1 | 2)), "{kind} {way} {words:?}: {code:?} {error}");
            assert!(error.contains("key file") || error.contains("config"), "{kind}: {error}");
        }
    }
}

#[test]
fn what_hides_a_file_is_named() {
    for kind in ["index", "snapshots"] {
        let golden = golden_repository("unused");
        let file = only_file(&golden.path().join("repo").join(kind));
        damage(&file, "folder");
        let name = file.file_name().unwrap().to_str().unwrap().to_owned();
        let findings = rows(golden.path(), &["check", "--json"], 1);
        let says = |row: &serde_json::Value| {
            row["message"].as_str().is_some_and(|text| text.contains(&name))
        };
        assert!(findings.iter().any(says), "{kind}: {findings:?}");
    }
}

#[test]
fn a_pack_that_lies_in_the_wrong_folder_is_lost_whole() {
    let golden = golden_repository("unused");
    let repo = golden.path().join("repo");
    let id = "498e41747ad8c65d6f28f5e81c97cd49866d1885a80322ed4ae219e8d3bfe23a";
    fs::create_dir_all(repo.join("data/00")).unwrap();
    fs::rename(repo.join("data/49").join(id), repo.join("data/00").join(id)).unwrap();
    for words in [&["check", "--json"][..], &["check", "--read-data", "--json"]] {
        let found = rows(golden.path(), words, 1);
        let pack = found.iter().find(|row| row["message_type"] == "broken_pack").unwrap();
        assert_eq!((pack["lost_blobs"].as_u64(), pack["blobs"].as_u64()), (Some(23), Some(23)));
        assert!(found.iter().any(|row| row["kind"] == "pack-misplaced"), "{found:?}");
    }
}

#[test]
fn what_no_index_file_has_any_more_is_named_by_its_paths() {
    let golden = golden_repository("unused");
    let folder = golden.path();
    let id = "5f14454766fa5679b84e2951ffbee7cd57982d5bb83be7ac9b6e9e652233511f";
    fs::remove_file(folder.join("repo/data/5f").join(id)).unwrap();
    let before = rows(folder, &["check", "--json"], 1);
    let of_pack = before.iter().find(|row| row["message_type"] == "broken_pack").unwrap();
    rows(folder, &["repair-index", "--json"], 0);
    let after = rows(folder, &["check", "--json"], 1);
    let missing = after.iter().find(|row| row["message_type"] == "missing").unwrap();
    assert_eq!(missing["damaged"], of_pack["damaged"]);
    assert_eq!(missing["snapshots"], of_pack["snapshots"]);
    assert_eq!((&missing["data_blobs"], &missing["trees"]), (&8.into(), &0.into()));
    let output = run(folder, &["check"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("    fcb0b0cf /srv/parts/d/texts/00/0000.txt: "), "{text}");
    // The id that check prints is found by the files that need it.
    let blob = after.iter().find_map(|row| row["blob"].as_str()).unwrap();
    let found = run(folder, &["find", blob]);
    let text = String::from_utf8_lossy(&found.stdout).into_owned();
    assert!(found.status.success() && text.contains("... in file /srv/parts/d/texts/"), "{text}");

    // Trees: what lies below them nobody knows.
    let golden = golden_repository("unused");
    let folder = golden.path();
    let id = "498e41747ad8c65d6f28f5e81c97cd49866d1885a80322ed4ae219e8d3bfe23a";
    let pack = folder.join("repo/data/49").join(id);
    let bytes = fs::read(&pack).unwrap();
    fs::remove_file(&pack).unwrap();
    fs::write(&pack, &bytes[..bytes.len() / 2]).unwrap();
    rows(folder, &["repair-index", "--json"], 1);
    let after = rows(folder, &["check", "--json"], 1);
    let missing = after.iter().find(|row| row["message_type"] == "missing").unwrap();
    assert_eq!(missing["unreadable_folders"], 3, "{missing}");
}
