//! `manicule inspect` and `manicule verify` of restic's repositories, and `manicule blobs check`.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use manicule_testkit::{Examples, golden_repository};
use serde_json::Value as Json;

/// Runs the program in a folder with restic's variables as given, and no others of them.
fn run(folder: &Path, words: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_manicule"));
    command.args(words).current_dir(folder).stdin(Stdio::null());
    for name in ["REPOSITORY", "REPOSITORY_FILE", "PASSWORD", "PASSWORD_FILE", "PASSWORD_COMMAND"] {
        command.env_remove(format!("RESTIC_{name}"));
    }
    command.envs(variables.iter().copied()).output().expect("the program runs")
}

const PASSWORD: (&str, &str) = ("RESTIC_PASSWORD", "manicule-golden");

/// Standard output of a call that ends with this exit code.
#[track_caller]
fn printed(folder: &Path, words: &[&str], variables: &[(&str, &str)], code: i32) -> String {
    let output = run(folder, words, variables);
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{words:?}: {error}");
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn a_repository_shows_more_with_its_password() {
    let golden = golden_repository("keys");
    let folder = golden.path();
    let shown = printed(folder, &["inspect", "repo"], &[], 0);
    assert!(shown.contains("\nsnapshots   1 snapshot, ") && shown.contains("key  "), "{shown}");
    assert!(shown.contains("scrypt with N = 16, r = 8, p = 1"), "{shown}");
    assert!(!shown.contains("version") && shown.contains("$RESTIC_PASSWORD"), "{shown}");
    let shown = printed(folder, &["inspect", "repo"], &[PASSWORD], 0);
    assert!(shown.contains("\nversion     2\n") && shown.contains("\nnewest "), "{shown}");
    let json = |variables: &[(&str, &str)]| -> Json {
        let line = printed(folder, &["inspect", "--json", "repo"], variables, 0);
        serde_json::from_str(&line).expect("an object")
    };
    let (closed, opened) = (json(&[]), json(&[PASSWORD]));
    assert_eq!((&closed["files"], &closed["keys"]), (&opened["files"], &opened["keys"]));
    assert_eq!((closed["files"]["data"]["files"].as_u64(), closed.get("version")), (Some(2), None));
    assert_eq!((opened["version"].as_u64(), &opened["newest"]), (Some(2), &opened["oldest"]));
    for (value, says) in [("another", "wrong password"), ("", "")] {
        let output = run(folder, &["inspect", "repo"], &[("RESTIC_PASSWORD", value)]);
        let (error, is_wrong) = (String::from_utf8_lossy(&output.stderr), !value.is_empty());
        assert_eq!(output.status.code(), Some(2 * i32::from(is_wrong)), "{error}");
        assert!(error.contains(says), "{error}");
    }
}

/// Objects of `blobs check --json`, by their `message_type`.
#[track_caller]
fn checked(folder: &Path, words: &[&str], code: i32) -> Vec<Json> {
    let words = [&["blobs", "check", "-r", "repo", "--json"], words].concat();
    let lines = printed(folder, &words, &[PASSWORD], code);
    lines.lines().map(|line| serde_json::from_str(line).expect("an object")).collect()
}

fn of_type<'r>(rows: &'r [Json], kind: &str) -> Vec<&'r Json> {
    rows.iter().filter(|row| row["message_type"] == kind).collect()
}

fn sha256_of_lines(rows: &Json) -> String {
    let text = |row: &Json, field: &str| row[field].as_str().expect("a text").to_owned();
    let rows = rows.as_array().expect("a list").iter();
    let mut lines: Vec<String> =
        rows.map(|row| format!("{} {}\n", text(row, "snapshot"), text(row, "path"))).collect();
    lines.sort_unstable();
    manicule::blobs::Id::of(lines.concat().as_bytes()).to_string()
}

/// The archive lacks large packs of data. Their names and lengths are enough where no data are
/// read.
fn stand_in(repo: &Path, packs: &[Json]) {
    for pack in packs {
        let (id, len) = (pack["pack"].as_str().unwrap(), pack["bytes"].as_u64().unwrap());
        let path = repo.join("data").join(&id[..2]).join(id);
        if !path.exists() {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, vec![0; len as usize]).unwrap();
        }
    }
}

#[test]
fn a_broken_pack_costs_what_restic_fails_to_restore_without_it() {
    for name in ["fleet", "drafts"] {
        let golden = golden_repository(name);
        let folder = golden.path();
        let answers = fs::read(folder.join("expected/broken.json")).expect("the answers");
        let answers: Json = serde_json::from_slice(&answers).expect("JSON");
        let packs = answers["packs"].as_array().expect("a list");
        stand_in(&folder.join("repo"), packs);
        assert!(of_type(&checked(folder, &[], 0), "broken_pack").is_empty(), "{name}");
        for want in packs {
            let id = want["pack"].as_str().unwrap();
            let path = folder.join("repo/data").join(&id[..2]).join(id);
            fs::rename(&path, folder.join("aside")).unwrap();
            let rows = checked(folder, &[], 1);
            fs::rename(folder.join("aside"), &path).unwrap();
            let [got] = of_type(&rows, "broken_pack")[..] else { panic!("{name} {id}: {rows:?}") };
            let fields = ["pack", "bytes", "type", "blobs", "lost_blobs", "lost_used_blobs"];
            let others = ["snapshots", "damaged_files", "unreadable_folders"];
            for field in fields.iter().chain(&others) {
                assert_eq!(got[field], want[field], "{name} {id}, {field}");
            }
            for list in ["damaged", "unreadable"] {
                let sum = &want[format!("sha256_{list}")];
                assert_eq!(*sum, sha256_of_lines(&got[list]), "{name} {id}, {list}");
                if want.get(list).is_some() {
                    assert_eq!(got[list], want[list], "{name} {id}, {list}");
                }
            }
            let summary = of_type(&rows, "summary")[0];
            for (field, value) in want["check"].as_object().unwrap() {
                if field != "exit" {
                    assert_eq!(summary[field], *value, "{name} {id}, {field}");
                }
            }
        }
    }
}

#[test]
fn several_broken_packs_are_answered_together() {
    let golden = golden_repository("fleet");
    let folder = golden.path();
    // Five packs of data are not in the archive.
    let rows = checked(folder, &[], 1);
    let broken = of_type(&rows, "broken_pack");
    assert_eq!((broken.len(), of_type(&rows, "finding").len()), (5, 5));
    let sum = |field: &str| broken.iter().map(|row| row[field].as_u64().unwrap()).sum::<u64>();
    assert!(sum("damaged_files") > 25 && sum("unreadable_folders") == 0, "{rows:?}");
    let text = printed(folder, &["blobs", "check", "-r", "repo"], &[PASSWORD], 1);
    assert!(text.contains("error: pack 42d8e0ad") && text.contains(": does not exist\n"), "{text}");
    assert!(text.contains("/srv/fleet/") && text.contains("\n5 errors: 15 index files"), "{text}");
}

#[test]
fn a_check_takes_one_way_of_reading_packs_at_a_time() {
    let golden = golden_repository("unused");
    let folder = golden.path();
    let read = |words: &[&str]| checked(folder, words, 0).pop().unwrap()["packs_read"].as_u64();
    assert_eq!(read(&[]), Some(0));
    assert_eq!((read(&["--headers"]), read(&["--read-data"])), (Some(7), Some(7)));
    let halves = ["1/2", "2/2"].map(|part| read(&["--read-data-subset", part]).unwrap());
    assert_eq!(halves[0] + halves[1], 7);
    assert_eq!(read(&["--read-data-subset", "50%"]), Some(3));
    assert_eq!(read(&["--read-data-subset", "1G"]), Some(7));
    for words in [&["--read-data", "--headers"][..], &["--read-data", "--read-data-subset", "5%"]] {
        let words = [&["blobs", "check", "-r", "repo"], words].concat();
        assert_eq!(run(folder, &words, &[PASSWORD]).status.code(), Some(2), "{words:?}");
    }
    let before = manicule_testkit::contents(&folder.join("repo"));
    checked(folder, &["--read-data"], 0);
    assert_eq!(manicule_testkit::contents(&folder.join("repo")), before);
}

#[test]
fn verify_reads_every_byte_of_a_repository() {
    let golden = golden_repository("unused");
    let folder = golden.path();
    let shown = printed(folder, &["verify", "repo"], &[PASSWORD], 0);
    assert!(shown.starts_with("ok: 4 index files, 7 packs (318.9 KB) with 86 blobs, "), "{shown}");
    let output = run(folder, &["verify", "repo"], &[]);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && error.contains("$RESTIC_PASSWORD"), "{error}");
    let pack = "5f14454766fa5679b84e2951ffbee7cd57982d5bb83be7ac9b6e9e652233511f";
    let path = folder.join("repo/data/5f").join(pack);
    let mut bytes = fs::read(&path).unwrap();
    bytes[40] ^= 1;
    fs::write(path, bytes).unwrap();
    let shown = printed(folder, &["verify", "repo"], &[PASSWORD], 1);
    let first = shown.lines().next().unwrap();
    assert!(first.starts_with(&format!("pack {pack}, offset 0: blob 59791f2d")), "{shown}");
    assert!(shown.contains("\n2 findings: ") && shown.contains("1 file damaged"), "{shown}");
}

#[test]
fn the_guide_shows_what_is_printed() {
    let mut page = Examples::of("docs/guide/what-a-broken-pack-costs.md");
    let pack = "data/5f/5f14454766fa5679b84e2951ffbee7cd57982d5bb83be7ac9b6e9e652233511f";
    for (name, words) in [("missing", &[][..]), ("changed", &["--read-data"])] {
        let golden = golden_repository("unused");
        let path = golden.path().join("repo").join(pack);
        let mut bytes = fs::read(&path).unwrap();
        bytes[40] ^= 1;
        match name {
            "missing" => fs::remove_file(&path).unwrap(),
            _ => fs::write(&path, bytes).unwrap(),
        }
        let words = [&["blobs", "check", "-r", "repo"], words].concat();
        let now = printed(golden.path(), &words, &[PASSWORD], 1);
        page.hold(name, &now);
    }
}
