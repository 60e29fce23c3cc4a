//! Repaired repositories, judged by restic and by our own check: those of each damage, and restic's
//! own test repositories.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use manicule_repositories::{DAMAGES, FileKind, PASSWORD, Patient, RESTIC, Restic};
use manicule_testkit::contents;
use serde_json::Value as Json;
use tempfile::TempDir;

use super::call::{command, damaged, printed, started};

/// What restic finds after the repair of a damage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Left {
    /// No error, and every file.
    Nothing,
    /// The pack that is not as its index says, and every file.
    Pack,
    /// Files are lost with the pack.
    Files,
}

fn left(name: &str) -> Left {
    match name {
        "pack-cut" | "pack-longer" | "pack-header-length-zero" => Left::Pack,
        "pack-missing" | "pack-missing-tree" | "pack-empty" | "pack-cut-in-a-blob" => Left::Files,
        // restic lists a pack in any folder, and opens it in its own only.
        "files-pack-in-other-folder" => Left::Files,
        _ => Left::Nothing,
    }
}

#[test]
fn our_check_accepts_the_index_after_each_damage() {
    for (name, _) in DAMAGES {
        let (_golden, repo) = damaged(&[name]);
        let left = left(name);
        let is_unreadable = !matches!(left, Left::Nothing) && !name.starts_with("pack-missing");
        printed(&repo, &["--read-all-packs"], i32::from(is_unreadable));
        let mut check = Command::new(env!("CARGO_BIN_EXE_manicule"));
        check.args(["blobs", "check", "--read-data", "-r"]).arg(&repo);
        let said = check.env("RESTIC_PASSWORD", PASSWORD).output().expect("it runs");
        let want = i32::from(left != Left::Nothing);
        let words = String::from_utf8_lossy(&said.stdout);
        assert_eq!(said.status.code(), Some(want), "{name}: {words}");
    }
}

/// All snapshots, restored; `None` if a file could not be.
fn restored(restic: &Restic, repo: &Path) -> Option<Vec<BTreeMap<String, Vec<u8>>>> {
    let mut trees = Vec::new();
    for id in Patient::open(repo).ids(FileKind::Snapshot) {
        let target = tempfile::tempdir().expect("a folder");
        let (id, into) = (id.to_string(), target.path().to_str().expect("UTF-8"));
        let words = ["restore", "--no-lock", &id, "--target", into];
        let said = restic.call(repo, words).expect("restic starts");
        trees.push(contents(target.path()));
        if said.exit != 0 {
            return None;
        }
    }
    Some(trees)
}

#[test]
fn restic_accepts_the_index_after_each_damage_and_restores_every_file_that_is_there() {
    let Some(restic) = Restic::for_test("restic's judgement of repaired indexes") else { return };
    let (_golden, sound) = damaged(&[]);
    let trees = restored(&restic, &sound).expect("a sound repository");
    assert!(trees.len() == 2 && trees.iter().all(|tree| tree.len() > 7));
    for (name, _) in DAMAGES {
        let (_golden, repo) = damaged(&[name]);
        let left = left(name);
        let is_unreadable = !matches!(left, Left::Nothing) && !name.starts_with("pack-missing");
        printed(&repo, &["--read-all-packs"], i32::from(is_unreadable));
        let check = |words: &[&str]| restic.call(&repo, words).expect("restic starts");
        let (said, read) = (check(&["check"]), check(&["check", "--read-data"]));
        let exits = (said.exit, read.exit);
        let trees_now = restored(&restic, &repo);
        let what = format!("{name}: {exits:?}, {}{}", read.out, read.errors);
        match left {
            Left::Nothing => assert_eq!(exits, (0, 0), "{what}"),
            Left::Pack => assert_eq!(read.exit, 1, "{what}"),
            Left::Files => assert!(read.exit == 1 && trees_now.is_none(), "{what}"),
        }
        if left != Left::Files {
            assert!(trees_now.as_ref() == Some(&trees), "{what}: other files");
        }
    }
}

#[test]
fn restic_keeps_away_while_our_lock_is_there_and_can_remove_it() {
    let Some(restic) = Restic::for_test("restic beside our lock") else { return };
    let (_golden, repo) = damaged(&[]);
    let mut child = started(&repo);
    child.kill().expect("it is ours");
    child.wait().expect("it ends");
    let said = restic.call(&repo, ["check"]).expect("restic starts");
    let words = said.out + &said.errors;
    assert!(said.exit == 11 && words.contains("locked exclusively by PID"), "{words}");
    restic.answer(&repo, ["unlock"]).expect("our process is gone");
    restic.answer(&repo, ["check"]).expect("it is unlocked");
}

/// Password of the repositories in restic's own module.
const PASSWORD_OF_MODULE: &str = "geheim";
/// Folders of archives in the module.
const ARCHIVES: [&str; 4] = [
    "cmd/restic/testdata",
    "internal/backend/testdata",
    "internal/checker/testdata",
    "internal/repository/testdata",
];

/// The archives of restic's own test repositories, in the module from which it was built.
fn archives() -> Vec<PathBuf> {
    let program = PathBuf::from(std::env::var_os(RESTIC).expect("a restic"));
    let module = fs::read(program.with_file_name("module.json")).expect("it is beside restic");
    let module: Json = serde_json::from_slice(&module).expect("JSON");
    let module = Path::new(module["Dir"].as_str().expect("a folder"));
    let mut archives = Vec::new();
    for folder in ARCHIVES {
        for entry in fs::read_dir(module.join(folder)).expect("a folder of the module") {
            let path = entry.expect("an entry").path();
            archives.extend(
                path.to_str().is_some_and(|path| path.ends_with(".tar.gz")).then_some(path),
            );
        }
    }
    archives.sort();
    archives
}

/// An archive, unpacked; `None` if it holds no repository.
fn unpacked(archive: &Path) -> Option<TempDir> {
    let folder = tempfile::tempdir().expect("a folder");
    let tar = Command::new("tar").arg("xzf").arg(archive).arg("-C").arg(folder.path()).status();
    assert!(tar.expect("tar").success(), "{}", archive.display());
    folder.path().join("repo/config").exists().then_some(folder)
}

/// A call of restic on one of these repositories: exit code and standard output.
fn restic_says(restic: &Restic, repo: &Path, words: &[&str]) -> (Option<i32>, String) {
    let mut command = restic.command(repo);
    let output = command.env("RESTIC_PASSWORD", PASSWORD_OF_MODULE).args(words).output();
    let output = output.expect("restic starts");
    (output.status.code(), String::from_utf8(output.stdout).expect("text"))
}

/// What restic reads in the index: `type blob pack offset length raw-length`.
fn places_by(restic: &Restic, repo: &Path) -> BTreeSet<String> {
    let mut places = BTreeSet::new();
    let (_, list) = restic_says(restic, repo, &["list", "--no-lock", "--quiet", "index"]);
    for id in list.lines() {
        let (code, json) = restic_says(restic, repo, &["cat", "--no-lock", "--quiet", "index", id]);
        assert_eq!(code, Some(0), "index file {id}");
        let json: Json = serde_json::from_str(&json).expect("JSON");
        for pack in json["packs"].as_array().expect("packs") {
            for blob in pack["blobs"].as_array().expect("blobs") {
                let raw_len = blob["uncompressed_length"].as_u64().unwrap_or(0);
                places.insert(format!(
                    "{} {} {} {} {} {raw_len}",
                    blob["type"], blob["id"], pack["id"], blob["offset"], blob["length"]
                ));
            }
        }
    }
    places
}

#[test]
fn restics_own_test_repositories_are_repaired_as_restic_repairs_them() {
    let Some(restic) = Restic::for_test("repairs of restic's own test repositories") else {
        return;
    };
    let mut count = 0;
    for archive in archives() {
        for all in [&[][..], &["--read-all-packs"]] {
            let (Some(ours), Some(theirs)) = (unpacked(&archive), unpacked(&archive)) else {
                continue;
            };
            let (ours, theirs) = (ours.path().join("repo"), theirs.path().join("repo"));
            let what = format!("{} {all:?}", archive.display());
            let said = command(&ours, all).env("RESTIC_PASSWORD", PASSWORD_OF_MODULE).output();
            let said = said.expect("it runs");
            // Two have a pack of another repository.
            let is_foreign = ["repo-unreferenced-data", "repo-unused-data-missing"]
                .iter()
                .any(|name| what.contains(name));
            let error = String::from_utf8_lossy(&said.stderr);
            assert_eq!(said.status.code(), Some(i32::from(is_foreign)), "{what}: {error}");
            let repaired = restic_says(&restic, &theirs, &[&["repair", "index"], all].concat());
            assert_eq!(repaired.0, Some(0), "{what}: {}", repaired.1);
            let places = places_by(&restic, &ours);
            assert!(places == places_by(&restic, &theirs) && !places.is_empty(), "{what}");
            let [check_ours, check_theirs] = [&ours, &theirs]
                .map(|repo| restic_says(&restic, repo, &["check", "--read-data"]).0);
            assert_eq!(check_ours, check_theirs, "{what}");
            count += 1;
        }
    }
    assert_eq!(count, 2 * 17, "all repositories of the module, in both ways");
}
